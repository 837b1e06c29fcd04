"""Labelled pictures of cards: what lies in each, and how well a reader read them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kemps_rules.cards import Card
from kemps_rules.errors import CardError
from kemps_server.bench.card_looks import Look
from kemps_server.errors import KempsServerError

TUNING_SOURCES: Final = ("sergiodomgui", "rd-pong", "MrPawelas", "geaxgx", "adriank122")
"""Photos on which the thresholds were chosen."""

REPORTING_SOURCES: Final = (
    "notanumber11", "wmcnicho", "martinabeleda", "evan1hoyle", "erni27", "Greg2828",
)  # fmt: skip
"""Photos on which nothing was chosen."""

SMALL_HAND: Final = 6
"""What is asked of fans and whole photos is asked for up to so many cards: more than a hand of Kemps."""

_COLUMNS: Final = {"image", "cards", "layout", "source"}
_GERMAN_NOTE: Final = "GERMAN"
_JUMBO_NOTE: Final = "jumbo index"
_WEBCAM_NOTE: Final = "640x480 webcam"
_LENGTHS_PX: Final = (70, 110, 200, 400)
_DIM, _BRIGHT = 80, 140  # mean grey level of the picture
_FLAT: Final = 35  # standard deviation of its grey levels


@dataclass(frozen=True, slots=True)
class Photo:
    """One labelled picture.

    Attributes:
        path: Where it is, or for made-up ones what it is called.
        cards: What a reader should read.
        layout: How they lie: ``single``, ``separate``, ``overlap`` or ``fan``.
        source: Who took it.
        is_recall_only: More cards are partly visible than are labelled, so nothing counts as too much.
        notes: What the label says besides.
        may_be_read: Cards that lie there too, but show too little for reading to be asked for.
    """

    path: Path
    cards: tuple[Card, ...]
    layout: str
    source: str
    is_recall_only: bool
    notes: str = ""
    may_be_read: tuple[Card, ...] = ()

    @property
    def is_for_tuning(self) -> bool:
        """Whether thresholds may be chosen on this photo."""
        return any(name in self.source for name in TUNING_SOURCES)

    @property
    def is_for_reporting(self) -> bool:
        """Whether its source is one of those on which nothing was chosen."""
        return any(name in self.source for name in REPORTING_SOURCES)

    @property
    def has_other_letters(self) -> bool:
        """Whether its deck has German letters (B, D for J, Q)."""
        return _GERMAN_NOTE in self.notes

    @property
    def is_small_hand(self) -> bool:
        """Whether no more cards are labelled than ``SMALL_HAND``."""
        return len(self.cards) <= SMALL_HAND


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one picture was read.

    Attributes:
        missed: Labelled cards that were not read.
        extra: Cards that were read and do not lie there.
        ms: How long it took.
        unread: How many cards the reader said to be there without naming them.
        right_scores: How sure it was of each labelled card that it read.
        extra_scores: How sure it was of each of ``extra``, in their order.
        length_px: The median length of the cards as read, None when none was.
        brightness: Mean grey level, 0..255, None when it was not measured.
        contrast: Standard deviation of the grey levels.
        label: What else is known of a made-up picture.
    """

    photo: Photo
    missed: tuple[Card, ...]
    extra: tuple[Card, ...]
    ms: float
    unread: int = 0
    right_scores: tuple[float, ...] = ()
    extra_scores: tuple[float, ...] = ()
    length_px: float | None = None
    brightness: float | None = None
    contrast: float | None = None
    label: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hits(self) -> int:
        """How many of the labelled cards were read."""
        return len(self.photo.cards) - len(self.missed)

    @property
    def is_exact(self) -> bool:
        """Whether every card was read and nothing else."""
        return not self.missed and not self.extra


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
    return _judged(photo, [(card, 1.0) for card in read], ms, unread)


def outcome_of(photo: Photo, look: Look) -> Outcome:
    """What one look told held against the label."""
    read = [(Card.parse(seen.card), seen.score) for seen in look.cards]
    judged = _judged(photo, read, look.ms, look.unread)
    lengths = sorted(seen.length_px for seen in look.cards)
    return Outcome(
        photo,
        judged.missed,
        judged.extra,
        judged.ms,
        judged.unread,
        judged.right_scores,
        judged.extra_scores,
        length_px=lengths[len(lengths) // 2] if lengths else None,
        brightness=look.brightness,
        contrast=look.contrast,
        label=look.label,
    )


def photo_headings(one: Outcome) -> list[str]:
    """The headings of the report that a photo stands under; decks with other letters only under their own."""
    photo = one.photo
    if photo.has_other_letters:
        return ["other letters"]
    split = "tuning sources" if photo.is_for_tuning else "reporting sources"
    if not photo.is_for_tuning and not photo.is_for_reporting:
        split = "sources neither tuned on nor listed"
    size = f"up to {SMALL_HAND} cards" if photo.is_small_hand else f"more than {SMALL_HAND} cards"
    layouts = [f"layout {photo.layout}", f"layout {photo.layout}, {size}"]
    if photo.layout in ("overlap", "fan"):
        layouts.append(f"overlaps and fans, {size}")
    names = ["all", split, *layouts, *(f"{name}, {split}" for name in layouts), f"source {photo.source}"]
    if _JUMBO_NOTE in photo.notes:
        is_webcam = photo.notes.startswith(_WEBCAM_NOTE) and photo.layout == "single"
        names += ["jumbo index"] + [f"{_WEBCAM_NOTE} singles, jumbo index"] * is_webcam
    names.append(
        "card length unknown" if one.length_px is None else f"{length_class(one.length_px)}, as read"
    )
    if one.brightness is not None and one.contrast is not None:
        light = "dim" if one.brightness < _DIM else "usual" if one.brightness < _BRIGHT else "bright"
        names += [f"light {light}", f"contrast {'low' if one.contrast < _FLAT else 'usual'}"]
    return names


def length_class(length_px: float) -> str:
    """The class that a card of this length stands under.

    >>> length_class(85), length_class(500)
    ('card length 70–110 px', 'card length from 400 px')
    """
    place = sum(length_px >= bound for bound in _LENGTHS_PX)
    if place == 0:
        return f"card length under {_LENGTHS_PX[0]} px"
    if place == len(_LENGTHS_PX):
        return f"card length from {_LENGTHS_PX[-1]} px"
    return f"card length {_LENGTHS_PX[place - 1]}–{_LENGTHS_PX[place]} px"


def _judged(photo: Photo, read: Iterable[tuple[Card, float]], ms: float, unread: int) -> Outcome:
    left, spare = Counter(photo.cards), Counter(photo.may_be_read)
    right, extra = [], []
    for card, sure in sorted(read, key=lambda one: -one[1]):
        if left[card]:
            left[card] -= 1
            right.append(sure)
        elif spare[card]:
            spare[card] -= 1
        elif not photo.is_recall_only:
            extra.append((card, sure))
    return Outcome(
        photo,
        tuple(left.elements()),
        tuple(card for card, _ in extra),
        ms,
        unread,
        tuple(right),
        tuple(sure for _, sure in extra),
    )


def _photo(folder: Path, labels: Path, line: int, row: dict[str, str]) -> Photo:
    try:
        cards = tuple(Card.parse(text) for text in row["cards"].split())
    except CardError as error:
        raise KempsServerError(f"{labels}, line {line}: {error}") from None
    notes = row.get("notes") or ""
    return Photo(
        folder / row["image"], cards, row["layout"], row["source"], "recall only" in notes, notes=notes
    )
