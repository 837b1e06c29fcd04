"""Who may log in, and as what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from sqlalchemy import Connection, Row, insert, select
from sqlalchemy.exc import IntegrityError

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.passwords import hash_password, is_password
from kemps_server.store.schema import tokens, users

# What steers a terminal, halves of characters, and what would be another address.
_ODD: Final = "\x00-\x1f\x7f\ud800-\udfff/\\\\"
_NAME: Final = re.compile(rf"[^\s{_ODD}](?:[^{_ODD}]{{0,58}}[^\s{_ODD}])?")


class Role(StrEnum):
    """What a person may see and do; each may all that those before it may."""

    VIEWER = "viewer"
    PLAYER = "player"
    REFEREE = "referee"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class User:
    """A person who can log in."""

    name: str
    role: Role
    added_at: str


class Users:
    """The users of a store. Passwords are kept as salted hashes and leave it in no form."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, name: str, role: Role, password: str) -> User:
        """A new user.

        Raises:
            KempsServerError: The name is taken or is none, or the password is too short.
            StoreError: The store refused.
        """
        if not _NAME.fullmatch(name) or not name.strip(".") or not name.isprintable():
            raise KempsServerError(
                f"{name!r} cannot name a user; at most 60 characters, no slash, not blank at its ends, "
                "nothing invisible"
            )
        user = User(name, role, stamp(self._clock()))
        values = {
            "name": name,
            "role": str(role),
            "password": hash_password(password),
            "added_at": user.added_at,
        }
        with self._database.writing() as connection:
            try:
                connection.execute(insert(users), values)
            except IntegrityError:
                raise KempsServerError(f"there is a user {name!r} already") from None
        return user

    def log_in(self, name: str, password: str) -> User | None:
        """The user, when this is the password; it takes as long when there is no such user."""
        row = self._row(name) if _NAME.fullmatch(name) else None
        is_right = is_password(password, _nobodys() if row is None else row[2])
        return User(name, Role(row[0]), row[1]) if row is not None and is_right else None

    def find(self, name: str) -> User | None:
        """The user of this name, or None."""
        return next((user for user in self.all() if user.name == name), None)

    def has_owner(self) -> bool:
        """Whether anybody can log in as the owner."""
        return any(user.role is Role.OWNER for user in self.all())

    def all(self) -> tuple[User, ...]:
        """All users, by name."""
        wanted = select(users.c.name, users.c.role, users.c.added_at).order_by(users.c.name)
        with self._database.reading() as connection:
            return tuple(User(name, Role(role), at) for name, role, at in connection.execute(wanted))

    def set_password(self, name: str, password: str, *, keep: str = "") -> None:
        """Give a user another password; their sessions end, but for the one with the id ``keep``.

        Raises:
            KempsServerError: There is no such user, or the password is too short.
        """
        digest = hash_password(password)
        theirs = (tokens.c.user == name) & (tokens.c.kind == "session") & (tokens.c.id != keep)
        with self._database.writing() as connection:
            _change(connection, name, password=digest)
            connection.execute(tokens.delete().where(theirs))

    def set_role(self, name: str, role: Role) -> None:
        """Give a user another role.

        Raises:
            KempsServerError: There is no such user.
        """
        with self._database.writing() as connection:
            _change(connection, name, role=str(role))

    def remove(self, name: str) -> None:
        """Forget a user and all tokens that are theirs; nothing happens when there is none."""
        with self._database.writing() as connection:
            connection.execute(users.delete().where(users.c.name == name))

    def _row(self, name: str) -> Row[str, str, str] | None:
        wanted = select(users.c.role, users.c.added_at, users.c.password).where(users.c.name == name)
        with self._database.reading() as connection:
            return connection.execute(wanted).first()


def _change(connection: Connection, name: str, **values: str) -> None:
    done = connection.execute(users.update().where(users.c.name == name).values(**values))
    if not done.rowcount:
        raise KempsServerError(f"there is no user {name!r}")


@cache
def _nobodys() -> str:
    return hash_password("nobody has this password")
