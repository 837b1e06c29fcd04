"""The letters that stand for ranks on cards of different countries: what the classifier's outputs mean."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

RANKS: Final = "A23456789TJQK"
"""The ranks as cards are written: T is the ten."""

GLYPHS: Final = (
    "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K",
    "1", "R", "D", "V", "B", "Д", "T", "Kn", "E", "H", "F",
)  # fmt: skip
"""What may be printed as a rank, in the order of the classifier's outputs.

Signs that look alike are one: the Cyrillic К, В and Т are K, B and T.
"""

NONE_CLASS: Final = len(GLYPHS)
"""The classifier's output, after those of the glyphs, for "no index"; those of the suits come next."""

_NUMBERS: Final = {**{str(number): str(number) for number in range(2, 10)}, "10": "T"}

ALPHABETS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        name: MappingProxyType({**_NUMBERS, **letters})
        for name, letters in {
            "international": {"A": "A", "J": "J", "Q": "Q", "K": "K"},
            "french": {"1": "A", "A": "A", "V": "J", "D": "Q", "R": "K"},
            "german": {"A": "A", "B": "J", "D": "Q", "K": "K"},
            "russian": {"T": "A", "B": "J", "Д": "Q", "K": "K"},
            "nordic": {"E": "A", "A": "A", "1": "A", "Kn": "J", "D": "Q", "K": "K"},
            "dutch": {"A": "A", "B": "J", "V": "Q", "H": "K"},
            "portuguese": {"A": "A", "V": "J", "D": "Q", "R": "K"},
            "italian": {"A": "A", "1": "A", "F": "J", "D": "Q", "R": "K"},
        }.items()
    }
)
"""For each alphabet, the rank that each of its glyphs means; a Portuguese deck is a French one with an A."""


def glyph_ranks(alphabet: str) -> tuple[int, ...]:
    """For each of ``GLYPHS`` the place in ``RANKS`` of the rank it means in ``alphabet``, or -1 for none.

    Raises:
        KeyError: There is no such alphabet.
    """
    meanings = ALPHABETS[alphabet]
    return tuple(RANKS.index(meanings[glyph]) if glyph in meanings else -1 for glyph in GLYPHS)
