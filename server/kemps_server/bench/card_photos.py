"""Labelled photos of cards: what lies in each, and how well a reader read them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import Card
from kemps_rules.errors import CardError
from kemps_server.errors import KempsServerError

TUNING_SOURCES: Final = ("sergiodomgui", "rd-pong", "MrPawelas", "geaxgx", "adriank122")
"""Photos on which the thresholds were chosen; the others are for reporting."""

OTHER_LETTERS: Final = ("AnimaNo",)
"""Decks with German letters (B, D for J, Q), which the international alphabet does not claim to read."""

_COLUMNS: Final = {"image", "cards", "layout", "source"}
_RESAMPLES: Final = 1000
_Z: Final = 1.959964  # 95 % of a normal distribution lie within


@dataclass(frozen=True, slots=True)
class Photo:
    """One labelled photo; ``is_recall_only`` says that more cards are partly visible than are labelled."""

    path: Path
    cards: tuple[Card, ...]
    layout: str
    source: str
    is_recall_only: bool

    @property
    def is_for_tuning(self) -> bool:
        """Whether thresholds may be chosen on this photo."""
        return any(name in self.source for name in TUNING_SOURCES)

    @property
    def has_other_letters(self) -> bool:
        """Whether its deck has letters that this alphabet does not know."""
        return any(name in self.source for name in OTHER_LETTERS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one photo was read: labelled cards that were missed, cards that are not labelled, and the time.

    ``unread`` is how many cards the reader said to be there without naming them.
    """

    photo: Photo
    missed: tuple[Card, ...]
    extra: tuple[Card, ...]
    ms: float
    unread: int = 0

    @property
    def hits(self) -> int:
        """How many of the labelled cards were read."""
        return len(self.photo.cards) - len(self.missed)

    @property
    def is_exact(self) -> bool:
        """Whether every card was read and nothing else."""
        return not self.missed and not self.extra


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 a card, and the share of photos read without any error, with 95 % intervals.

    The intervals of the first three are from resampling whole photos, since cards of a photo share its
    light and deck; that of ``exact`` is Wilson's. Of the ``missed``, ``unread_right`` were told to be there
    without a name; ``unread_wrong`` more were told than there are.
    """

    photos: int
    cards: int
    precision: float
    recall: float
    f1: float
    exact: float
    precision_95: tuple[float, float]
    recall_95: tuple[float, float]
    f1_95: tuple[float, float]
    exact_95: tuple[float, float]
    wrong: int
    missed: int
    unread_right: int
    unread_wrong: int
    ms_median: float


def load_photos(folder: Path) -> list[Photo]:
    """The photos that ``labels.csv`` in the folder lists, except those whose labels are of low confidence.

    Raises:
        KempsServerError: The folder has no such list, or the list cannot be used.
    """
    labels = folder / "labels.csv"
    try:
        with labels.open(newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            rows = [(table.line_num, row) for row in table]
    except (OSError, UnicodeDecodeError, csv.Error):
        message = f"{labels}: not there or not readable; --data names the folder of photos"
        raise KempsServerError(message) from None
    if missing := _COLUMNS - set(table.fieldnames or ()):
        raise KempsServerError(f"{labels}: lacks the columns {', '.join(sorted(missing))}")
    return [_photo(folder, labels, line, row) for line, row in rows if row.get("confidence", "high") != "low"]


def outcome(photo: Photo, read: Iterable[Card], ms: float, unread: int = 0) -> Outcome:
    """What was read held against the label; in "recall only" photos nothing counts as extra."""
    wanted, got = Counter(photo.cards), Counter(read)
    extra = () if photo.is_recall_only else tuple((got - wanted).elements())
    return Outcome(photo, tuple((wanted - got).elements()), extra, ms, unread)


def score(outcomes: Sequence[Outcome]) -> Score:
    """The figures over some photos; all 0 when there are none."""
    counts = np.array([[o.hits, len(o.photo.cards), len(o.extra)] for o in outcomes], dtype=np.float64)
    counts = counts.reshape(-1, 3)
    precision, recall, f1 = _rates(counts.sum(axis=0, keepdims=True))[:, 0]
    spread = _intervals(counts)
    right = sum(o.is_exact for o in outcomes)
    return Score(
        photos=len(outcomes),
        cards=int(counts[:, 1].sum()),
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
        exact=right / max(1, len(outcomes)),
        precision_95=spread[0],
        recall_95=spread[1],
        f1_95=spread[2],
        exact_95=wilson(right, len(outcomes)),
        wrong=int(counts[:, 2].sum()),
        missed=int((counts[:, 1] - counts[:, 0]).sum()),
        unread_right=sum(min(o.unread, len(o.missed)) for o in outcomes),
        unread_wrong=sum(max(0, o.unread - len(o.missed)) for o in outcomes),
        ms_median=float(np.median([o.ms for o in outcomes])) if outcomes else 0.0,
    )


def recall_by_colour(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The recall of red and of black cards: a reader that leans on colour does worse on one of them."""
    colours = {"red": "dh", "black": "cs"}
    result = {}
    for colour, suits in colours.items():
        labelled = sum(card.suit in suits for one in outcomes for card in one.photo.cards)
        missed = sum(card.suit in suits for one in outcomes for card in one.missed)
        result[colour] = 1.0 - missed / max(1, labelled)
    return result


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson(9, 10)]
    [0.596, 0.982]
    """
    if of == 0:
        return 0.0, 1.0
    share, spread = right / of, _Z * _Z / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * np.sqrt(share * (1 - share) / of + spread / (4 * of))
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes under each heading of the report; decks with other letters stand only under their own."""
    result: dict[str, list[Outcome]] = {}
    for one in outcomes:
        photo = one.photo
        split = "tuning sources" if photo.is_for_tuning else "reporting sources"
        size = "up to 6 cards" if len(photo.cards) <= 6 else "more than 6 cards"
        layout = f"layout {photo.layout}"
        names = ["all", split, layout, f"{layout}, {size}", f"source {photo.source}"]
        for name in ["other letters"] if photo.has_other_letters else names:
            result.setdefault(name, []).append(one)
    return dict(sorted(result.items(), key=lambda item: (_RANK.get(item[0], 3), item[0])))


_RANK: Final = {"all": 0, "tuning sources": 1, "reporting sources": 2, "other letters": 4}


def _photo(folder: Path, labels: Path, line: int, row: dict[str, str]) -> Photo:
    try:
        cards = tuple(Card.parse(text) for text in row["cards"].split())
    except CardError as error:
        raise KempsServerError(f"{labels}, line {line}: {error}") from None
    is_recall_only = "recall only" in (row.get("notes") or "")
    return Photo(folder / row["image"], cards, row["layout"], row["source"], is_recall_only)


def _rates(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, n) precision, recall and F1 from (n, 3) sums of hits, labelled cards and extra cards."""
    hits, labelled, extra = sums.T
    precision = hits / np.maximum(1.0, hits + extra)
    recall = hits / np.maximum(1.0, labelled)
    return np.stack([precision, recall, 2 * precision * recall / np.maximum(1e-9, precision + recall)])


def _intervals(counts: NDArray[np.float64]) -> list[tuple[float, float]]:
    if len(counts) == 0:
        return [(0.0, 1.0)] * 3
    rows = np.random.default_rng(0).integers(0, len(counts), (_RESAMPLES, len(counts)))
    low, high = np.percentile(_rates(counts[rows].sum(axis=1)), [2.5, 97.5], axis=1)
    return [(float(least), float(most)) for least, most in zip(low, high, strict=True)]
