"""Logging in: a name and a password for a session, at a pace that makes guessing slow."""

from __future__ import annotations

import logging
import threading
from typing import Final

from kemps_server.access.throttle import Throttle
from kemps_server.errors import KempsServerError
from kemps_server.store.store import Store
from kemps_server.store.tokens import Token
from kemps_server.store.users import User

_AT_ONCE: Final = 2  # passwords that are hashed at the same time: each takes 32 MiB and a core
_PATIENCE_S: Final = 10.0

_log = logging.getLogger(__name__)


class TooManyAttemptsError(KempsServerError):
    """Nobody looks at a password from there for the next ``wait_s`` seconds."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(f"too many attempts; try again in {wait_s} s")
        self.wait_s = wait_s


class Logins:
    """Who may log in to a store."""

    def __init__(self, store: Store, throttle: Throttle | None = None) -> None:
        self._store = store
        self._throttle = throttle or Throttle()
        self._places = threading.BoundedSemaphore(_AT_ONCE)

    def log_in(self, name: str, password: str, address: str) -> tuple[Token, str] | None:
        """A session and its secret, or None when name and password do not belong together.

        Raises:
            TooManyAttemptsError: It was tried too often.
            StoreError: The store refused.
        """
        user = self._known(name, password, address)
        return None if user is None else self._store.tokens.open_session(user)

    def set_password(self, name: str, old: str, new: str, address: str, *, keep: str) -> bool:
        """Whether the user's password is ``new`` from now on: only who knows the old one may change it.

        Args:
            name: The user.
            old: The password that holds.
            new: The one to hold.
            address: Where they are.
            keep: The id of the session that goes on; all others of the user end.

        Raises:
            TooManyAttemptsError: It was tried too often.
            KempsServerError: The new one is too short.
            StoreError: The store refused.
        """
        if self._known(name, old, address) is None:
            return False
        self._store.users.set_password(name, new, keep=keep)
        return True

    def _known(self, name: str, password: str, address: str) -> User | None:
        if wait_s := self._throttle.attempt(name, address):
            raise TooManyAttemptsError(wait_s)
        if not self._places.acquire(timeout=_PATIENCE_S):
            raise TooManyAttemptsError(round(_PATIENCE_S))
        try:
            user = self._store.users.log_in(name, password)
        finally:
            self._places.release()
        if user is None:
            _log.warning("a login failed")
        else:
            self._throttle.succeeded(name, address)
        return user
