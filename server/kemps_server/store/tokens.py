"""Tokens: secrets in links and cookies that stand for a role, until they are revoked or run out.

A *link* is made by the owner for somebody and holds until it is revoked, or for as long as was said. A
*session* is what a login gives: its role is its user's, it ends when it is not used for ``IDLE``, after
``LONGEST`` in any case, and with its user's password.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Final

from sqlalchemy import ColumnElement, Connection, Select, insert, select

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.schema import tokens, users
from kemps_server.store.users import Role, User

IDLE: Final = timedelta(hours=12)
LONGEST: Final = timedelta(days=7)
_SEEN_EVERY: Final = timedelta(minutes=5)  # a write to the disk for each request would be too many
_SECRET_BYTES: Final = 32


class Kind(StrEnum):
    """How somebody came by a token."""

    LINK = "link"
    SESSION = "session"


_COLUMNS: Final = (
    tokens.c.id,
    tokens.c.role,
    tokens.c.label,
    tokens.c.user,
    tokens.c.issued_at,
    tokens.c.expires_at,
    tokens.c.revoked_at,
    tokens.c.kind,
    tokens.c.seen_at,
    tokens.c.leads_to,
    users.c.role,
)


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; the secret itself is known to its holder only.

    ``seen_at`` is a session's last use, a few minutes exact; ``leads_to`` the page that a link was made for.
    """

    id: str
    role: Role
    label: str
    user: str | None
    issued_at: str
    expires_at: str | None
    revoked_at: str | None
    kind: Kind = Kind.LINK
    seen_at: str | None = None
    leads_to: str = ""


class Tokens:
    """The tokens of a store; of a secret only its hash is kept, so that a stolen backup opens nothing."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def issue(
        self,
        role: Role,
        label: str,
        *,
        user: str | None = None,
        lasts: timedelta | None = None,
        leads_to: str = "",
    ) -> tuple[Token, str]:
        """A new link and its secret, which is told this once.

        Args:
            role: What its holder may.
            label: What it is for, as a person will know it again.
            user: Whose it is; it goes with its user.
            lasts: How long it holds; until it is revoked when that is not said.
            leads_to: The page it was made for.

        Raises:
            KempsServerError: There is no such user.
            StoreError: The store refused.
        """
        now = self._clock()
        ends = None if lasts is None else stamp(now + lasts)
        token = Token(_new_id(), role, label, user, stamp(now), ends, None, Kind.LINK, None, leads_to)
        return token, self._write(token)

    def open_session(self, user: User) -> tuple[Token, str]:
        """What a login gives: a session of its user, and its secret. Sessions that ran out are forgotten.

        Raises:
            KempsServerError: The user is gone.
            StoreError: The store refused.
        """
        now = self._clock()
        issued, ends = stamp(now), stamp(now + LONGEST)
        token = Token(
            _new_id(), user.role, "session", user.name, issued, ends, None, Kind.SESSION, seen_at=issued
        )
        with self._database.writing() as connection:
            is_over = (tokens.c.expires_at <= issued) | (tokens.c.seen_at <= stamp(now - IDLE))
            connection.execute(tokens.delete().where(tokens.c.kind == str(Kind.SESSION), is_over))
        return token, self._write(token)

    def find(self, secret: str) -> Token | None:
        """The token with this secret, when it still holds."""
        now = self._clock()
        for token in self._tokens(tokens.c.digest == _digest(secret)):
            if _holds(token, now):
                self._note_use(token, now)
                return token
        return None

    def holds(self, token: str) -> bool:
        """Whether the token with this id still opens anything; asking is no use of it."""
        now = self._clock()
        return any(_holds(found, now) for found in self._tokens(tokens.c.id == token))

    def links(self) -> tuple[Token, ...]:
        """All links, also those that hold no more, the oldest first."""
        return self._tokens(tokens.c.kind == str(Kind.LINK))

    def all(self) -> tuple[Token, ...]:
        """All tokens, links and sessions, also those that hold no more, the oldest first."""
        return self._tokens()

    def end_sessions(self, user: str, *, but: str = "") -> int:
        """Log a user out everywhere, or everywhere but in the session with the id ``but``; how many ended."""
        with self._database.writing() as connection:
            return end_sessions_within(connection, user, but=but)

    def end_session(self, token: str) -> None:
        """Log out of one session; nothing happens when there is none with this id."""
        is_this = (tokens.c.id == token) & (tokens.c.kind == str(Kind.SESSION))
        with self._database.writing() as connection:
            connection.execute(tokens.delete().where(is_this))

    def revoke(self, token: str) -> None:
        """From now on the token with this id opens nothing; when it was revoked before stays noted.

        Raises:
            KempsServerError: There is no such token.
        """
        with self._database.writing() as connection:
            if connection.execute(select(tokens.c.id).where(tokens.c.id == token)).first() is None:
                raise KempsServerError(f"there is no token {token!r}")
            still = (tokens.c.id == token) & tokens.c.revoked_at.is_(None)
            connection.execute(tokens.update().where(still).values(revoked_at=stamp(self._clock())))

    def _write(self, token: Token) -> str:
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        values = {
            "id": token.id,
            "digest": _digest(secret),
            "role": str(token.role),
            "label": token.label,
            "user": token.user,
            "issued_at": token.issued_at,
            "expires_at": token.expires_at,
            "kind": str(token.kind),
            "seen_at": token.seen_at,
            "leads_to": token.leads_to,
        }
        with self._database.writing() as connection:
            if token.user is not None and connection.execute(_named(token.user)).first() is None:
                raise KempsServerError(f"there is no user {token.user!r}")
            connection.execute(insert(tokens), values)
        return secret

    def _note_use(self, token: Token, now: datetime) -> None:
        if token.kind is Kind.SESSION and (token.seen_at or "") < stamp(now - _SEEN_EVERY):
            with self._database.writing() as connection:
                seen = tokens.update().where(tokens.c.id == token.id).values(seen_at=stamp(now))
                connection.execute(seen)

    def _tokens(self, *conditions: ColumnElement[bool]) -> tuple[Token, ...]:
        joined = tokens.outerjoin(users, tokens.c.user == users.c.name)
        wanted = select(*_COLUMNS).select_from(joined).where(*conditions)
        with self._database.reading() as connection:
            rows = connection.execute(wanted.order_by(tokens.c.issued_at, tokens.c.id)).all()
        return tuple(_token(*row) for row in rows)


def end_sessions_within(connection: Connection, user: str, *, but: str = "") -> int:
    """As ``Tokens.end_sessions``, in a transaction that does more than this."""
    theirs = (tokens.c.user == user) & (tokens.c.kind == str(Kind.SESSION)) & (tokens.c.id != but)
    return connection.execute(tokens.delete().where(theirs)).rowcount


def _token(  # noqa: PLR0913, PLR0917 - a row
    number: str,
    role: str,
    label: str,
    user: str | None,
    issued_at: str,
    expires_at: str | None,
    revoked_at: str | None,
    kind: str,
    seen_at: str | None,
    leads_to: str,
    users_role: str | None,
) -> Token:
    is_session = kind == Kind.SESSION
    now_role = Role(users_role if is_session and users_role else role)
    return Token(
        number, now_role, label, user, issued_at, expires_at, revoked_at, Kind(kind), seen_at, leads_to
    )


def _holds(token: Token, now: datetime) -> bool:
    is_idle = token.kind is Kind.SESSION and (token.seen_at or "") <= stamp(now - IDLE)
    is_over = token.expires_at is not None and token.expires_at <= stamp(now)
    return token.revoked_at is None and not is_idle and not is_over


def _new_id() -> str:
    return secrets.token_hex(6)


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _named(user: str) -> Select[str]:
    return select(users.c.name).where(users.c.name == user)
