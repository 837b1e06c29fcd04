"""Where a game stands that goes on: what whoever watches it anew must know of what was told before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kemps_rules.cards import Card
from kemps_rules.errors import JournalError
from kemps_rules.events import Called, Event, GameClosed, GameOpened, Inserted
from kemps_rules.replay import Replay
from kemps_rules.seats import Seat
from kemps_server.store.journals import Line


@dataclass(frozen=True, slots=True)
class Standing:
    """A game in the middle of its journal.

    Attributes:
        lines: How many lines there are.
        last_ms: When the last of it happened.
        is_closed: Whether the game is over.
        is_dealt: Whether a deal is going on.
        call: The call that was made in it, with its line, if one was.
        shown: The hands that were laid open since.
        seats: Of its header.
    """

    lines: int
    last_ms: int = 0
    is_closed: bool = False
    is_dealt: bool = False
    call: tuple[int, Called] | None = None
    shown: dict[Seat, tuple[Card, ...]] = field(default_factory=dict)
    seats: tuple[Seat, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether it was watched before: there is more than its header."""
        return self.lines > 1


def standing_of(lines: Sequence[Line]) -> Standing:
    """Where the game with these lines stands.

    Raises:
        JournalError: They are no journal.
    """
    events = [(line.number, line.event) for line in lines if not line.is_blank]
    if not events or not isinstance(events[0][1], GameOpened):
        raise JournalError("the journal has no header")
    header = events[0][1]
    walk = Replay(header, line=events[0][0])
    walk.extend(events[1:-1])
    last = walk.push(*events[-1]) if len(events) > 1 else walk.step(*events[0])
    table = last.table
    made = call_in(dict(events).get(-1 if table.call is None else table.call))
    return Standing(
        lines=lines[-1].number + 1,
        last_ms=max(event.at_ms for _, event in events),
        is_closed=any(isinstance(event, GameClosed) for _, event in events),
        is_dealt=table.deal > 0 and table.ended is None,
        call=None if made is None or table.call is None else (table.call, made),
        shown=dict(table.shown),
        seats=tuple(header.seats),
    )


def call_in(event: Event | None) -> Called | None:
    """The call that an event is, also one that a person added; None for any other."""
    told = event.as_event if isinstance(event, Inserted) else event
    return told if isinstance(told, Called) else None
