"""An application with users, and whoever asks it: browsers with cookies, programs without."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from kemps_server.app import create_app
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.store import passwords
from kemps_server.store.store import Store
from kemps_server.store.users import Role

PASSWORDS = {"Ida": "correct horse", "Rex": "battery staple", "Vic": "paper lantern"}
ROLES = {"Ida": Role.OWNER, "Rex": Role.REFEREE, "Vic": Role.VIEWER}


class Asker:
    """Asks an application in this process; keeps cookies as a browser does."""

    def __init__(self, app: FastAPI, address: str = "http://127.0.0.1", client: str = "127.0.0.1") -> None:
        self.app, self.address, self.client = app, address, client
        self.cookies = httpx.Cookies()

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=(self.client, 50_000))
            async with httpx.AsyncClient(
                transport=transport, base_url=self.address, cookies=self.cookies
            ) as client:
                answer = await client.request(method, path, **options)
                self.cookies = client.cookies
                return answer

        return asyncio.run(asked())

    def get(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401
        return self.ask("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401
        return self.ask("POST", path, **options)

    def log_in(self, name: str, password: str = "") -> httpx.Response:
        return self.post("/api/session", json={"name": name, "password": password or PASSWORDS[name]})


AskFrom = Callable[..., Asker]


@pytest.fixture(autouse=True)
def _quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords hashed cheaply: what they cost is not what is tested."""
    monkeypatch.setattr(passwords, "_LOG_N", 4)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "kept")) as opened:
        for name, password in PASSWORDS.items():
            opened.users.add(name, ROLES[name], password)
        yield opened


@pytest.fixture
def home(store: Store) -> Asker:
    """A browser on the machine itself."""
    return Asker(create_app(Library(store)))


@pytest.fixture
def club(store: Store) -> FastAPI:
    """The application as others on the network reach it, at kemps.example."""
    return create_app(Library(store), host="192.168.1.5", names=["kemps.example"])


@pytest.fixture
def ask_from(club: FastAPI) -> AskFrom:
    """A browser somewhere on the network."""

    def somebody(client: str = "192.168.1.77", address: str = "http://kemps.example") -> Asker:
        return Asker(club, address, client)

    return somebody
