"""One table or game followed: a thread that reads its journal and tells everybody who listens."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from kemps_server.errors import KempsServerError
from kemps_server.live.delay import Promise, promise_at, promise_for
from kemps_server.live.disclosure import Audience
from kemps_server.live.overlay_looks import looks_of
from kemps_server.live.public_state import public_state
from kemps_server.live.pulse import stale_reason
from kemps_server.live.staff_state import staff_state
from kemps_server.live.stream import Stream, Subscription
from kemps_server.live.view import View
from kemps_server.observers.observers import WATCHED
from kemps_server.store.clock import clock_ms
from kemps_server.store.store import Store

LINGER_S: Final = 30.0
"""So long it is kept when nobody listens: pages are loaded anew."""
_CHOICE_S: Final = 0.25  # how soon a game that begins at the table is seen
_PATIENCE_S: Final = 0.02
_LOOK_S: Final = 1.0  # how soon it is seen that settings have changed or that nobody watches the table
_READY_S: Final = 10.0
_STORE_AWAY: Final = "store"

_log = logging.getLogger(__name__)


class Feed:
    """Follows ``game``, or whatever game is played at ``table`` now and was played there last."""

    def __init__(
        self, store: Store, *, game: str = "", table: str = "", clock: Callable[[], int] = clock_ms
    ) -> None:
        self.game, self.table = game, table
        self._store = store
        self._clock = clock
        self._staff = View(store, staff_state, is_delayed=False)
        self._public = View(store, public_state, is_delayed=True)
        self._views = (self._staff, self._public)
        self._around: dict[str, Any] = {}
        self._next_choice = self._next_look = 0.0
        self._lines: int | None = None
        self._revisions: dict[str, int] = {}
        self._rewritten: dict[str, int] = {}
        self._is_ready = threading.Event()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"live {table or game}", daemon=True)

    @property
    def listeners(self) -> int:
        """How many listen."""
        return self._staff.stream.followers + self._public.stream.followers

    def start(self) -> None:
        """Follow from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Follow no more; what was told stays."""
        self._is_over.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(_READY_S)

    def ready(self) -> bool:
        """Whether what stood in the journal has been read; waits for it, at most ten seconds."""
        return self._is_ready.wait(_READY_S)

    def stream(self, audience: Audience) -> Stream:
        """The states that this audience may see."""
        return (self._staff if audience.is_staff else self._public).stream

    def snapshot(self, audience: Audience) -> str:
        """The snapshot for this audience as it would be sent now."""
        self.ready()
        ends = monotonic() + _READY_S
        while self._is_behind() and monotonic() < ends and not self._is_over.is_set():
            self._next_look = 0.0
            self._is_over.wait(_PATIENCE_S)
        return self.stream(audience).snapshot().text

    def _is_behind(self) -> bool:
        """Whether a journal was rewritten, to forget somebody, and is not told anew yet."""
        records = [self._store.games.find(view.game) for view in self._views if view.game is not None]
        return any(
            record is not None and record.revision != self._revisions.get(record.id, record.revision)
            for record in records
        )

    def subscribe(self, audience: Audience, epoch: str = "", since: int = -1) -> Subscription:
        """A follower in the running event loop; close it when it is done."""
        return self.stream(audience).attach(epoch, since)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self._round()
                self._is_ready.set()
                self._rest()
            except KempsServerError as error:
                self._falter("%s", error)
            except Exception as error:  # noqa: BLE001 - told below
                # Whatever it is: a thread that ends would leave every overlay frozen with nobody told. Its
                # message may hold a card, hence only what it is and where.
                frame = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{frame.name} ({frame.filename}:{frame.lineno})"
                self._falter("a feed fails and goes on in a second: %s in %s", type(error).__name__, where)

    def _falter(self, told: str, *values: object) -> None:
        _log.warning(told, *values)
        for view in self._views:
            view.stream.mark(_STORE_AWAY)
        self._is_over.wait(1.0)

    def _round(self) -> None:
        now = monotonic()
        if now >= self._next_choice:
            self._choose()
            self._next_choice = now + _CHOICE_S
        if now >= self._next_look:
            self._look_around()
            self._feel()
            self._next_look = now + _LOOK_S
        self._read()
        for view in self._views:
            # Asked for after the lines were read: a delay set before they were written is known here.
            view.release(self._promise(view), self._clock(), self._around)
        self._revisions |= self._rewritten  # only now nothing of what stood there before is told
        self._rewritten.clear()

    def _read(self) -> None:
        """Take up the new lines; while both audiences see one game they are read once."""
        staff, public = self._staff, self._public
        place = staff.position
        new = staff.read() if self._lines is None or self._lines > place else ()
        if public.game == staff.game and public.position == place:
            public.hold(new)
        else:
            public.read()

    def _look_around(self) -> None:
        """How the table's overlay is to look is told with each state; a rewritten journal is read anew."""
        for view in self._views:
            record = None if view.game is None else self._store.games.find(view.game)
            if record is not None and record.revision != self._revisions.setdefault(
                record.id, record.revision
            ):
                self._rewritten[record.id] = record.revision
                for other in self._views:
                    other.turn_to(other.game, self._around)
                self._lines = None
        if not self.table:
            return
        table = self._store.tables.find(self.table)
        overlay = {} if table is None else table.settings.get("overlay", {})
        around = {
            "table": self.table,
            "overlay": looks_of(overlay if isinstance(overlay, dict) else {}).model_dump(mode="json"),
        }
        if around != self._around:
            self._around = around
            for view in self._views:
                view.tell_again(around)

    def _choose(self) -> None:
        if self.game:
            game = self.game if self._store.games.find(self.game) is not None else None
            public = game
        else:
            latest = self._store.sittings.latest(self.table)
            game = None if latest is None else latest.game
            public = game if game == self._public.game else self._public_game()
        for view, chosen in ((self._staff, game), (self._public, public)):
            if view.game != chosen or not self._is_ready.is_set():
                view.turn_to(chosen, self._around)
                self._lines = None

    def _public_game(self) -> str | None:
        """The last game at the table whose header is due: the public sees the one before to its end."""
        promise = promise_at(self._store.tables, self.table)
        for sitting in self._store.sittings.all():
            if sitting.table != self.table:
                continue
            header = self._store.games.journal(sitting.game).read(0, 1)
            if header and promise.due_ms(header[0].written_ms) <= self._clock():
                return sitting.game
        return None

    def _promise(self, view: View) -> Promise:
        if not view.is_delayed or view.game is None or not view.is_holding:
            return Promise()
        return (
            promise_at(self._store.tables, self.table) if self.table else promise_for(self._store, view.game)
        )

    def _feel(self) -> None:
        """Tell whether whoever watches is still there."""
        now = self._clock()
        for view in self._views:
            if view.game is None:
                continue
            sitting = self._store.sittings.of_game(view.game)
            is_played = sitting is not None and sitting.ended_at is None
            table = self._store.tables.find(sitting.table) if sitting is not None and is_played else None
            is_watched = table is not None and table.settings.get(WATCHED) is True
            folder = self._store.folder.beside(view.game)
            stale = stale_reason(folder, now, is_played=is_played, is_watched=is_watched)
            promise = promise_for(self._store, view.game) if view.is_delayed else Promise()
            view.mark(stale, promise, now)

    def _rest(self) -> None:
        """Wait for a line, for one to be due, or for the next look around."""
        journal = self._staff.journal
        if journal is None:
            self._is_over.wait(_CHOICE_S)
            return
        left_s = _CHOICE_S
        if self._public.is_holding:
            due = self._public.next_due_ms(self._promise(self._public))
            left_s = min(_CHOICE_S, max(0.0, ((due or 0) - self._clock()) / 1000))
        self._lines = journal.wait(self._staff.position, left_s)
