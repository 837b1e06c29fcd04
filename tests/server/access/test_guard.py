"""Names, origins, sizes, headers and failures, whatever the routes do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from starlette.responses import StreamingResponse

from kemps_server.access.bodies import MOST_BYTES
from kemps_server.access.guard import Guard
from kemps_server.access.hosts import Hosts

OWN = {"host": "127.0.0.1:8000"}


def app_behind_guard() -> FastAPI:
    app = FastAPI()
    app.add_middleware(Guard, hosts=Hosts(is_home=True))

    @app.get("/page")
    @app.post("/page")
    async def page() -> dict[str, str]:
        return {"said": "hello"}

    @app.post("/body")
    async def body(data: dict[str, Any]) -> int:
        return len(data)

    @app.get("/fail")
    def fail() -> None:
        raise ValueError("the queen of Anna's hand")

    @app.get("/half")
    async def half() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"begun"
            raise ValueError("the queen of Anna's hand")

        return StreamingResponse(parts())

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("hello")
        await socket.close()

    return app


def ask(method: str, path: str, headers: dict[str, str] | None = None, **options: Any) -> httpx.Response:  # noqa: ANN401
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app_behind_guard())
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            return await client.request(method, path, headers=headers, **options)

    return asyncio.run(asked())


Sent = list[MutableMapping[str, Any]]


def messages_for(scope: dict[str, Any], *received: dict[str, Any]) -> Sent:
    """What the server sends to a connection, message by message."""
    sent: Sent = []
    messages = iter(received)

    async def receive() -> MutableMapping[str, Any]:
        return next(messages)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app_behind_guard()(scope, receive, send))
    return sent


def open_socket(**headers: str) -> Sent:
    """What the server sends to somebody who opens /live."""
    told = {**OWN, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "websocket",
        "scheme": "ws",
        "path": "/live",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in told.items()],
        "subprotocols": [],
    }
    return messages_for(scope, {"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000})


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.168.1.5", "", "a b", "[::1"])
def test_a_name_that_is_not_ours_is_not_answered(host: str) -> None:
    answer = ask("GET", "/page", {"host": host})
    assert answer.status_code == 400
    assert "--public-name" in answer.json()["detail"]


def test_two_names_at_once_are_not_answered() -> None:
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app_behind_guard())
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            return await client.get("/page", headers=[("host", "127.0.0.1"), ("host", "evil.example")])

    assert asyncio.run(asked()).status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9000"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "http://127.0.0.1:8000/path"},
        {"origin": "http://[::1"},
    ],
)
def test_an_act_that_another_site_sends_is_refused(headers: dict[str, str]) -> None:
    assert ask("POST", "/page", headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{}, {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}],
)
def test_our_own_pages_and_programs_may_act(headers: dict[str, str]) -> None:
    assert ask("POST", "/page", headers).json() == {"said": "hello"}


def test_another_site_may_link_to_a_page_but_not_load_it_into_its_own() -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert ask("GET", "/page", link).status_code == 200
    assert ask("GET", "/page", link | {"sec-fetch-dest": "iframe"}).status_code == 403
    assert ask("GET", "/page", link | {"sec-fetch-mode": "no-cors"}).status_code == 403
    assert ask("POST", "/page", link).status_code == 403


def test_a_socket_opens_for_our_own_pages_and_programs_only() -> None:
    opened = ["websocket.accept", "websocket.send", "websocket.close"]
    assert [message["type"] for message in open_socket()] == opened
    assert [message["type"] for message in open_socket(origin="http://127.0.0.1:8000")] == opened
    for refused in (
        open_socket(origin="http://evil.example"),
        open_socket(origin="http://127.0.0.1:8000", sec_fetch_site="cross-site"),
        open_socket(host="evil.example"),
    ):
        assert [(message["type"], message["code"]) for message in refused] == [("websocket.close", 1008)]


def test_a_body_that_is_too_long_is_refused_also_without_a_length() -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b'{"a": "'
        for _ in range(30):
            yield b"x" * (MOST_BYTES // 20)
        yield b'"}'

    assert ask("POST", "/body", json={"a": 1}).json() == 1
    assert ask("POST", "/body", {"content-length": str(MOST_BYTES + 1)}, content=b"").status_code == 413
    assert ask("POST", "/body", {"content-length": "9" * 5000}, content=b"").status_code == 413
    answer = ask("POST", "/body", {"content-type": "application/json"}, content=endless())
    assert (answer.status_code, answer.json()["code"]) == (413, "too_long")


def test_each_answer_says_that_it_is_not_to_be_framed_kept_or_read_elsewhere() -> None:
    for answer in (ask("GET", "/page"), ask("GET", "/nothing"), ask("GET", "/fail"), ask("POST", "/nothing")):
        headers = answer.headers
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert not any(name.startswith("access-control-") for name in headers)


def test_a_failure_tells_a_client_nothing_and_the_log_where_but_not_with_what(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = ask("GET", "/fail")
        half = messages_for(
            {
                "type": "http",
                "method": "GET",
                "path": "/half",
                "query_string": b"",
                "headers": [(b"host", b"127.0.0.1")],
            },
            {"type": "http.request", "body": b"", "more_body": False},
            {"type": "http.disconnect"},
        )
    assert answer.status_code == 500
    assert answer.text.count("\n") == 1
    assert [message.get("body", b"") for message in half] == [b"", b"begun"]
    told = caplog.text + answer.text
    assert "queen" not in told
    assert "ValueError in /fail: fail (" in caplog.text
    assert "/half" in caplog.text
