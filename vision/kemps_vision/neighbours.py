"""How a new card lies to those that lie there already: in the place of one, on one, or part of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52
from kemps_vision.matching import APART, SAME_CARD, overlap
from kemps_vision.naming import Counts
from kemps_vision.spots import NOT_SEEN, Spot

REPLACED: Final = 0.2  # a new card this near to an old one has taken its place
OVERLAID: Final = 0.6  # ... or has covered it
PUSHED: Final = 0.8  # ... or so near, and it may be the old one, pushed aside
OVERLAP: Final = 0.2  # of a card that lies on one in full view: corners of two neighbours were joined


def distance(one: Spot, other: Spot) -> float:
    """Px between the middles of two cards."""
    return float(np.linalg.norm(one.centre - other.centre))


def is_replaced(old: Spot, new: Spot, *, lie_apart: bool) -> bool:
    """Whether the new card has taken the place of the old one; ``lie_apart``: cards do not overlap there."""
    # Cards that were both in full view are neighbours in a fan or column, though a hand covers one now.
    if old is new or (not old.is_doubted and (old.is_clear or old.was_clear_since(new.first_read_ms))):
        return False
    away = distance(old, new) / max(new.length_px, 1.0)
    if old.is_doubted and lie_apart:
        return away < APART
    return away < REPLACED or (away < OVERLAID and old.kept < NOT_SEEN)


def is_part_of_another(spot: Spot, settled: Sequence[Spot]) -> bool:
    """Whether a card in full view lies there, where cards do not overlap."""
    for other in settled:
        near = SAME_CARD if other.card == spot.guess else APART
        is_near = distance(other, spot) < near * spot.length_px
        if other.is_in_view and (is_near or overlap(spot.quad, other.quad) > OVERLAP):
            return True
    return False


def is_told(spot: Spot, settled: Sequence[Spot], copies: Counts) -> bool:
    """Whether this is a card that lies there already, seen by its other index; not so of two decks."""
    if spot.guess is None or copies[DECK_52.index(spot.guess)] > 1:
        return False
    return any(
        other.card == spot.guess
        and other.is_clear
        and (distance(other, spot) < APART * spot.length_px or overlap(spot.quad, other.quad) > OVERLAP)
        for other in settled
    )


def is_pushed(old: Spot, spot: Spot, copies: Counts) -> bool:
    """Whether a card may have been pushed from one place to another that overlaps it; not so of two decks.

    Then its old place never shows bare, no reading finds the card there any more, and it lies in full view
    in the new one.
    """
    if old.card is None or copies[DECK_52.index(old.card)] > 1:
        return False
    is_unread = not old.is_clear and old.found_ms < spot.first_read_ms
    return is_unread and spot.is_clear and distance(old, spot) < PUSHED * spot.length_px
