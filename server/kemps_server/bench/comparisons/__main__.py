"""``python -m kemps_server.bench.comparisons``: other readers, scored on a folder of labelled photos.

::

    python -m kemps_server.bench.comparisons ours --data FOLDER
    python -m kemps_server.bench.comparisons template --data FOLDER
    python -m kemps_server.bench.comparisons score READINGS.jsonl --data FOLDER

The first reads the photos with the card reader of the product, in one look and on one thread; the second with
the template matcher; the third takes what any reader wrote, a JSON line a photo. The score that a card must
have is chosen on the tuning sources unless it is given; ours has its own thresholds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from rich.console import Console

from kemps_rules.cards import Card
from kemps_server.bench.card_photos import Photo, load_photos
from kemps_server.bench.card_tables import print_groups
from kemps_server.bench.comparisons.matching import WIDTHS_PX, Limits, TemplateMatcher
from kemps_server.bench.comparisons.scoring import (
    Told,
    best_threshold,
    load_told,
    outcomes_of,
    read_photos,
    report,
)
from kemps_server.bench.comparisons.templates import templates_of
from kemps_server.bench.template_decks import DECKS, rendered_faces
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.reading import CardReader, Pixels
from kemps_vision.errors import ImageError

CHOICES: Final = tuple(round(float(least), 2) for least in np.arange(0.05, 1.0, 0.05))


def template_matches(
    matcher: TemplateMatcher, widths_px: Sequence[int], pixels: Pixels
) -> Iterable[tuple[Card, float]]:
    """What the template matcher tells about a picture."""
    return [(one.card, one.score) for one in matcher.read(pixels, widths_px)]


def our_readings(reader: CardReader, pixels: Pixels) -> Iterable[tuple[Card, float]]:
    """What the card reader of the product tells about a picture."""
    return [(one.card, one.score) for one in reader.read(pixels).known if one.card is not None]


def main(arguments: list[str] | None = None) -> int:
    """Scores one reader and prints its table; returns the exit code."""
    chosen = _parser().parse_args(arguments)
    cv2.setNumThreads(1)
    try:
        photos = load_photos(chosen.data)
        told = _told(chosen, photos)
    except (KempsServerError, ImageError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the one line a person gets
        return 2
    if chosen.out is not None:
        _write(chosen.out, photos, told)
    least = best_threshold(photos, told, CHOICES) if chosen.least is None else chosen.least
    figures = report(outcomes_of(photos, told, least))
    if chosen.json:
        print(json.dumps({"least_score": least, "groups": figures}))  # noqa: T201 - the answer
    else:
        print_groups(Console(), f"{chosen.do}, cards with a score of at least {least:g}", figures)
    return 0


def _told(chosen: argparse.Namespace, photos: Sequence[Photo]) -> list[Told]:
    if chosen.do == "score":
        return load_told(chosen.readings, photos)
    if chosen.do == "ours":
        return list(read_photos(photos, partial(our_readings, default_reader(threads=1))))
    matcher = TemplateMatcher(templates_of(map(rendered_faces, DECKS)), Limits(chosen.off, chosen.off))
    return list(read_photos(photos, partial(template_matches, matcher, chosen.width or WIDTHS_PX)))


def _write(path: Path, photos: Sequence[Photo], told: Sequence[Told]) -> None:
    lines = [
        {
            "image": photo.path.name,
            "cards": [{"card": str(card), "score": round(sure, 4)} for card, sure in one.cards],
            "cpu_ms": round(one.cpu_ms, 1),
        }
        for photo, one in zip(photos, told, strict=True)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kemps_server.bench.comparisons",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="do", required=True)
    ours = verbs.add_parser("ours", help="the card reader of the product")
    ours.set_defaults(least=0.0)
    template = verbs.add_parser("template", help="the template matcher of OpenCV tutorials")
    template.add_argument("--width", type=int, action="append", help="px; may be repeated")
    template.add_argument("--off", type=float, default=0.5, help="how much rank and suit may differ, 0..1")
    scored = verbs.add_parser("score", help="what a reader wrote down")
    scored.add_argument("readings", type=Path, metavar="READINGS.jsonl")
    for verb in (ours, template, scored):
        verb.add_argument("--data", type=Path, required=True, help="folder of photos with a labels.csv")
        verb.add_argument("--out", type=Path, help="also write what was read, as JSON lines")
        if verb is not ours:
            verb.add_argument("--least", type=float, help="least score; else chosen on the tuning sources")
        verb.add_argument("--json", action="store_true", help="the figures as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
