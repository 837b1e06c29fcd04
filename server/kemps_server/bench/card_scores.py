"""Precision, recall, F1 and pictures read exactly, by groups of pictures; what was wrong though sure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Final

import numpy as np

from kemps_server.bench.card_photos import Outcome
from kemps_server.bench.confidence import Interval, f1_interval, f1_of, wilson

SURE_SHARE: Final = 0.9
"""A score is high when at least this share of all cards is read with it or a higher one."""


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 a card, and the share of pictures read without any error, with 95 % intervals.

    Those of shares are Wilson's; that of F1 is of ``f1_interval``. Of the ``missed``, ``unread_right`` were
    told to be there without a name; ``unread_wrong`` more were told than there are.
    """

    photos: int
    cards: int
    precision: float
    recall: float
    f1: float
    exact: float
    precision_95: Interval
    recall_95: Interval
    f1_95: Interval
    exact_95: Interval
    wrong: int
    missed: int
    unread_right: int
    unread_wrong: int
    ms_median: float

    def as_json(self) -> dict[str, Any]:
        """The figures as plain values, rounded."""
        return {
            name: [round(part, 4) for part in value] if isinstance(value, tuple) else round(value, 4)
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True, slots=True)
class WrongAndSure:
    """Cards that do not lie there but were read with a score that most right cards have.

    Attributes:
        cards: How many cards are labelled.
        score: The score that 90 % of these were read with at least; 0 when fewer were read at all.
        sure: How many were.
        wrong: How many cards that do not lie there have it too.
        names: Which, with their pictures.
    """

    cards: int
    score: float
    sure: int
    wrong: int
    names: tuple[str, ...]


def score(outcomes: Sequence[Outcome]) -> Score:
    """The figures over some pictures; all 0 when there are none."""
    counts = np.array([[o.hits, len(o.photo.cards), len(o.extra)] for o in outcomes], dtype=np.float64)
    counts = counts.reshape(-1, 3)
    hits, labelled, extra = (int(part) for part in counts.sum(axis=0))
    right = sum(o.is_exact for o in outcomes)
    return Score(
        photos=len(outcomes),
        cards=labelled,
        precision=hits / max(1, hits + extra),
        recall=hits / max(1, labelled),
        f1=f1_of(hits, labelled, extra),
        exact=right / max(1, len(outcomes)),
        precision_95=wilson(hits, hits + extra),
        recall_95=wilson(hits, labelled),
        f1_95=f1_interval(counts),
        exact_95=wilson(right, len(outcomes)),
        wrong=extra,
        missed=labelled - hits,
        unread_right=sum(min(o.unread, len(o.missed)) for o in outcomes),
        unread_wrong=sum(max(0, o.unread - len(o.missed)) for o in outcomes),
        ms_median=float(np.median([o.ms for o in outcomes])) if outcomes else 0.0,
    )


def groups(outcomes: Sequence[Outcome], headings: Callable[[Outcome], list[str]]) -> dict[str, list[Outcome]]:
    """The outcomes under each heading of the report."""
    result: dict[str, list[Outcome]] = {}
    for one in outcomes:
        for name in headings(one):
            result.setdefault(name, []).append(one)
    return dict(sorted(result.items(), key=lambda item: (_RANK.get(item[0], 3), _in_order(item[0]))))


def _in_order(name: str) -> tuple[str, int, str]:
    """Sorts names, and lengths by their px."""
    number = re.search(r"(?<= )\d+(?=[ –])", name) if name.startswith("card length") else None
    if number is None:
        return name, 0, ""
    return "card length", 0 if "under" in name else int(number[0]), name


_RANK: Final = {
    "all": 0,
    "tuning sources": 1,
    "reporting sources": 2,
    "sources neither tuned on nor listed": 2,
    "other letters": 4,
}


def wrong_and_sure(outcomes: Sequence[Outcome]) -> WrongAndSure:
    """How many cards were read wrongly with a score that at least 90 % of all labelled cards reach."""
    cards = sum(len(one.photo.cards) for one in outcomes)
    right = sorted((sure for one in outcomes for sure in one.right_scores), reverse=True)
    needed = ceil(SURE_SHARE * cards)
    high = right[needed - 1] if 0 < needed <= len(right) else 0.0
    names = [
        f"{card} in {one.photo.path.name} ({sure:.3f})"
        for one in outcomes
        for card, sure in zip(one.extra, one.extra_scores, strict=True)
        if sure >= high
    ]
    return WrongAndSure(cards, high, sum(sure >= high for sure in right), len(names), tuple(names))


def error_line(one: Outcome) -> dict[str, Any]:
    """What was read wrongly in a picture, as plain values."""
    return {
        "image": one.photo.path.name,
        "missed": [*map(str, one.missed)],
        "extra": [*map(str, one.extra)],
        "extra_scores": [round(sure, 3) for sure in one.extra_scores],
    }


def recall_by_colour(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The recall of red and of black cards: a reader that leans on colour does worse on one of them."""
    colours = {"red": "dh", "black": "cs"}
    result = {}
    for colour, suits in colours.items():
        labelled = sum(card.suit in suits for one in outcomes for card in one.photo.cards)
        missed = sum(card.suit in suits for one in outcomes for card in one.missed)
        result[colour] = round(1.0 - missed / max(1, labelled), 4)
    return result
