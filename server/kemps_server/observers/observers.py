"""All observers of a server: started and stopped by people, and gone on with after the server's restart."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from kemps_rules.events import GameClosed
from kemps_server.errors import KempsServerError
from kemps_server.observers.calling import is_closed
from kemps_server.observers.clock import at_ms_now
from kemps_server.observers.holding import HoldWatch
from kemps_server.observers.opening import begin_game
from kemps_server.observers.supervised import Observed, ObserverState, Patience, Supervised
from kemps_server.store.sittings import Sitting
from kemps_server.store.store import Store
from kemps_server.store.tables import TableRecord
from kemps_vision.sources import kind_of

Command = Callable[[Path, str, str], Sequence[str]]
"""What watches a game: of a data folder, a game and a table."""

WATCHED: Final = "watched"  # in a table's settings: whether its game is to be watched, also after a restart

_log = logging.getLogger(__name__)


def observer_command(root: Path, game: str, table: str) -> list[str]:
    """The real one."""
    return [sys.executable, "-m", "kemps_server.observers", str(root), game, table]


class Observers:
    """The observers of a store's tables, each a process of its own; safe for use from several threads."""

    def __init__(
        self, store: Store, *, command: Command = observer_command, patience: Patience | None = None
    ) -> None:
        self._store = store
        self._command = command
        self._patience = patience or Patience()
        self._running: dict[str, Supervised] = {}
        self._lock = threading.RLock()
        self.holding = HoldWatch(store)

    def resume(self) -> None:
        """Go on with what was watched when the server ended, however it did."""
        self.holding.start()
        for table in self._store.tables.all():
            sitting = self._store.sittings.current(table.name)
            if sitting is not None and table.settings.get(WATCHED) is True:
                with self._lock:
                    self._watch(table, sitting.game, is_resumed=True)

    def start(self, name: str, *, title: str = "", consent: str = "") -> str:
        """The game that is watched at the table now: the one that sits there, else a new one.

        Raises:
            KempsServerError: There is no such table, or it has no camera.
            ConfigError: Its configuration makes no sense.
            HouseError: Its rules do not exist.
            StoreError: The store refused.
        """
        with self._lock:
            table = self._found(name)
            known = self._running.get(name)
            sitting = self._store.sittings.current(name)
            if known is not None and known.is_kept and sitting is not None:
                return sitting.game
            if table.parsed.table_camera.source is None:
                raise KempsServerError(f"table {name} has no camera yet; choose one on its set-up page")
            is_new = sitting is None
            game = begin_game(self._store, table, title=title, consent=consent).id if is_new else ""
            game = game if sitting is None else sitting.game
            self._store.tables.set_settings(name, **{WATCHED: True})
            self._watch(table, game, is_resumed=not is_new)
            return game

    def stop(self, name: str, *, timeout_s: float = 0.0) -> None:
        """Stop watching a table; its game stays open, and can be gone on with.

        Raises:
            KempsServerError: There is no such table.
        """
        with self._lock:
            self._found(name)
            self._store.tables.set_settings(name, **{WATCHED: False})
            known = self._running.get(name)
        if known is not None:
            known.stop()
            if timeout_s:
                known.wait(timeout_s)

    def end(self, name: str, *, is_released: bool) -> str:
        """The game that sat at the table and is over now.

        Args:
            name: The table's.
            is_released: Whether its owner agrees that what was secret may be told; only then it is closed.

        Raises:
            KempsServerError: There is no such table, or nothing is played there.
            StoreError: The store refused.
        """
        self._found(name)
        sitting = self._store.sittings.current(name)
        if sitting is None:
            raise KempsServerError(f"nothing is played at table {name}")
        self.stop(name, timeout_s=self._patience.stop + 2)
        if is_released:
            self.release(sitting.game)
        self._store.sittings.end(sitting.game)
        return sitting.game

    def release(self, game: str) -> None:
        """What was secret in a game may be told from now on: ``game_closed`` stands in its journal, once.

        Raises:
            KempsServerError: There is no such game.
        """
        journal = self._store.games.journal(game)
        if not is_closed(journal):
            latest = max((line.event.at_ms for line in journal.read() if not line.is_blank), default=0)
            try:
                at_ms = at_ms_now(self._store.folder.beside(game))
            except KempsServerError:
                at_ms = latest
            journal.append(GameClosed(at_ms=max(at_ms, latest)))

    def observed(self, name: str) -> Observed:
        """How the observer of a table does; one that was never started is off."""
        with self._lock:
            known = self._running.get(name)
        if known is not None:
            return known.observed
        return Observed(
            state=ObserverState.OFF,
            game="",
            pid=None,
            restarts=0,
            reason="",
            status=None,
            heard_s=None,
            notes=(),
        )

    def sitting(self, name: str) -> Sitting | None:
        """What is played at a table, or was last."""
        return self._store.sittings.latest(name)

    def close(self) -> None:
        """End all of them; their games are gone on with when the server is there again."""
        self.holding.close()
        with self._lock:
            running = list(self._running.items())
        for _, one in running:
            one.stop()
        for table, one in running:
            if not one.wait(self._patience.stop + 5):
                _log.error("the observer of table %s does not end", table)

    def _watch(self, table: TableRecord, game: str, *, is_resumed: bool) -> None:
        known = self._running.get(table.name)
        if known is not None:
            known.stop()
        command = self._command(self._store.folder.root, game, table.name)
        # A camera may be slower than the server after the machine has started; a file is there or is not.
        is_file = kind_of(table.parsed.table_camera.source or "") == "file"
        self._running[table.name] = Supervised(
            game, command, patience=self._patience, is_resumed=is_resumed and not is_file
        )

    def _found(self, name: str) -> TableRecord:
        table = self._store.tables.find(name)
        if table is None:
            raise KempsServerError(f"there is no table {name!r}; the page / lists them")
        return table
