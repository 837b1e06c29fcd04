"""At which sizes to look at a picture: the detector knows cards of about 50 to 240 px."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from kemps_vision.cards.backs import BackCandidates
from kemps_vision.cards.reading import IndexReading

BEST_CARD_PX: Final = 120.0
"""The length of a card to look at: 100 to 200 px are read equally well on the tuning photos, 85 px worse."""

LONG_SIDES_PX: Final = (240, 340, 480, 680, 960, 1360, 1920, 2720)
"""The sizes tried while the card size is unknown, as the picture's long side; steps of about the root of
two."""

MAX_ENLARGEMENT: Final = 1.5
"""Of a picture whose cards have a known length: beyond it nothing is gained, there is no detail to find."""

LADDER_ENLARGEMENT: Final = 2.2
"""Of a still picture of unknown cards: cards of 70 px in a fan are read a little better for it."""

MAX_PIXELS: Final = 8_000_000
"""So that a wrong card size does not ask for gigabytes of memory."""

_COUNTS_FROM: Final = 0.7
_BACK_COUNTS_FROM: Final = 0.25
_SEEN_SHARE: Final = 0.05
_HOPELESS: Final = 0.5
_SOMETHING: Final = 1.5  # two indices that were read


def scale_for(card_length_px: float, size: tuple[int, int]) -> float:
    """By which factor to resize a picture of ``size`` (px x px) whose cards are ``card_length_px`` long."""
    largest = sqrt(MAX_PIXELS / (size[0] * size[1]))
    return min(MAX_ENLARGEMENT, largest, BEST_CARD_PX / max(card_length_px, 1.0))


def ladder(long_side_px: int) -> list[float]:
    """The factors to try on a picture of that long side, the smallest picture first."""
    factors = [side / long_side_px for side in LONG_SIDES_PX]
    return [factor for factor in factors if factor <= LADDER_ENLARGEMENT] or [MAX_ENLARGEMENT]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What was seen at one scale, in px of the picture given."""

    indices: list[IndexReading]
    backs: BackCandidates

    @property
    def worth(self) -> float:
        """How much was read: the signs that are clear, and a little for what was only seen."""
        read = sum(index.clearness for index in self.indices if index.clearness >= _COUNTS_FROM)
        seen = [index.heat for index in self.indices if index.presence >= _COUNTS_FROM]
        seen += [float(heat) for heat in self.backs.heat if heat >= _BACK_COUNTS_FROM]
        return read + _SEEN_SHARE * sum(seen)


def best_levels(factors: Sequence[float], read_at: Callable[[float], Level], *, keep: int) -> list[Level]:
    """What was read at the ``keep`` scales that gave most, the best first.

    Scales are tried from small to large; when two in a row give less than half of the best, and that was
    more than a stray index, the cards have become too large, and the costly larger scales are left out.
    """
    levels: list[Level] = []
    worths: list[float] = []
    for factor in factors:
        levels.append(read_at(factor))
        worths.append(levels[-1].worth)
        if max(worths) >= _SOMETHING and len(worths) > 2 and max(worths[-2:]) < _HOPELESS * max(worths):
            break
    order = sorted(range(len(levels)), key=lambda level: -worths[level])
    return [levels[level] for level in order[:keep]]
