"""Tokens: secrets in links and cookies that stand for a role, until they are revoked or run out."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from sqlalchemy import ColumnElement, Select, insert, select

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.schema import tokens, users
from kemps_server.store.users import Role

_SECRET_BYTES: Final = 32
_COLUMNS: Final = (
    tokens.c.id,
    tokens.c.role,
    tokens.c.label,
    tokens.c.user,
    tokens.c.issued_at,
    tokens.c.expires_at,
    tokens.c.revoked_at,
)


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; the secret itself is known to its holder only."""

    id: str
    role: Role
    label: str
    user: str | None
    issued_at: str
    expires_at: str | None
    revoked_at: str | None


class Tokens:
    """The tokens of a store; of a secret only its hash is kept, so that a stolen backup opens nothing."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def issue(
        self, role: Role, label: str, *, user: str | None = None, lasts: timedelta | None = None
    ) -> tuple[Token, str]:
        """A new token and its secret, which is told this once.

        Args:
            role: What its holder may.
            label: What it is for, as a person will know it again.
            user: Whose it is; it goes with its user.
            lasts: How long it holds; until it is revoked when that is not said.

        Raises:
            KempsServerError: There is no such user.
            StoreError: The store refused.
        """
        now = self._clock()
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        token = Token(
            id=secrets.token_hex(6),
            role=role,
            label=label,
            user=user,
            issued_at=stamp(now),
            expires_at=None if lasts is None else stamp(now + lasts),
            revoked_at=None,
        )
        values = {
            "id": token.id,
            "digest": _digest(secret),
            "role": str(role),
            "label": label,
            "user": user,
            "issued_at": token.issued_at,
            "expires_at": token.expires_at,
        }
        with self._database.writing() as connection:
            if user is not None and connection.execute(_named(user)).first() is None:
                raise KempsServerError(f"there is no user {user!r}")
            connection.execute(insert(tokens), values)
        return token, secret

    def find(self, secret: str) -> Token | None:
        """The token with this secret, when it still holds."""
        found = self._tokens(tokens.c.digest == _digest(secret))
        now = stamp(self._clock())
        for token in found:
            if token.revoked_at is None and (token.expires_at is None or now < token.expires_at):
                return token
        return None

    def all(self) -> tuple[Token, ...]:
        """All tokens, also those that hold no more, the oldest first."""
        return self._tokens()

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

    def _tokens(self, *conditions: ColumnElement[bool]) -> tuple[Token, ...]:
        wanted = select(*_COLUMNS).where(*conditions).order_by(tokens.c.issued_at, tokens.c.id)
        with self._database.reading() as connection:
            return tuple(Token(*row[:1], Role(row[1]), *row[2:]) for row in connection.execute(wanted))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _named(user: str) -> Select[str]:
    return select(users.c.name).where(users.c.name == user)
