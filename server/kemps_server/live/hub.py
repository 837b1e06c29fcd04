"""All feeds of a server: one for each table or game that somebody listens to."""

from __future__ import annotations

import threading
from time import monotonic
from typing import Final

from kemps_server.live.feed import LINGER_S, Feed
from kemps_server.store.store import Store

MOST_SOCKETS: Final = 1000
_TIDY_S: Final = 5.0


class Hub:
    """Gives feeds, and lets go of those that nobody has listened to for a while."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._feeds: dict[tuple[str, str], Feed] = {}
        self._asked: dict[tuple[str, str], float] = {}
        self._tidier: threading.Timer | None = None
        self._is_closed = False

    @property
    def sockets(self) -> int:
        """How many listen to any feed."""
        return sum(feed.listeners for feed in tuple(self._feeds.values()))

    @property
    def is_full(self) -> bool:
        """Whether nobody more may listen."""
        return self.sockets >= MOST_SOCKETS

    def feed(self, game: str) -> Feed:
        """The feed of a stored game; for one that is not there it is empty."""
        return self._feed(("game", game))

    def table(self, table: str) -> Feed:
        """The feed of what is played at a table now, else was played there last."""
        return self._feed(("table", table))

    def close(self) -> None:
        """Let go of all feeds; closing twice does no harm."""
        with self._lock:
            feeds, self._feeds, self._is_closed = tuple(self._feeds.values()), {}, True
            if self._tidier is not None:
                self._tidier.cancel()
        for feed in feeds:
            feed.stop()

    def _feed(self, key: tuple[str, str]) -> Feed:
        with self._lock:
            feed = self._feeds.get(key)
            if feed is None:
                kind, name = key
                feed = Feed(
                    self._store, game=name if kind == "game" else "", table=name if kind == "table" else ""
                )
                feed.start()
                self._feeds[key] = feed
            self._asked[key] = monotonic()
            if self._tidier is None:
                self._plan_tidying()
            return feed

    def _plan_tidying(self) -> None:
        self._tidier = threading.Timer(_TIDY_S, self._tidy)
        self._tidier.daemon = True
        self._tidier.start()

    def _tidy(self) -> None:
        """End the feeds that nobody listens to and nobody has asked for of late."""
        with self._lock:
            now, idle = monotonic(), []
            for key, feed in tuple(self._feeds.items()):
                if feed.listeners:
                    self._asked[key] = now
                elif now - self._asked[key] > LINGER_S:
                    idle.append(self._feeds.pop(key))
                    del self._asked[key]
            self._tidier = None
            if self._feeds and not self._is_closed:
                self._plan_tidying()
        for feed in idle:
            feed.stop()
