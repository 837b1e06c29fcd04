"""What another reader told about labelled photos, scored as ``kemps bench cards`` scores ours."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kemps_rules.cards import Card
from kemps_rules.errors import CardError
from kemps_server.bench.card_photos import Outcome, Photo, outcome, photo_headings
from kemps_server.bench.card_scores import groups, score
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reading import Pixels
from kemps_vision.cards.stills import load_still

SHOWN: Final = ("all", "tuning sources", "reporting sources", "layout ")
"""Headings that a comparison shows; the longer ones of a layout, by the number of cards, are left out."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a reader told about one photo: each card with its score, and the ms of processor time it took."""

    cards: tuple[tuple[Card, float], ...]
    cpu_ms: float

    def at_least(self, least: float) -> list[Card]:
        """The cards that it was sure enough of."""
        return [card for card, sure in self.cards if sure >= least]


def read_photos(
    photos: Sequence[Photo], read: Callable[[Pixels], Iterable[tuple[Card, float]]]
) -> Iterator[Told]:
    """What a function tells about each photo, decoding not counted."""
    for photo in photos:
        pixels = load_still(photo.path)
        before = time.process_time()
        cards = tuple(read(pixels))
        yield Told(cards, (time.process_time() - before) * 1000)


def load_told(path: Path, photos: Sequence[Photo]) -> list[Told]:
    """What stands in a file of JSON lines as ``kemps read --json`` prints them, for each of the photos.

    A line has ``image``, of which the name counts, ``cards`` with ``card`` and ``score`` (1 when absent), and
    ``cpu_ms`` or ``ms``.

    Raises:
        KempsServerError: It cannot be read, or a photo is missing in it.
    """
    told: dict[str, Told] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KempsServerError(f"{path}: cannot be read ({error.strerror})") from None
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            told[Path(data["image"]).name] = _told(data)
        except (ValueError, KeyError, TypeError, CardError) as error:
            raise KempsServerError(f"{path}, line {number}: is no reading of a photo ({error})") from None
    missing = [photo.path.name for photo in photos if photo.path.name not in told]
    if missing:
        raise KempsServerError(f"{path}: says nothing about {missing[0]} ({len(missing)} photos are missing)")
    return [told[photo.path.name] for photo in photos]


def outcomes_of(photos: Sequence[Photo], told: Sequence[Told], least: float = 0.0) -> list[Outcome]:
    """What was told with a score of at least ``least``, held against the labels."""
    return [outcome(photo, one.at_least(least), one.cpu_ms) for photo, one in zip(photos, told, strict=True)]


def best_threshold(photos: Sequence[Photo], told: Sequence[Told], choices: Sequence[float]) -> float:
    """The choice with the highest F1 on the tuning sources, decks with other letters left out."""
    pairs = [
        (photo, one)
        for photo, one in zip(photos, told, strict=True)
        if photo.is_for_tuning and not photo.has_other_letters
    ]

    def f1(least: float) -> float:
        return score(outcomes_of([p for p, _ in pairs], [o for _, o in pairs], least)).f1

    return max(choices, key=f1)


def report(outcomes: Sequence[Outcome]) -> Mapping[str, Mapping[str, Any]]:
    """The figures under the headings that are shown; ``ms_median`` is of processor time."""
    return {
        name: score(some).as_json()
        for name, some in groups(outcomes, photo_headings).items()
        if name.startswith(SHOWN) and "," not in name
    }


def _told(data: Mapping[str, Any]) -> Told:
    cards = tuple((Card.parse(one["card"]), float(one.get("score", 1.0))) for one in data["cards"])
    return Told(cards, float(data.get("cpu_ms", data.get("ms", 0.0))))
