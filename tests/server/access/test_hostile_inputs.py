"""What no honest client sends: each is refused in one line, and the server goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from tests.server.access.conftest import Asker

from kemps_server.app import create_app
from kemps_server.library import Library
from kemps_server.listening import listening
from kemps_server.store.store import Store

TABLE = '[[camera]]\nname = "table"\nrole = "table"\n'
JSON = {"content-type": "application/json"}
ADDRESSES = [
    ("POST", "/api/session"),
    ("POST", "/api/users"),
    ("POST", "/api/links"),
    ("PUT", "/api/settings"),
    ("PUT", "/api/tables/one/delay"),
    ("PUT", "/api/games/thursday/keeping"),
    ("POST", "/api/people/forget"),
    ("POST", "/api/games/thursday/decisions"),
    ("POST", "/api/tables/one/calls"),
    ("PUT", "/api/tables/one"),
]
BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"\xff\xfe\x00",
    b"[" * 200_000,
    b'{"a":' * 100_000,
    b'{"delay_ms": ' + b"9" * 5000 + b"}",
    b'{"delay_ms": NaN, "video_days": Infinity, "seat": -Infinity}',
    b'{"name": "\\ud800", "password": "\\ud800", "role": "owner", "label": "\\ud800", "consent": "\\ud800"}',
    b'{"__proto__": {"role": "owner"}, "constructor": 1}',
]
NOWHERE = [
    "/static/..%2f..%2f..%2fapp.py",
    "/static/%2e%2e%2fapp.py",
    "/static/..%5capp.py",
    "/static/%2fetc%2fpasswd",
    "/static/site.css%00.js",
    "/games/..%2fkept%2fkemps.sqlite",
    "/games/%2e%2e%2f%2e%2e",
    "/games/x%00",
    "/games/%c0%ae%c0%ae",
    "/games/" + "x" * 4000,
    "/players/..%2f..%2fx",
    "/tables/%3Cscript%3E",
    "/api/tables/..%2f..%2fx",
    "/api/games/..%2fvideo/film",
    "/api/games/thursday/evidence/..%2f..%2fkemps.sqlite",
    "/api/games/thursday/evidence/%2e%2e%2fgame.jsonl",
    "/api/games/thursday/film/..%2f../frame?at_ms=0",
    "/api/games/thursday/film/table/frame?at_ms=99999999999999999999999",
    "/api/games/thursday/film/table/frame?at_ms=-1",
    "/api/games/thursday/incidents/..%2f1",
    "/overlay/..%2fone",
]


@pytest.fixture
def owner(home: Asker, store: Store, game_text: str) -> Asker:
    store.games.take_in("Thursday", game_text.encode())
    store.tables.save("one", TABLE)
    return home


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_a_body_that_makes_no_sense_is_one_line(owner: Asker, method: str, address: str) -> None:
    for body in BODIES:
        answer = owner.ask(method, address, content=body, headers=JSON)
        assert answer.status_code in {400, 401, 404, 409, 413, 422}, body[:40]
        assert isinstance(answer.json()["detail"], str), body[:40]
        assert "Traceback" not in answer.text
        assert "\n" not in answer.text.removesuffix("\n")
    assert owner.get("/settings", headers={"accept": "text/html"}).status_code == 200


def test_an_address_that_leads_nowhere_is_one_line(owner: Asker) -> None:
    for path in NOWHERE:
        answer = owner.get(path)
        assert answer.status_code in {403, 404, 409, 422}, (path, answer.text[:200])
        assert isinstance(answer.json()["detail"], str), path
        assert b"SQLite format" not in answer.content, path


def test_odd_values_of_query_and_cookies_change_nothing(owner: Asker) -> None:
    for query in ("lang=%00", "lang=../../x", "token=%ff%00", "token=" + "x" * 5000, "next=//evil.example"):
        assert owner.get(f"/login?{query}").status_code in {200, 401}, query
    for cookie in ("kemps_session=", "kemps_session=%00;;", "kemps_session=" + "x" * 3000, "=;="):
        answer = owner.get("/api/session", headers={"cookie": cookie})
        assert answer.json()["role"] == "owner", cookie
    for header in ("Bearer", "Bearer \xff", "Basic x", "bearer  "):
        assert owner.get("/api/session", headers={"authorization": header.encode("latin-1")}).is_success


@pytest.fixture
def port(store: Store) -> Iterator[int]:
    app = create_app(Library(store))
    listener = listening()
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", ws_max_size=65_536)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


async def said(port: int, raw: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw)
    answer = await asyncio.wait_for(reader.read(65_536), 20)
    writer.close()
    return answer


@pytest.mark.parametrize(
    "raw",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_a_broken_request_is_refused_and_the_next_one_answered(port: int, raw: bytes) -> None:
    answer = asyncio.run(said(port, raw))
    assert answer.startswith(b"HTTP/1.1 4")
    fine = asyncio.run(said(port, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
    assert fine.startswith(b"HTTP/1.1 200")
