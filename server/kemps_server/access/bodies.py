"""How much a client may send: a body that is longer is refused before anybody reads it whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.types import Message, Receive

MOST_BYTES: Final = 1_000_000
"""For addresses that name no other limit; a table.toml or a long note is a hundredth of it."""
LIMITS: Final[Mapping[str, int]] = {"/login": 10_000, "/api/session": 10_000}


def limit_of(path: str) -> int:
    """How many bytes may be sent to an address."""
    return LIMITS.get(path, MOST_BYTES)


class CountedBody:
    """The body of one request as it comes in; beyond its limit it ends as if the client had gone."""

    def __init__(self, receive: Receive, most_bytes: int) -> None:
        self._receive = receive
        self._most = most_bytes
        self._count = 0
        self.is_too_long = False

    async def __call__(self) -> Message:
        """The next message from the client."""
        if self.is_too_long:
            return {"type": "http.disconnect"}
        message = await self._receive()
        if message["type"] == "http.request":
            self._count += len(message.get("body", b""))
            if self._count > self._most:
                self.is_too_long = True
                return {"type": "http.disconnect"}
        return message
