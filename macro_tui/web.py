"""Serves the monitor to browsers on this machine, read-only, by textual-serve."""

from __future__ import annotations

import asyncio
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.extras import how_to_install

if TYPE_CHECKING:
    from aiohttp import web
    from textual_serve.server import Server

HOST = "127.0.0.1"
_SOCKET = "/ws"
_FONT_ON_THE_NETWORK = "https://fonts.googleapis.com/"
_FONT = """\
<style>
  @font-face {
    font-family: "Roboto Mono";
    src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf");
  }
</style>"""


def need_textual_serve() -> None:
    """Raises `UsageError` if the package that serves is missing."""
    if find_spec("textual_serve") is None:
        raise UsageError(f"serve needs textual-serve; install it with: {how_to_install('web')}")


def serve(words: list[str], place: Path, port: int, title: str) -> None:
    """Serves what `macro-tui WORDS` shows, a process for each page, until it is interrupted."""
    command = shlex.join([sys.executable, "-P", "-m", "macro_tui", *words])
    server = _local_server(place)(command, host=HOST, port=port, title=title)
    try:
        server.serve()
    except OSError as error:
        raise MacroError(f"{HOST}:{port} cannot be served: {error.strerror}") from None


def _local_server(place: Path) -> type[Server]:
    """The server of textual-serve, for this machine alone and without the network."""
    from textual_serve.server import Server

    class LocalServer(Server):
        """Answers only pages of its own, and says on a line where it is."""

        def __init__(self, *words: Any, **named: Any) -> None:
            super().__init__(*words, **named)
            self.pages: set[asyncio.Task[Any]] = set()  # those that are open

        def initialize_logging(self) -> None:
            """What a program fails with is for its page; the terminal stays quiet."""

        async def on_startup(self, app: web.Application) -> None:
            del app
            print(f"{self.title}, read-only: {self.public_url}  (ctrl+c ends it)", flush=True)

        async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
            page = asyncio.current_task()
            assert page is not None
            self.pages.add(page)
            try:
                return await super().handle_websocket(request)
            finally:
                self.pages.discard(page)

        async def on_shutdown(self, app: web.Application) -> None:
            """Ends open pages and what they show; they would be waited for for a minute."""
            await super().on_shutdown(app)
            for page in self.pages:
                page.cancel()
            await asyncio.gather(*self.pages, return_exceptions=True)

        async def _make_app(self) -> web.Application:
            app = await super()._make_app()
            app.middlewares.append(_only_own_pages(self.public_url, place))
            return app

    return LocalServer


def _only_own_pages(url: str, place: Path) -> Any:
    """Refuses requests that a page of another site makes, and asks for nothing beyond this machine.

    A browser lets any page open a socket to this machine; it names that page as the origin.
    """
    from aiohttp import web

    @web.middleware
    async def check(request: web.Request, handler: Any) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if request.host.partition(":")[0] not in (HOST, "localhost"):
            raise web.HTTPForbidden(text="only this machine is served")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text="another site's page is not served")
        if request.path == _SOCKET and request.headers.get("Upgrade", "").lower() != "websocket":
            raise web.HTTPBadRequest(text="this is for the socket of a page")
        if request.path == "/" and not place.exists():  # else the page would wait for ever
            raise web.HTTPNotFound(
                text=f"{visible(place.name)}: no such run file or folder any more"
            )
        answer: web.StreamResponse = await handler(request)
        if isinstance(answer, web.Response) and answer.content_type == "text/html":
            answer.text = _without_network(answer.text or "").replace(url, f"http://{request.host}")
        return answer

    return check


def _without_network(page: str) -> str:
    """The page without the font that it would load from elsewhere: textual-serve has it, too."""
    start = page.find(_FONT_ON_THE_NETWORK)
    if start < 0:
        return page
    begin, end = page.rfind("<link", 0, start), page.find("/>", start) + 2
    return page[:begin] + _FONT + page[end:]
