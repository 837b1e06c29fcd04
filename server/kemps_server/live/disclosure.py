"""Who may know what of a game: four audiences, two of which see only what lies open on the table."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Protocol

from kemps_rules.decisions import DECISIONS, plan_of
from kemps_rules.errors import KempsRulesError
from kemps_rules.events import Event, GameClosed
from kemps_rules.journal import journal_of
from kemps_server.access.visitor import Visitor
from kemps_server.library import Library
from kemps_server.live.delay import promise_for
from kemps_server.store.clock import clock_ms
from kemps_server.store.decisions import KINDS


class Audience(StrEnum):
    """For whom a game is told."""

    VIEWER = "viewer"
    PLAYER = "player"
    REFEREE = "referee"
    OWNER = "owner"

    @property
    def is_staff(self) -> bool:
        """Whether they judge the game, and so see all of it at once."""
        return self in (Audience.REFEREE, Audience.OWNER)


def audience_of(visitor: Visitor) -> Audience | None:
    """The audience a visitor belongs to; None for strangers.

    >>> audience_of(Visitor()) is None
    True
    """
    return None if visitor.role is None else Audience(visitor.role.value)


_TELLING: Final = (GameClosed.kind, *KINDS)


class _AtPlace(Protocol):
    """What is asked of a place; it holds more."""

    @property
    def library(self) -> Library: ...


def may_see_all(visitor: Visitor, place: _AtPlace, game: str, now_ms: int | None = None) -> bool:
    """Whether a visitor may see gestures, ledgers, hands and flags of a game.

    Those who judge it may. Viewers and players may once the game is closed (``game_closed`` stands in its
    journal) and the table's delay has passed since; strangers never.

    Raises:
        StoreError: The store cannot be read.
    """
    audience = audience_of(visitor)
    if audience is None:
        return False
    return audience.is_staff or is_released(place.library, game, clock_ms() if now_ms is None else now_ms)


def is_released(library: Library, game: str, now_ms: int) -> bool:
    """Whether the public knows by ``now_ms`` that the game is closed; never for one that is not there.

    Raises:
        StoreError: The store cannot be read.
    """
    if library.store.games.find(game) is None:
        found = library.find(game)
        try:
            return found is not None and _closes(journal_of(found.content()).numbered)
        except KempsRulesError:
            return False
    promise = promise_for(library.store, game)
    public = []
    for line in library.store.games.journal(game).read_kinds(_TELLING):
        if promise.due_ms(line.written_ms) > now_ms:
            break
        public.append((line.number, line.event))
    return _closes(public)


def _closes(events: Iterable[tuple[int, Event]]) -> bool:
    """Whether a ``game_closed`` stands that nobody took back."""
    told = list(events)
    plan = plan_of((line, event) for line, event in told if isinstance(event, DECISIONS))
    # Only its being there matters: a correction of its time, or of other lines, changes nothing here.
    return any(
        isinstance(event, GameClosed) and line not in plan.retracted
        for line, event in (
            (line, getattr(event, "as_event", event)) for line, event in told if line not in plan.undone
        )
    )
