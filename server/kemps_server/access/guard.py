"""What stands before all routes: names, origins and sizes are checked, answers made safe, failures brief."""

from __future__ import annotations

import logging
import traceback
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kemps_server.access.bodies import CountedBody, limit_of
from kemps_server.access.headers import make_safe
from kemps_server.access.hosts import Hosts
from kemps_server.access.origins import objection
from kemps_server.access.refusals import refused_before

_log = logging.getLogger(__name__)

_POLICY_VIOLATED: Final = 1008  # RFC 6455: the close code of a socket that is refused
_UNKNOWN_NAME: Final = (
    "the server does not know this name of itself; open it by its address, or name it with --public-name"
)
_TOO_LONG: Final = "that is more than {most} bytes; send less"
_FAILED: Final = "the server failed at this; what was stored is kept, and its log says where it failed"


class Guard:
    """An ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, *, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application answer it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        code, reason = self._objection(scope)
        if reason:
            await answer.refuse(code, reason)
            return
        body = CountedBody(receive, limit_of(scope["path"])) if scope["type"] == "http" else None
        answer.body = body
        try:
            await self._app(scope, body or receive, answer)
        except Exception as error:  # noqa: BLE001 - the edge: nothing of it may reach a client
            _tell(scope, error)
            await answer.refuse(500, _FAILED)

    def _objection(self, scope: Scope) -> tuple[int, str]:
        headers = Headers(scope=scope)
        told = headers.getlist("host")
        if len(told) != 1 or not self._hosts.answers(told[0]):
            return 400, _UNKNOWN_NAME
        method = str(scope.get("method", "WEBSOCKET"))
        if reason := objection(headers, method=method, scheme=str(scope.get("scheme", "http"))):
            return 403, reason
        most = limit_of(scope["path"])
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > most:
            return 413, _TOO_LONG.format(most=most)
        return 0, ""


class _Answer:
    """What goes back for one request, made safe on its way."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._is_begun = False
        self.body: CountedBody | None = None

    async def __call__(self, message: Message) -> None:
        """Pass a message of the application on."""
        if message["type"] in {"http.response.start", "websocket.accept", "websocket.close"}:
            if self.body is not None and self.body.is_too_long and not self._is_begun:
                await self.refuse(413, _TOO_LONG.format(most=limit_of(self._scope["path"])))
                return
            self._is_begun = True
            if message["type"] == "http.response.start":
                make_safe(MutableHeaders(scope=message))
        elif self.body is not None and self.body.is_too_long:
            return
        await self._send(message)

    async def refuse(self, status: int, reason: str) -> None:
        """Answer in one line, unless something else was answered before."""
        if self._is_begun:
            return
        self._is_begun = True
        if self._scope["type"] == "websocket":
            await self._send({"type": "websocket.close", "code": _POLICY_VIOLATED, "reason": reason[:120]})
            return
        answer = refused_before(self._scope, status, reason)
        start: Message = {"type": "http.response.start", "status": status, "headers": answer.raw_headers}
        make_safe(MutableHeaders(scope=start))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": answer.body})


def _tell(scope: Scope, error: Exception) -> None:
    """Log where it failed, not with what: a message may hold a name or a card."""
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in reversed(frames[-6:]))
    route = scope.get("route")
    _log.error("%s in %s: %s", type(error).__name__, getattr(route, "path", "a request"), where)
