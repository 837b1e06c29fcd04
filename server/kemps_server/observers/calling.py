"""Calls by button: at the media time of the moment at which they are made known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kemps_rules.events import Called, Corrected, GameClosed, GameOpened, Json, Retracted
from kemps_rules.house import House
from kemps_rules.replay import house_of
from kemps_rules.seats import Seat, pair_of
from kemps_server.errors import KempsServerError
from kemps_server.observers.clock import at_ms_now
from kemps_server.store.sql_journal import SqlJournal
from kemps_server.store.store import Store
from kemps_vision.hearing.gate import is_same_call, is_unconfirmed

BUTTON_UNCERTAINTY_MS: Final = 500
"""A person hears a call, finds the button and presses it: mostly within half a second. It is not measured."""

MOST_AGE_MS: Final = 30_000
BY_BUTTON: Final = "called by button"


@dataclass(frozen=True, slots=True)
class CallTaken:
    """A call that stands in the journal."""

    line: int
    at_ms: int
    uncertainty_ms: int = BUTTON_UNCERTAINTY_MS


def take_call(
    store: Store,
    game: str,
    *,
    seat: Seat | None,
    call: str,
    against: Seat | None = None,
    age_ms: int = 0,
    by: str = "",
) -> CallTaken:
    """The call, once it is on disk.

    A call that was heard shortly before and that nobody has looked at yet is this one: it keeps its time,
    which an ear knows better, and takes the button's word and seat.

    Args:
        store: Where the game is.
        game: Its id.
        seat: Who called; None when nobody knows.
        call: ``kemps``, ``stop``, ``double_kemps``, or a word that the house plays for one of them.
        against: Any seat of the accused pair, where there are several.
        age_ms: How long ago the button was pressed, by the clock of whoever pressed it.
        by: Who pressed it.

    Raises:
        KempsServerError: It can be no call at this table, or the game is over or was never watched.
        StoreError: The store refused.
    """
    journal = store.games.journal(game)
    header = _header(journal)
    house = house_of(header)
    _check(header, house, seat, call, against)
    if not 0 <= age_ms <= MOST_AGE_MS:
        raise KempsServerError(f"age_ms is how long ago the button was pressed, at most {MOST_AGE_MS}")
    at_ms = max(0, at_ms_now(store.folder.beside(game)) - age_ms)
    event = Called(
        at_ms=at_ms,
        seat=seat,
        call=house.call_named(call) or call,
        against=against,
        uncertainty_ms=BUTTON_UNCERTAINTY_MS,
    )
    heard = _heard_before(journal, event)
    if heard is not None:
        return _confirmed(journal, *heard, event, by)
    return CallTaken(journal.append(event).start, at_ms)


def _heard_before(journal: SqlJournal, pressed: Called) -> tuple[int, Called] | None:
    """The heard call that a button was pressed for, with its line; none that a person has decided about."""
    lines = journal.read_kinds((Called.kind, Corrected.kind, Retracted.kind))
    events = [(line.number, line.event) for line in lines if not line.is_blank]
    decided = {event.event for _, event in events if isinstance(event, Corrected | Retracted)}
    found = [
        (line, event)
        for line, event in events
        if isinstance(event, Called)
        and is_unconfirmed(event)
        and line not in decided
        and is_same_call(event, pressed)
    ]
    return max(found, key=lambda row: row[1].at_ms, default=None)


def _confirmed(journal: SqlJournal, line: int, heard: Called, pressed: Called, by: str) -> CallTaken:
    to: dict[str, Json] = {"call": pressed.call, "confidence": 1.0}
    if pressed.seat is not None:
        to["seat"] = pressed.seat
    if pressed.against is not None:
        to["against"] = pressed.against
    journal.append(Corrected(at_ms=pressed.at_ms, event=line, to=to, by=by, why=BY_BUTTON))
    return CallTaken(line, heard.at_ms, heard.uncertainty_ms)


def is_closed(journal: SqlJournal) -> bool:
    """Whether a game is over: what was secret may be told."""
    return any(not line.is_blank and isinstance(line.event, GameClosed) for line in journal.read())


def _header(journal: SqlJournal) -> GameOpened:
    for line in journal.read(0, 20):
        if not line.is_blank and isinstance(line.event, GameOpened):
            return line.event
    raise KempsServerError("this game has no header")


def _check(header: GameOpened, house: House, seat: Seat | None, call: str, against: Seat | None) -> None:
    for one in (seat, against):
        if one is not None and one not in header.seats:
            raise KempsServerError(
                f"there is no seat {one!r} at this table of {' '.join(sorted(header.seats))}"
            )
    named = house.call_named(call)
    if named is None:
        raise KempsServerError(f"{call!r} is no call at this table; the calls are kemps and stop")
    if named != "stop" and against is not None:
        raise KempsServerError(f"a {named} is about the caller's partner and names nobody; leave out against")
    if named == "stop" and seat and against and against in pair_of(seat, len(header.seats)):
        raise KempsServerError(f"{against} is of the caller's own pair; name a rival's seat")
