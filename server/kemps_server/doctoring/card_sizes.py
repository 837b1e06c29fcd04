"""What the length of a card in the picture means for reading it: a table that was measured.

``card_sizes.json`` is made by ``python -m kemps_server.bench.card_sizes`` with the committed weights.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from kemps_server.errors import WorkFailedError

TABLE_FILE: Final = Path(__file__).with_name("card_sizes.json")
_AS_GOOD: Final = 0.015  # of the best row's worth: rows that are no worse than that are good too


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cards lay there, how many of them were named rightly, and how many wrong names were told."""

    cards: int
    right: int
    wrong: int

    @property
    def right_share(self) -> float:
        """The share, 0..1, that was named rightly."""
        return self.right / max(1, self.cards)

    @property
    def wrong_share(self) -> float:
        """Wrong names by cards that lay there."""
        return self.wrong / max(1, self.cards)


@dataclass(frozen=True, slots=True)
class SizeRow:
    """What was counted of cards of one length: in single looks, and after some seconds of watching."""

    length_px: float
    one_look: Counts
    watched: Counts


@dataclass(frozen=True, slots=True)
class Expected:
    """Shares, 0..1, to expect of cards of some length; "wrong" are wrong names by cards that lie there."""

    one_look: float
    one_look_wrong: float
    watched: float
    watched_wrong: float


@dataclass(frozen=True, slots=True)
class SizeTable:
    """Rows by growing length; how long "some seconds" are; checksums of the weights it was measured with."""

    rows: tuple[SizeRow, ...]
    watched_ms: int
    weights: Mapping[str, str]

    def nearest(self, length_px: float) -> SizeRow:
        """The row whose length is nearest in ratio."""
        return min(self.rows, key=lambda row: abs(np.log(max(length_px, 1.0) / row.length_px)))

    def expected(self, length_px: float) -> Expected:
        """What to expect: between rows on a line over the logarithm of the length, beyond them theirs."""
        at, lengths = np.log(max(length_px, 1.0)), np.log([row.length_px for row in self.rows])

        def share(values: list[float]) -> float:
            return float(np.interp(at, lengths, values))

        return Expected(
            one_look=share([row.one_look.right_share for row in self.rows]),
            one_look_wrong=share([row.one_look.wrong_share for row in self.rows]),
            watched=share([row.watched.right_share for row in self.rows]),
            watched_wrong=share([row.watched.wrong_share for row in self.rows]),
        )

    def is_good(self, length_px: float) -> bool:
        """Whether single looks read cards of that length nearly as well as those of the best row."""
        expected = self.expected(length_px)
        return expected.one_look - expected.one_look_wrong >= self._best - _AS_GOOD

    @property
    def good_px(self) -> tuple[float, float]:
        """The shortest and the longest card of the rows that are good."""
        good = [row.length_px for row in self.rows if self.is_good(row.length_px)]
        return min(good), max(good)

    @property
    def _best(self) -> float:
        return max(row.one_look.right_share - row.one_look.wrong_share for row in self.rows)


@cache
def size_table(path: Path = TABLE_FILE) -> SizeTable:
    """The table of the package.

    Raises:
        WorkFailedError: It is not there, or broken.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return SizeTable(
            rows=tuple(sorted(map(_row, data["rows"]), key=lambda row: row.length_px)),
            watched_ms=int(data["watched_ms"]),
            weights={str(name): str(value) for name, value in data["weights"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WorkFailedError(
            f"{path.name}: the table of card sizes cannot be used ({error}); install kemps again"
        ) from error


def _row(told: dict[str, Any]) -> SizeRow:
    one, watched = (
        Counts(int(counts["cards"]), int(counts["right"]), int(counts["wrong"]))
        for counts in (told["one_look"], told["watched"])
    )
    return SizeRow(float(told["length_px"]), one, watched)
