"""Which shown hands are evidence for a call, and which of their cards can be trusted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from kemps_rules.cards import Card
from kemps_rules.deal import CallMade, Deal
from kemps_rules.events import HandShown
from kemps_rules.rulebook import are_apart
from kemps_rules.seats import Seat


@dataclass(frozen=True, slots=True)
class Shown:
    """A hand as it was shown: cards read, cards not read, and whether that is all of them.

    ``unread`` cards are surely there; where the hand is not complete ``more_at_most`` further ones may be,
    None = nobody knows how many. ``is_doubtful`` when nothing can be built on it: a card twice, or two sights
    that contradict each other.
    """

    line: int
    at_ms: int
    cards: tuple[Card, ...]
    unread: int
    is_complete: bool
    is_doubtful: str = ""
    more_at_most: int | None = None

    @property
    def is_full(self) -> bool:
        """Whether each card of the hand was read."""
        return self.is_complete and not self.unread and not self.is_doubtful


def shown_hands(deal: Deal, call: CallMade) -> dict[Seat, Shown]:
    """The evidence for a call from each seat that showed; a card that two seats show is unread in both."""
    sights: dict[Seat, list[tuple[int, HandShown]]] = {}
    when = (call.event.at_ms, call.event.uncertainty_ms)
    for line, event in deal.shows:
        is_before = event.at_ms < when[0] and are_apart((event.at_ms, event.uncertainty_ms), when)
        if event.seat is not None and not is_before:
            sights.setdefault(event.seat, []).append((line, event))
    hands = {seat: _best(seen, deal.house.copies) for seat, seen in sights.items()}
    counts = Counter(card for hand in hands.values() for card in set(hand.cards))
    if deal.house.copies > 1:
        counts = Counter(card for hand in hands.values() for card in hand.cards)
    doubled = {card for card, count in counts.items() if count > deal.house.copies}
    return {seat: _unread(hand, doubled) for seat, hand in hands.items()} if doubled else hands


def _best(sights: list[tuple[int, HandShown]], copies: int) -> Shown:
    """The last full sight, else the one that leaves least open; full sights that differ make it doubtful."""
    full = [sight for sight in sights if _unknown(sight[1]) == 0]
    line, event = full[-1] if full else min(reversed(sights), key=lambda sight: _unknown(sight[1]))
    doubt = "contradiction" if len({tuple(sorted(e.cards)) for _, e in full}) > 1 else ""
    if any(count > copies for card, count in Counter(event.cards).items() if not card.is_joker):
        doubt = "twice"
    most = None if event.unread_at_most is None else event.unread_at_most - event.unread
    return Shown(line, event.at_ms, event.cards, event.unread + event.face_down, event.complete, doubt, most)


def _unknown(event: HandShown) -> int:
    return event.unread + event.face_down + (0 if event.complete else 100)


def _unread(hand: Shown, doubled: set[Card]) -> Shown:
    kept = tuple(card for card in hand.cards if card not in doubled)
    unread = hand.unread + len(hand.cards) - len(kept)
    return replace(hand, cards=kept, unread=unread)
