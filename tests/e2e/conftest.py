"""A browser for the tests of pages, and a server that runs beside them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from kemps_server.listening import listening

Serving = Callable[[FastAPI], str]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; use it with the marker ``browser``.

    One for each module: as long as it is open, ``asyncio.run`` does not work in this thread, and tests of
    other modules use that.
    """
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser, serving: Serving) -> Iterator[BrowserContext]:
    """A visitor of their own; whatever their pages complain about fails the test.

    Pages that follow a table complain of a server that has gone, hence they are closed before it.
    """
    del serving
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on(
        "console",
        lambda message: problems.append(message.text) if message.type in {"error", "warning"} else None,
    )
    yield context
    context.close()
    assert problems == []


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Serves applications on ports of their own, ``http://127.0.0.1:N``, until the test is over."""
    servers: list[tuple[uvicorn.Server, threading.Thread]] = []

    def serve(app: FastAPI) -> str:
        listener = listening()
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield serve
    for server, thread in servers:
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()
