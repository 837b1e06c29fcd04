"""From a request to its visitor: a token in the address or a header, a cookie, or being at this machine."""

from __future__ import annotations

from typing import Final

from starlette.requests import HTTPConnection

from kemps_server.access.visitor import NOBODY, Visitor
from kemps_server.store.store import Store
from kemps_server.store.users import Role

COOKIE: Final = "kemps_session"
TOKEN: Final = "token"  # noqa: S105 - the name of the parameter
OWNER_HERE: Final = Visitor(Role.OWNER, "owner")
_PASSED_ON: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Gate:
    """Tells who asks; a token that is shown counts alone, so that it gives its role and no more here, too."""

    def __init__(self, store: Store, *, is_home: bool) -> None:
        """``is_home``: only this machine reaches the server, and whoever shows no token is its owner."""
        self._store = store
        self.is_home = is_home

    def visitor(self, connection: HTTPConnection) -> Visitor:
        """Who sends this request or opens this socket.

        Raises:
            StoreError: The store cannot be read.
        """
        shown = connection.query_params.get(TOKEN) or _bearer(connection.headers.get("authorization", ""))
        if shown:
            return self._holder(shown)
        session = connection.cookies.get(COOKIE)
        if session and (known := self._holder(session)) is not NOBODY:
            return known
        # What a proxy on this machine passes on comes from anywhere.
        is_here = self.is_home and not any(name in connection.headers for name in _PASSED_ON)
        return OWNER_HERE if is_here else NOBODY

    def still_admits(self, visitor: Visitor) -> bool:
        """Whether a visitor who came before is still who they were: for sockets that stay open for long.

        Raises:
            StoreError: The store cannot be read.
        """
        return not visitor.token or self._store.tokens.holds(visitor.token)

    def _holder(self, secret: str) -> Visitor:
        token = self._store.tokens.find(secret)
        return NOBODY if token is None else Visitor(token.role, token.user or token.label, token.id)


def _bearer(header: str) -> str:
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
