"""Which reading is of which card at rest: by place, by name, and by the index where only one is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import CardReading, IndexReading
from kemps_vision.pairing import OWN_INDEX
from kemps_vision.spots import Spot, name_of

SAME_CARD: Final = 0.7  # card lengths, so far when the name is the same: a lone corner misplaces a card
OTHER_NAME: Final = 0.18  # as far when the name differs: one card read in two ways
APART: Final = 0.5  # card lengths: nearer, where cards do not overlap, two readings are of one card
LEAST_LENGTH: Final = 0.5  # of the usual: a lone index tells it roughly
MOST_LENGTH: Final = 1.45  # near ones look longer
_NAME_DIFFERS: Final = 0.25  # card lengths that another name counts like
_OWN_INDEX_FIRST: Final = 1.0  # ... and that the same index in its place does


def matched_to(
    cards: Sequence[CardReading], spots: Sequence[Spot], lie_apart: Callable[[NDArray[np.float64]], bool]
) -> list[Spot | None]:
    """The card at rest that each reading is of, each at most once; None for what lies elsewhere.

    ``lie_apart`` says of a point whether cards there do not overlap.
    """
    pairs = []
    lying = [(spot, spot.centre, max(spot.length_px, 1.0)) for spot in spots]
    for i, card in enumerate(cards):
        middle = card.centre
        for spot, centre, length in lying:
            cost = _cost(card, spot, float(np.hypot(*(middle - centre))) / length, length, lie_apart)
            if cost is not None:
                pairs.append((cost, i, spot.id, spot))
    matched: list[Spot | None] = [None] * len(cards)
    taken: set[int] = set()
    for _, i, spot_id, spot in sorted(pairs, key=lambda pair: pair[:3]):
        if matched[i] is None and spot_id not in taken:
            matched[i] = spot
            taken.add(spot_id)
    return matched


def shifted(card: CardReading, offset: tuple[int, int]) -> CardReading:
    """A reading of a part of the picture, in px of the whole: ``offset`` is the part's left top corner."""
    if offset == (0, 0):
        return card
    shift = np.asarray(offset, np.float64)
    indices = tuple(_index_shifted(index, shift) for index in card.indices)
    return replace(card, quad=card.quad + shift, indices=indices)


def overlap(quad: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The share, 0..1, of a convex quad (4, 2) that lies over another."""
    area = abs(cv2.contourArea(quad.astype(np.float32)))
    common, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))
    return float(common / area) if area > 0 else 0.0


def _cost(
    card: CardReading,
    spot: Spot,
    distance: float,
    length: float,
    lie_apart: Callable[[NDArray[np.float64]], bool],
) -> float | None:
    """How badly they go together, or None when they are two cards; ``distance`` in card lengths."""
    is_same = name_of(card) == spot.guess
    is_as_long = LEAST_LENGTH < card.length_px / length < MOST_LENGTH
    is_own = is_same and is_as_long and spot.index_shift(card) < OWN_INDEX
    if distance > SAME_CARD and not is_own:
        return None
    if spot.is_settled and not is_same and card.card is not None and not spot.is_in_view:
        return None  # the place has changed: this may be another card in it
    if is_own:  # wherever a lone index puts its card
        return distance - _OWN_INDEX_FIRST
    other_name = APART if lie_apart(spot.centre) else OTHER_NAME
    if distance >= (SAME_CARD if is_same else other_name):
        return None
    return distance + (0.0 if is_same else _NAME_DIFFERS)


def _index_shifted(index: IndexReading, shift: NDArray[np.float64]) -> IndexReading:
    middle = None if index.card_centre is None else index.card_centre + shift
    return replace(index, centre=index.centre + shift, card_centre=middle)
