"""Corner indices joined into cards: one card shows two (some decks four), the rest of it shows none."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.quads import (
    is_inside,
    length_in_mm,
    offset_in_index_heights,
    quad_beside,
    quad_from_one,
    quad_from_two,
    sideways_for,
)
from kemps_vision.cards.reading import CardReading, Floats, IndexReading

# All lengths are in half index heights along the card, so tilt and distance do not matter. A half index is
# 7.5 to 17 mm high, so opposite indices are 2.9 to 6.8 apart sideways and 2.8 to 8.9 lengthwise; the rest
# is for errors of the pose, which grow with tilt (pairs up to 11.4 apart sideways were seen on real cards).
_SIDEWAYS: Final = (1.9, 12.5)
_LENGTHWISE: Final = (1.9, 14.0)
_ALIGNED: Final = 1.3  # off the common line of two indices of one side
_ALIGNED_AT_A_SLANT: Final = 2.2  # the same where both read alike: from low the pose's directions are askew
_SAME_PLACE: Final = 0.8
_FACING: Final = -0.64  # cosine: opposite indices are point mirrors of each other, up to 50 degrees of error
_ALIKE: Final = 0.8
_OPPOSITE: Final = -0.94
_EXACTLY_OPPOSITE: Final = -0.97
_AS_TALL: Final = 1.25
_AS_PRINTED: Final = 0.2
_NEAR_CENTRE: Final = 0.25  # of the card's length
_ONE_MIDDLE: Final = 0.4  # of the way between the indices: cards of a fan are farther apart
_CERTAIN: Final = 0.93
_UNSURE: Final = 0.6
_BEYOND_DOUBT: Final = 0.97
_INSET: Final = 0.1
_SAME_HEIGHT: Final = (0.68, 1.5)


def join(indices: Sequence[IndexReading]) -> list[tuple[IndexReading, ...]]:
    """The indices in groups, a group a card; the surest index of each first, the surest group first."""
    groups: list[list[IndexReading]] = []
    for index in sorted(indices, key=lambda index: -index.confidence):
        home = next((group for group in groups if all(_agree(other, index) for other in group)), None)
        if home is None:
            groups.append([index])
        else:
            home.append(index)
    return [tuple(group) for group in _lone_joined(groups)]


def _lone_joined(groups: list[list[IndexReading]]) -> list[list[IndexReading]]:
    """The groups, with those put together that found no partner of their own name but are of one card."""
    joined: list[list[IndexReading]] = []
    for group in groups:
        lone = (other for other in joined if len(group) == len(other) == 1)
        partner = next((other for other in lone if _one_card(other[0], group[0])), None)
        if partner is None:
            joined.append(group)
        else:
            partner.extend(group)
    return joined


def one_per_place(indices: Sequence[IndexReading]) -> list[IndexReading]:
    """The indices without those that lie on a clearer one: the same index seen at another scale."""
    kept: list[IndexReading] = []
    for index in sorted(indices, key=lambda index: -index.clearness):
        if all(
            _distance(index.centre, other.centre) >= _SAME_PLACE * max(_length(other.up), 1.0)
            for other in kept
        ):
            kept.append(index)
    return kept


def card_of(group: tuple[IndexReading, ...]) -> CardReading:
    """The card whose indices these are, whatever it is worth: the score tells."""
    log_p = _log_normalised(np.sum([index.log_p * (1.0 - index.none_p) for index in group], axis=0))
    card = DECK_52[int(log_p.argmax())]
    return CardReading(card, score_of(group, card), _quad_of(group), log_p, group)


def score_of(group: Sequence[IndexReading], card: Card) -> float:
    """The belief, 0..1, that the card is ``card``: that not all of its indices are wrong about that."""
    return float(1.0 - np.prod([1.0 - index.belief_in(card) for index in group]))


def is_ghost(card: CardReading, cards: Sequence[CardReading]) -> bool:
    """Whether a card is only court art or pips in the bodies of those of ``cards`` that are surer.

    A card on top of another covers one of its indices, so what seems to be an index in the body of a card
    that shows two is none; in that of a card that shows one, it must at least be as tall as that card's.
    """
    if card.score >= _BEYOND_DOUBT:
        return False
    surer = [other for other in cards if other is not card and other.score > card.score]
    return all(any(_is_art(index, body) for body in surer) for index in card.indices)


def _is_art(index: IndexReading, body: CardReading) -> bool:
    if not is_inside(body.quad, index.centre, inset=_INSET):
        return False
    height, usual = (length_in_mm(body.quad, up) for up in (index.up, body.indices[0].up))
    return body.is_read_twice or not _SAME_HEIGHT[0] * usual < height < _SAME_HEIGHT[1] * usual


def _agree(first: IndexReading, second: IndexReading) -> bool:
    """Whether two indices name the same card and lie as two of one card do."""
    if first.likeliest != second.likeliest or not _is_near(first, second):
        return False
    # By either's pose: an index seen at a slant, or small, tells directions badly, and its twin well.
    if _lie_as_two_of_one(first, second) or _lie_as_two_of_one(second, first):
        return True
    return _share_a_slanted_side(first, second) and _share_a_slanted_side(second, first)


def _lie_as_two_of_one(first: IndexReading, second: IndexReading) -> bool:
    x, y = np.abs(offset_in_index_heights(first, second.centre))
    across, along = _SIDEWAYS[0] < x < _SIDEWAYS[1], _LENGTHWISE[0] < y < _LENGTHWISE[1]
    if _cosine(first.up, second.up) < _FACING:
        return bool(along and (across or x < _ALIGNED))
    return _share_a_side(first, second)


def _one_card(first: IndexReading, second: IndexReading) -> bool:
    """Whether two indices are of one card although they name two."""
    if not _is_near(first, second) or not _has_one_name(first, second):
        return False
    return _mirror_each_other(first, second) or _are_side_by_side(first, second)


def _is_near(first: IndexReading, second: IndexReading) -> bool:
    reach = _LENGTHWISE[1] + _SIDEWAYS[1]
    return _distance(first.centre, second.centre) <= reach * max(_length(first.up), _length(first.right))


def _has_one_name(first: IndexReading, second: IndexReading) -> bool:
    """Whether two indices that disagree can be one card: both unsure, or together what one of them says."""
    if first.confidence < _UNSURE:
        return True
    together = int((first.log_p + second.log_p).argmax())
    return second.confidence < _CERTAIN and together in (first.likeliest, second.likeliest)


def _mirror_each_other(first: IndexReading, second: IndexReading) -> bool:
    """Whether two indices lie so exactly opposite that they are of one card whatever they read as."""
    cosine = _cosine(first.up, second.up)
    if cosine > _OPPOSITE:
        return False
    if cosine < _EXACTLY_OPPOSITE and _lies_as_printed(first, second):
        return True
    quad = quad_from_two(first, second)
    middle, near = quad.mean(axis=0), _NEAR_CENTRE * _distance(quad[3], quad[0])
    centres = [index.card_centre for index in (first, second)]
    return all(centre is not None and _distance(centre, middle) < near for centre in centres)


def _are_side_by_side(first: IndexReading, second: IndexReading) -> bool:
    """Whether two indices stand as the upper two of a card with four, and mean the same middle of it.

    Those of two cards in a fan stand like that too, but each means the middle of its own card.
    """
    if not _share_a_side(first, second) or first.card_centre is None or second.card_centre is None:
        return False
    apart = _distance(first.card_centre, second.card_centre)
    return apart < _ONE_MIDDLE * _distance(first.centre, second.centre)


def _share_a_side(first: IndexReading, second: IndexReading, *, aligned: float = _ALIGNED) -> bool:
    """Whether two indices of the same way up stand side by side as far apart as a card is wide."""
    x, y = np.abs(offset_in_index_heights(first, second.centre)).tolist()
    return _cosine(first.up, second.up) > _ALIKE and _SIDEWAYS[0] < x < _SIDEWAYS[1] and y < aligned


def _share_a_slanted_side(first: IndexReading, second: IndexReading) -> bool:
    """The same of a card seen from low, whose short side is no longer at right angles to its long one."""
    return _share_a_side(first, second, aligned=_ALIGNED_AT_A_SLANT)


def _lies_as_printed(first: IndexReading, second: IndexReading) -> bool:
    """Whether two opposite indices are as tall, and as far apart sideways as it fits lengthwise."""
    x, y = np.abs(offset_in_index_heights(first, second.centre)).tolist()
    taller = max(_length(first.up), _length(second.up)) / max(
        min(_length(first.up), _length(second.up)), 1e-6
    )
    return taller < _AS_TALL and abs(x / sideways_for(y) - 1.0) < _AS_PRINTED


def _quad_of(group: tuple[IndexReading, ...]) -> Floats:
    first = group[0]
    for other in group[1:]:
        x, _ = np.abs(offset_in_index_heights(first, other.centre))
        if _cosine(first.up, other.up) < _FACING and x > _ALIGNED:
            return quad_from_two(first, other)
    beside = next((other for other in group[1:] if _share_a_slanted_side(first, other)), None)
    return quad_from_one(first) if beside is None else quad_beside(first, beside)


def _cosine(first: Floats, second: Floats) -> float:
    return float(first @ second) / max(_length(first) * _length(second), 1e-9)


def _distance(first: Floats, second: Floats) -> float:
    return _length(first - second)


def _length(vector: Floats) -> float:
    x, y = vector.tolist()
    return hypot(x, y)


def _log_normalised(log_p: Floats) -> Floats:
    shifted = log_p - log_p.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), dtype=np.float64)
