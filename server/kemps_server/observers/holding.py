"""Recordings that a referee holds: the video round a flag is never deleted, for space or by age."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Final

from kemps_rules.events import Event, Reviewed
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.recording.disk import HELD, HeldSpan, hold, spans_in
from kemps_server.recording.recorder import AFTER_CALL_MS, BEFORE_CALL_MS
from kemps_server.store.store import Store

LOOK_S: Final = 1.0

_log = logging.getLogger(__name__)


def held_by(event: Event, events: Mapping[int, Event]) -> HeldSpan | None:
    """The span that a referee's decision holds, ``events`` being the journal by line; None for any other."""
    if not isinstance(event, Reviewed) or event.decision != "hold":
        return None
    about = [events[line] for line in event.events if line in events]
    if not about:
        return None
    first = min(one.at_ms for one in about)
    last = max(getattr(one, "until_ms", None) or one.at_ms for one in about)
    lines = ",".join(str(line + 1) for line in event.events)
    return HeldSpan(max(0, first - BEFORE_CALL_MS), last + AFTER_CALL_MS, f"hold {event.rule} {lines}")


def keep_held(store: Store, game: str) -> int:
    """Hold the recording round each flag that a referee ever put on hold; how many spans were new.

    Call it before anything of a game's recording is deleted.

    Raises:
        KempsServerError: There is no such game.
        StoreError: The store cannot be read.
        OSError: ``held.jsonl`` cannot be read or written.
    """
    lines = [line for line in store.games.journal(game).read() if not line.is_blank]
    events = {line.number: line.event for line in lines}
    spans = [span for event in events.values() if (span := held_by(event, events)) is not None]
    folder = store.folder.beside(game)
    known = spans_in(folder / HELD) if spans else ()
    new = [span for span in dict.fromkeys(spans) if span not in known]
    for span in new:
        folder.mkdir(parents=True, exist_ok=True)
        hold(folder, span)
    return len(new)


class HoldWatch:
    """Heeds decisions to hold in the games that sit at tables, or sat there last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: dict[str, int] = {}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="held recordings", daemon=True)

    def start(self) -> None:
        """From now on, in a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """No more."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join(5.0)

    def look(self) -> None:
        """Hold what has been decided since it looked last."""
        for table in self._store.tables.all():
            sitting = self._store.sittings.latest(table.name)
            if sitting is None:
                continue
            journal = self._store.games.journal(sitting.game)
            seen = self._seen.get(sitting.game, 0)
            new = journal.read(seen)
            self._seen[sitting.game] = seen + len(new)
            if any('"reviewed"' in line.text for line in new):
                keep_held(self._store, sitting.game)

    def _run(self) -> None:
        while not self._is_over.wait(LOOK_S):
            try:
                self.look()
            except (StoreError, KempsServerError, OSError) as error:
                _log.warning("what a referee holds is not held yet: %s", error)
