"""A deck's corner indices as the detector finds them: where they are printed, and crops to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import NONE_CLASS
from kemps_rules.cards import DECK_52, RANKS, SUITS
from kemps_vision.cards.classify import Pyramid, crop_index
from kemps_vision.cards.find import Candidates
from kemps_vision.cards.printing import IndexPrint
from kemps_vision.cards.quads import CARD_LENGTH_MM, CARD_WIDTH_MM
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.enrolment.looks import Look

_HOT: Final = 0.4  # a peak that counts for where indices are
_CORNER_MM: Final = (22.0, 34.0)  # within which of a corner an index may be
_ALONG: Final = 0.9  # cosine between an index's up and the card's
_NEAR_MM: Final = (3.5, 5.0)  # of the printed place
_AS_TALL: Final = (0.6, 1.6)
_CARDS_WITH: Final = 12  # so many cards must show an index for the deck to have one
_LOOKS_WITH: Final = 0.25  # of a card's looks; a card with fewer has no index
_JITTERED: Final = 2  # further crops of each index, each as far off as the detector may be
_OFF: Final = (0.06, 0.06, 0.08)  # of the half height, radians, log of the size


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """A place that the detector holds for an index, on a card that is known.

    Attributes:
        card: The card, a place in ``DECK_52``.
        look: The look's number.
        centre: (2,) px of the look.
        up: (2,) px.
        right: (2,) px.
        heat: The detector's belief.
        place: (2,) mm from the nearest corner of those that indices stand upright in.
        half_height: mm on the card.
        is_upright: Whether its up is the card's, in the half of the card that it is in.
    """

    card: int
    look: int
    centre: Floats
    up: Floats
    right: Floats
    heat: float
    place: Floats
    half_height: float
    is_upright: bool


def peaks_on(looks: Sequence[tuple[int, Look]], found: Sequence[Candidates]) -> list[Peak]:
    """The detector's peaks on the cards of looks, given as (card, look), of what it found in each."""
    return [
        peak
        for number, ((card, look), candidates) in enumerate(zip(looks, found, strict=True))
        for peak in _peaks_of(card, number, look, candidates)
    ]


def _peaks_of(card: int, number: int, look: Look, found: Candidates) -> list[Peak]:
    corners = np.array([[0, 0], [CARD_WIDTH_MM, 0], [CARD_WIDTH_MM, CARD_LENGTH_MM], [0, CARD_LENGTH_MM]])
    to_mm = cv2.getPerspectiveTransform(look.quad.astype(np.float32), corners.astype(np.float32))
    peaks = []
    for row in range(len(found)):
        ends = np.stack([found.centre[row], found.centre[row] + found.up[row]])
        middle, top = cv2.perspectiveTransform(ends[None], to_mm)[0]
        if not (0 < middle[0] < CARD_WIDTH_MM and 0 < middle[1] < CARD_LENGTH_MM):
            continue
        is_lower = middle[1] > CARD_LENGTH_MM / 2
        up = (top - middle) * (-1 if is_lower else 1)
        place = np.array([CARD_WIDTH_MM, CARD_LENGTH_MM]) - middle if is_lower else middle
        height = float(np.linalg.norm(up))
        peaks.append(
            Peak(
                card,
                number,
                found.centre[row],
                found.up[row],
                found.right[row],
                float(found.heat[row]),
                np.array([min(place[0], CARD_WIDTH_MM - place[0]), place[1]]),
                height,
                bool(-up[1] > _ALONG * height),
            )
        )
    return peaks


def printing_of(peaks: Sequence[Peak]) -> IndexPrint | None:
    """Where the deck prints its indices, by the medians of the peaks near corners; None when nowhere."""
    near = [
        peak for peak in peaks if peak.is_upright and peak.heat >= _HOT and np.all(peak.place < _CORNER_MM)
    ]
    if len({peak.card for peak in near}) < _CARDS_WITH:
        return None
    sideways, down = np.median([peak.place for peak in near], axis=0)
    return IndexPrint(float(np.median([peak.half_height for peak in near])), float(sideways), float(down))


@dataclass(frozen=True, slots=True, eq=False)
class Crops:
    """What the head learns from: crops (n, 64, 40, 3) with the right outputs, see ``fit_head``."""

    pixels: Pixels
    ranks: NDArray[np.int64]
    suits: NDArray[np.int64]


def crops_of(
    looks: Sequence[tuple[int, Look]], peaks: Sequence[Peak], printing: IndexPrint, rng: np.random.Generator
) -> Crops:
    """The crops at the peaks: those where an index is printed, and the others as examples of none."""
    has_index = _with_index(looks, [peak for peak in peaks if _is_printed(peak, printing)])
    pictures = {peak.look: Pyramid(looks[peak.look][1].pixels) for peak in peaks}
    pixels, ranks, suits = [], [], []
    for peak in peaks:
        is_index = _is_printed(peak, printing) and has_index[peak.card]
        card = DECK_52[peak.card]
        for centre, up, right in _poses(peak, rng, more=_JITTERED if is_index else 0):
            pixels.append(crop_index(pictures[peak.look], centre, up, right))
            ranks.append(RANKS.index(card.rank) if is_index else NONE_CLASS)
            suits.append(SUITS.index(card.suit) if is_index else -1)
    return Crops(np.stack(pixels), np.array(ranks, np.int64), np.array(suits, np.int64))


def _is_printed(peak: Peak, printing: IndexPrint) -> bool:
    off = np.abs(peak.place - (printing.sideways, printing.down))
    tall = peak.half_height / printing.half_height
    return bool(peak.is_upright and np.all(off < _NEAR_MM) and _AS_TALL[0] < tall < _AS_TALL[1])


def _with_index(looks: Sequence[tuple[int, Look]], printed: Sequence[Peak]) -> Mapping[int, bool]:
    shown = {peak.look for peak in printed}
    seen: dict[int, list[bool]] = {}
    for number, (card, _) in enumerate(looks):
        seen.setdefault(card, []).append(number in shown)
    return {card: float(np.mean(those)) >= _LOOKS_WITH for card, those in seen.items()}


def _poses(peak: Peak, rng: np.random.Generator, *, more: int) -> list[tuple[Floats, Floats, Floats]]:
    poses = [(peak.centre, peak.up, peak.right)]
    for _ in range(more):
        shift = rng.normal(0, _OFF[0], 2)
        turn, size = rng.normal(0, _OFF[1]), np.exp(rng.normal(0, _OFF[2]))
        c, s = np.cos(turn) * size, np.sin(turn) * size
        moved = peak.centre + shift[0] * peak.up + shift[1] * peak.right
        poses.append((moved, peak.up * c - peak.right * s, peak.right * c + peak.up * s))
    return poses
