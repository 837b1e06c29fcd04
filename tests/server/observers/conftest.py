"""A store with a table, games at it, and small programs in the place of observers."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.observers.observers import Observers
from kemps_server.observers.opening import begin_game
from kemps_server.observers.supervised import Patience
from kemps_server.store.store import Store

CONFIG = """
[[camera]]
name = "table"
source = "0"
size = [1280, 720]
centre = [[330, 298], [949, 298], [949, 434], [330, 434]]

[[seat]]
id = "A"
name = "Ana"
[[seat]]
id = "B"
name = "Boris"
[[seat]]
id = "C"
name = "Chloé"
[[seat]]
id = "D"
name = "Diego"
"""

_QUICK = Patience(waits=(0.05, 0.1), well_after=30.0, start=60.0, silent=60.0, stop=5.0)
_WATCH = 'print(\'{"told":"watching","at_ms":0}\', flush=True); '
Script = Callable[..., list[str]]
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with the table ``club``."""
    with Store.open(DataFolder(tmp_path / "data")) as opened:
        opened.tables.save("club", CONFIG)
        yield opened


@pytest.fixture
def game(store: Store) -> str:
    """The id of a game that sits at the table."""
    table = store.tables.find("club")
    assert table is not None
    return begin_game(store, table, title="Thursday").id


@pytest.fixture
def quick() -> Patience:
    """Patience as tests have it."""
    return _QUICK


@pytest.fixture
def script() -> Script:
    """The command that runs some lines of Python, after it has said that it watches."""
    return lambda text, *, watches=True: [sys.executable, "-c", (_WATCH if watches else "") + text]


@pytest.fixture
def until() -> Until:
    """Waits for something; fails when it has not come within half a minute."""

    def wait(is_so: Callable[[], bool]) -> None:
        ends = time.monotonic() + 30
        while not is_so():
            assert time.monotonic() < ends, "it did not come"
            time.sleep(0.01)

    return wait


class Asking:
    """Asks the application of a store in this process, as somebody with a token or as the owner here."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app

    def __call__(
        self, method: str, path: str, body: object = None, *, token: str = "", language: str = ""
    ) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                headers = {"authorization": f"Bearer {token}"} if token else {}
                headers |= {"kemps-language": language} if language else {}
                return await client.request(method, path, json=body, headers=headers)

        return asyncio.run(ask())


@pytest.fixture
def ask(store: Store, script: Script, quick: Patience) -> Iterator[Asking]:
    """Asks the application of the store; its observers only rest."""
    app = create_app(Library(store))
    rest = script("import sys; sys.stdin.read()")
    app.state.place.observers = Observers(store, command=lambda *_: rest, patience=quick)
    yield Asking(app)
    app.state.place.observers.close()
