"""What lasts on a timeline: swaps from taken to laid, hands shown, gestures, contact, things out of view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from kemps_rules import events
from kemps_server.page.moments import Moment
from kemps_server.page.story import SpanLook, StepLook

LAID_FIRST_MS: Final = 3000  # who lays first takes at once


def spans_of(moments: Sequence[Moment], steps: Sequence[StepLook]) -> tuple[SpanLook, ...]:
    """The spans of the moments, which the steps tell in words one for one."""
    pairs = [(moment, step) for moment, step in zip(moments, steps, strict=True) if not moment.is_retracted]
    return (*_swaps(pairs), *(span for moment, step in pairs for span in _lasting(moment, step)))


def _swaps(pairs: Sequence[tuple[Moment, StepLook]]) -> Iterator[SpanLook]:
    """A swap for each take with its lay, in either order; halves alone or anybody's by themselves."""
    waiting: dict[str | None, list[tuple[Moment, StepLook]]] = defaultdict(list)
    deal = 0
    for moment, step in pairs:
        event = moment.event
        if step.deal != deal:
            yield from _halves(half for halves in waiting.values() for half in halves)
            waiting.clear()
            deal = step.deal
        if not isinstance(event, events.CardTaken | events.CardLaid):
            continue
        halves = waiting[event.seat]
        if halves and _is_stale(halves[0][0].event, event):
            yield from _halves([halves.pop(0)])
        if len(halves) == 1 and type(halves[0][0].event) is not type(event):
            first, first_step = halves.pop()
            yield SpanLook(
                sort="swap",
                seat=event.seat,
                from_ms=first.event.at_ms,
                to_ms=event.at_ms,
                step=first_step.index,
                text=first_step.text,
            )
        elif halves and type(halves[0][0].event) is not type(event):
            # Several swaps are open: whose card this is cannot be told.
            yield from _halves([halves.pop(0), (moment, step)])
        else:
            halves.append((moment, step))
    yield from _halves(half for halves in waiting.values() for half in halves)


def _is_stale(first: events.Event, second: events.Event) -> bool:
    """Whether a card laid is too long ago for this take to be the other half of that swap."""
    is_laid_first = isinstance(first, events.CardLaid) and isinstance(second, events.CardTaken)
    return is_laid_first and second.at_ms - first.at_ms > LAID_FIRST_MS


def _halves(halves: Iterator[tuple[Moment, StepLook]] | list[tuple[Moment, StepLook]]) -> Iterator[SpanLook]:
    for moment, step in halves:
        sort = "take" if isinstance(moment.event, events.CardTaken) else "lay"
        yield _span(sort, step.seats[0] if step.seats else None, moment, step)


def _lasting(moment: Moment, step: StepLook) -> Iterator[SpanLook]:
    match moment.event:
        case events.HandShown(seat=seat):
            yield _span("shown", seat, moment, step)
        case events.Gesture(seat=seat):
            yield _span("gesture", seat, moment, step)
        case events.HandHidden(seat=seat) | events.PacketHidden(seat=seat):
            yield _span("hidden", seat, moment, step)
        case events.HandsTouched(seats=seats):
            for seat in seats:
                yield _span("touch", seat, moment, step)
        case events.NotObserved():
            yield _span("unobserved", None, moment, step)


def _span(sort: str, seat: str | None, moment: Moment, step: StepLook) -> SpanLook:
    return SpanLook(
        sort=sort,
        seat=seat,
        from_ms=moment.event.at_ms,
        to_ms=moment.until_ms,
        step=step.index,
        text=step.text,
    )
