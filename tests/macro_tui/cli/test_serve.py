"""`macro-tui serve`: the monitor in a browser."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from browsers import browser
from extras import needs_web
from made_sessions import write_stream
from programs import needs_chromium

from macro_tui.cli import main


def test_it_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("macro_tui.web.find_spec", lambda _name: None)
    assert main(["serve", str(tmp_path)]) == 2
    assert "serve needs textual-serve; install it with" in capsys.readouterr().err


def test_it_needs_something_to_serve(capsys):
    assert main(["serve", "nothing.run"]) == 1
    assert "nothing.run: no such run file or folder" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1"])
def test_a_port_that_is_none_is_refused(port, tmp_path, capsys):
    assert main(["serve", str(tmp_path), f"--port={port}"]) == 2
    assert "is not a port" in capsys.readouterr().err


def in_a_browser(test):
    """Marks a test that needs a server and a browser."""
    for mark in (*needs_web, *needs_chromium):
        test = mark(test)
    return test


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Served:
    """A run that goes on, and the server that shows it."""

    def __init__(self, folder):
        self.folder = folder
        stream, self.run = write_stream(folder / "flights.csv"), folder / "a.run"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        played = ["replay", stream, "--label", "label", "--run", self.run, "--headless"]
        self.replay = self._start(*played, "--rate", "60")
        self._wait(self.run.exists)
        self.server = self._start("serve", self.run, "--port", self.port)
        self._wait(self._answers)

    def _start(self, *words):
        command = [sys.executable, "-m", "macro_tui", *map(str, words)]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)

    def _wait(self, condition):
        end = time.monotonic() + 40
        while not condition():
            assert time.monotonic() < end
            time.sleep(0.05)

    def _answers(self):
        assert self.server.poll() is None
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    def get(self, path="/", **headers):
        """The status of an answer."""
        try:
            request = urllib.request.Request(self.url + path, headers=headers)
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""

    def children(self):
        children = f"/proc/{self.server.pid}/task/{self.server.pid}/children"
        with open(children) as file:
            return file.read().split()

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        self.server.wait(15)
        self.replay.terminate()
        self.replay.wait(15)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.stop()


def steps_in(text):
    return [int(found.replace(",", "")) for found in re.findall(r"([\d,]+) steps", text)]


@in_a_browser
async def test_counters_move_and_nothing_comes_from_elsewhere(served, tmp_path):
    before = sorted(os.listdir(served.folder))
    async with browser(tmp_path) as page:
        await page.call("Page.navigate", url=served.url)
        await page.wait_for(lambda text: "[1] MACRO" in text)
        await page.wait_for(lambda text: len(set(steps_in(text))) > 2)
        assert page.urls
        assert all(url.startswith(served.url) for url in page.urls if url != "about:blank")
        await page.press("s")
        await page.wait_for(lambda text: "this key would write" in text)
        assert len(served.children()) == 1
    for _ in range(200):
        if not served.children():
            break
        await asyncio.sleep(0.05)
    assert served.children() == []  # a page that is closed leaves no viewer
    assert sorted(os.listdir(served.folder)) == before
    assert served.replay.poll() is None


@in_a_browser
async def test_ctrl_c_ends_open_pages_at_once_and_says_nothing_more(served, tmp_path):
    port = str(free_port())
    command = [sys.executable, "-m", "macro_tui", "serve", served.run, "--port", port]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        assert server.stdout.readline()
        async with browser(tmp_path) as page:
            await page.call("Page.navigate", url=f"http://127.0.0.1:{port}")
            await page.wait_for(lambda text: "[1] MACRO" in text)
            server.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(server.wait, 15) == 0
        assert server.stdout.read() == b""


@in_a_browser
def test_a_run_that_was_taken_away_is_named(served):
    there = served.run.rename(served.folder / "b.run")
    try:
        assert served.get()[0] == 404
    finally:
        there.rename(served.run)


@in_a_browser
def test_pages_of_other_sites_and_other_names_are_refused(served):
    status, page = served.get()
    assert status == 200
    assert "googleapis" not in page
    assert served.get("/ws", Origin="http://evil.example")[0] == 403
    assert served.get("/ws")[0] == 400  # and no traceback, which would give no answer
    assert served.get("/", Host="evil.example")[0] == 403


@in_a_browser
def test_only_this_machine_is_listened_to(served):
    with open("/proc/net/tcp") as file:
        lines = [line.split() for line in file.read().splitlines()[1:]]
    listening = {line[1] for line in lines if line[3] == "0A"}
    assert f"0100007F:{served.port:04X}" in listening
    assert f"00000000:{served.port:04X}" not in listening
