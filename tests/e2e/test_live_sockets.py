"""WebSockets of live games as clients see them: who is told what, breaks, and somebody who never reads."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from kemps_rules.journal import read_journal
from kemps_server.app import create_app
from kemps_server.bench.played_game import PlayedGame
from kemps_server.data_folder import DataFolder
from kemps_server.library import Library
from kemps_server.live.sockets import GONE, REFUSED, tell
from kemps_server.live.stream import Stream
from kemps_server.store.store import Store
from kemps_server.store.users import Role

JOURNAL = Path(__file__).parents[2] / "samples" / "journals" / "R12-fair-right.jsonl"
Serving = Callable[[FastAPI], str]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(DataFolder(tmp_path / "data")) as store:
        store.tables.save("club", "")
        yield store


@pytest.fixture
def played(store: Store) -> PlayedGame:
    return PlayedGame(store, "club", "Thursday", read_journal(JOURNAL))


@pytest.fixture
def address(store: Store, serving: Serving) -> str:
    return serving(create_app(Library(store))).replace("http", "ws")


def secret_of(store: Store, role: Role) -> str:
    return store.tokens.issue(role, "test")[1]


async def told(connection: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await asyncio.wait_for(connection.recv(), 10))
    return message


def first(address: str) -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        async with connect(address) as connection:
            return await told(connection)

    return asyncio.run(main())


def ending(address: str) -> int | None:
    async def main() -> int | None:
        async with connect(address) as connection:
            with pytest.raises(ConnectionClosed):
                await told(connection)
            return connection.close_code

    return asyncio.run(main())


def test_viewers_and_players_are_told_what_lies_open_and_referees_all(
    store: Store, played: PlayedGame, address: str
) -> None:
    played.play()
    for role, is_staff in (
        (Role.VIEWER, False),
        (Role.PLAYER, False),
        (Role.REFEREE, True),
        (Role.OWNER, True),
    ):
        for path in ("tables/club", f"games/{played.id}"):
            message = first(f"{address}/api/{path}/live?token={secret_of(store, role)}")
            assert ("table" in message["state"] and "flags" in message["state"]) is is_staff, (role, path)
            assert message["state"]["pairs"]["BD"]["letters"] == "K"


def test_whoever_asks_to_be_told_as_somebody_lower_is_and_never_as_somebody_higher(
    store: Store, played: PlayedGame, address: str
) -> None:
    played.play()
    owner, viewer = secret_of(store, Role.OWNER), secret_of(store, Role.VIEWER)
    assert "flags" not in first(f"{address}/api/tables/club/live?as=viewer&token={owner}")["state"]
    assert "flags" not in first(f"{address}/api/tables/club/live?as=owner&token={viewer}")["state"]


def test_a_bad_link_and_a_table_that_is_not_there_end_with_a_code_that_says_so(address: str) -> None:
    assert ending(f"{address}/api/tables/club/live?token=nonsense") == REFUSED
    assert ending(f"{address}/api/tables/attic/live") == GONE
    assert ending(f"{address}/api/games/nothing/live") == GONE


def test_whoever_comes_back_is_told_only_what_was_missed(played: PlayedGame, address: str) -> None:
    async def main() -> list[dict[str, Any]]:
        live = f"{address}/api/tables/club/live"
        async with connect(live) as connection:
            before = await told(connection)
        for event in played.events:
            played.play(event)
        query = f"?epoch={before['epoch']}&since={before['seq']}"
        async with connect(live + query) as connection:
            messages = [await told(connection)]
            while messages[-1].get("patch", {}).get("lines") != len(played.journal):
                messages.append(await told(connection))
            return messages

    messages = asyncio.run(main())
    assert messages[0]["type"] == "resumed"
    assert [message["type"] for message in messages[1:]] == ["delta"] * (len(messages) - 1)
    assert [message["seq"] for message in messages] == [*range(messages[0]["seq"], messages[-1]["seq"] + 1)]


def test_the_state_is_there_for_programs_that_open_no_socket(
    store: Store, played: PlayedGame, serving: Serving
) -> None:
    import httpx  # noqa: PLC0415 - only here

    origin = serving(create_app(Library(store)))
    viewer = secret_of(store, Role.VIEWER)
    answer = httpx.get(f"{origin}/api/tables/club/state", params={"token": viewer})
    assert answer.json()["state"]["game"] == played.id
    overlay = httpx.get(f"{origin}/overlay/club.json", params={"token": secret_of(store, Role.OWNER)})
    assert overlay.json()["state"] == answer.json()["state"]
    assert httpx.get(f"{origin}/overlay/club.json").status_code == 403
    assert httpx.get(f"{origin}/overlay/attic.json", params={"token": viewer}).status_code == 404
    wrong = httpx.get(f"{origin}/overlay/club", params={"token": "nonsense"})
    assert (wrong.status_code, wrong.headers["content-type"]) == (401, "application/json")


def test_the_owner_sets_delay_and_looks_and_nobody_else(store: Store, serving: Serving) -> None:
    import httpx  # noqa: PLC0415 - only here

    origin = serving(create_app(Library(store)))
    for path, good, bad in (
        ("delay", {"delay_ms": 5000}, {"delay_ms": -1}),
        ("overlay", {"theme": "slate"}, {"theme": "mauve"}),
    ):
        address = f"{origin}/api/tables/club/{path}"
        assert httpx.put(address, json=good).status_code == 200
        assert good.items() <= httpx.get(address).json().items()
        assert httpx.put(address, json=bad).status_code == 422
        assert good.items() <= httpx.get(address).json().items()
        referee = {"Authorization": f"Bearer {secret_of(store, Role.REFEREE)}"}
        assert httpx.put(address, json=good, headers=referee).status_code == 403
        assert httpx.put(address.replace("club", "attic"), json=good).status_code == 404


class Telling:
    """An application that tells one stream."""

    def __init__(self, patience_s: float = 0.3) -> None:
        self.stream = Stream()
        self.stream.begin({})
        self.app = FastAPI()

        async def live(websocket: WebSocket) -> None:
            await websocket.accept()
            await tell(
                websocket, self.stream, epoch="", since=-1,
                may_listen=lambda: True, ping_s=0.1, patience_s=patience_s,
            )  # fmt: skip

        self.app.add_api_websocket_route("/live", live)


def stuck_at(port: int) -> socket.socket:
    """A client that has opened a WebSocket and never reads from it."""
    silent = socket.socket()
    silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    silent.connect(("127.0.0.1", port))
    key = b64encode(os.urandom(16)).decode()
    silent.sendall(
        f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return silent


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.01)


def with_stuck(telling: Telling, port: int, work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        with stuck_at(port):
            await until(lambda: telling.stream.followers == 1)
            await work()

    asyncio.run(main())


def test_a_client_that_never_reads_is_let_go_of_and_holds_up_nobody(serving: Serving) -> None:
    telling = Telling()
    origin = serving(telling.app)
    port = int(origin.rsplit(":", 1)[1])

    async def work() -> None:
        async with connect(f"ws://127.0.0.1:{port}/live", max_size=None) as healthy:
            assert (await told(healthy))["type"] == "snapshot"
            for n in range(100):
                telling.stream.show({"n": n, "long": str(n) * 100_000})
                while (message := await told(healthy))["type"] == "ping":
                    pass
                assert message["patch"]["n"] == n
            await until(lambda: telling.stream.followers == 1)

    with_stuck(telling, port, work)


def test_silence_is_filled_with_pings_that_say_how_far_it_is(serving: Serving) -> None:
    telling = Telling()
    telling.stream.show({"n": 1})
    address = serving(telling.app).replace("http", "ws") + "/live"

    async def main() -> list[dict[str, Any]]:
        async with connect(address) as connection:
            await connection.send("what the page sends is read and left alone")
            return [await told(connection) for _ in range(3)]

    snapshot, *pings = asyncio.run(main())
    assert snapshot["seq"] == 1
    assert pings == [{"type": "ping", "seq": 1}] * 2
