"""A headless Chromium, driven by the DevTools protocol over aiohttp, which comes with `web`."""

from __future__ import annotations

import asyncio
import base64
import shutil
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

CHROMIUM = shutil.which("chromium")


class Page:
    """One page: what it asked the network for, and what came over its socket."""

    def __init__(self, socket):
        self.socket = socket
        self.calls = 0
        self.urls = []
        self.received = bytearray()

    async def call(self, method, **parameters):
        self.calls += 1
        await self.socket.send_json({"id": self.calls, "method": method, "params": parameters})
        while True:
            message = await self.socket.receive_json()
            self._take(message)
            if message.get("id") == self.calls:
                return message["result"]

    def _take(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.urls.append(parameters["request"]["url"])
        elif message.get("method") == "Network.webSocketFrameReceived":
            response = parameters["response"]
            if response["opcode"] == 2:
                self.received += base64.b64decode(response["payloadData"])

    async def press(self, key):
        """Types into the terminal of the page."""
        focus = "document.querySelector('.xterm-helper-textarea').focus()"
        await self.call("Runtime.evaluate", expression=focus)
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def wait_for(self, condition, seconds=40):
        """Until a condition holds of what was received."""
        end = asyncio.get_running_loop().time() + seconds
        while not condition(self.received.decode(errors="replace")):
            assert asyncio.get_running_loop().time() < end, bytes(self.received[-2000:])
            await asyncio.sleep(0.1)
            await self.call("Runtime.evaluate", expression="1")


@asynccontextmanager
async def browser(folder: Path):
    """Opens a page; everything is gone at the end."""
    import aiohttp

    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run")
    command = [CHROMIUM, *options, "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    process = subprocess.Popen(
        [*command, "--window-size=1200,800", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port = await _port_in(folder / "DevToolsActivePort", process)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                targets = await answer.json()
            address = next(t["webSocketDebuggerUrl"] for t in targets if t["type"] == "page")
            async with session.ws_connect(address, max_msg_size=1 << 26) as socket:
                page = Page(socket)
                await page.call("Network.enable")
                yield page
    finally:
        process.terminate()
        process.wait()


async def _port_in(path, process):
    for _ in range(600):
        assert process.poll() is None
        if path.exists() and "\n" in (text := path.read_text()):
            return text.split()[0]
        await asyncio.sleep(0.05)
    raise AssertionError("Chromium did not open its port")
