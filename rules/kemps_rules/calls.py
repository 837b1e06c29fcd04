"""Which of a deal's calls is handled: the first that could be heard, ties by the house, people above all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kemps_rules.deal import CallMade, Deal
from kemps_rules.events import Ruled
from kemps_rules.rulebook import are_apart
from kemps_rules.seats import Seat, partner_of

Rulings = Mapping[int, Ruled]
"""A person's ruling for the line of a call; of several the last one that was not undone."""


@dataclass(frozen=True, slots=True)
class Handled:
    """The call that ends the deal, or the calls of which nobody can tell which came first; and the others."""

    call: CallMade | None
    tied: tuple[CallMade, ...]
    void: tuple[CallMade, ...]


def handled_call(deal: Deal, rulings: Rulings) -> Handled:
    """The call that is judged (R17)."""
    decided = [call for call in deal.calls if _is_decided(call, rulings)]
    heard = [call for call in deal.calls if not call.void]
    first = _first_of(deal.house.tie, _close_to_first(heard)) if heard else []
    chosen: CallMade | None = first[0] if len(first) == 1 else None
    if decided and chosen not in decided:
        chosen = max(decided, key=lambda call: (rulings[call.line].ruling == "first", -call.event.at_ms))
    tied = tuple(first) if chosen is None else ()
    out = tuple(call for call in deal.calls if call is not chosen and call not in tied)
    return Handled(chosen, tied, out)


def _is_decided(call: CallMade, rulings: Rulings) -> bool:
    """Whether a person has said something of a call that means that it counts."""
    return call.line in rulings and rulings[call.line].ruling in ("right", "wrong", "first")


def _close_to_first(calls: list[CallMade]) -> list[CallMade]:
    first = calls[0].event
    when = (first.at_ms, first.uncertainty_ms)
    return [call for call in calls if not are_apart((call.event.at_ms, call.event.uncertainty_ms), when)]


def _first_of(tie: str, close: list[CallMade]) -> list[CallMade]:
    """Those of the calls that cannot be told apart which may be the first one by the house's rule."""
    if tie == "stop_first":
        close = [call for call in close if call.call == "stop"] or close
    elif tie == "earlier":
        close = [call for call in close if call.event.at_ms == close[0].event.at_ms]
    different: dict[tuple[object, ...], CallMade] = {}
    for call in close:  # a player who says it twice has called once
        key = (call.event.seat, call.call, call.event.against) if call.event.seat else (call.line,)
        different.setdefault(key, call)
    return list(different.values())


def asked_hands(deal: Deal, call: CallMade) -> tuple[Seat, ...]:
    """The seats whose hands a call is about, in order; none when that is not known."""
    seat, against, count = call.event.seat, call.event.against, len(deal.seats)
    if call.call != "stop":
        return () if seat is None else (partner_of(seat, count),)
    if against is None:
        if seat is None or count > 4 or deal.house.counter_target == "player":
            return ()
        against = deal.seats[(deal.seats.index(seat) + 1) % count]
    if deal.house.counter_target == "player":
        return (against,)
    return tuple(sorted((against, partner_of(against, count))))
