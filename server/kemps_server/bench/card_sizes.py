"""How well cards are read by their length in the picture: the table that ``kemps doctor`` looks things up in.

::

    python -m kemps_server.bench.card_sizes

It renders tables of the made-up kind at growing sizes of picture, whose decks were never trained on, as a
webcam would send them, and counts the cards that are named in one look, and after three seconds of watching.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kemps_models.registry import load_manifest
from kemps_rules.cards import DECK_52, Card
from kemps_rules.events import CentreTurned, DealStarted, Event, GameOpened
from kemps_server.doctoring.card_sizes import TABLE_FILE
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.reading import CardReader, Pixels
from kemps_vision.frame import Frame, SourceInfo
from kemps_vision.pipeline import Observer

LENGTHS_PX: Final = (36, 48, 60, 75, 95, 120, 160)
"""Card lengths aimed at; a card counts for the one nearest to its own, in ratio."""

WATCHED_MS: Final = 3000
_FPS: Final = 15
_CARD_SHARE: Final = 0.088 / 0.96  # of the picture's width that a card is long, in the view named "arm"
_JPEG_QUALITY: Final = 85
_TURNED_MS: Final = 1600
_CLEAR: Final = 0.85  # of a card in sight, to count; the truth counts small cards coarsely


@dataclass(slots=True)
class Tally:
    """Cards of one length: how many there were, how many were named, and how many wrong names came."""

    cards: int = 0
    right: int = 0
    wrong: int = 0

    def count(self, shown: Sequence[str], named: Sequence[str]) -> None:
        """Adds what lay there and what was named."""
        there, told = Counter(shown), Counter(named)
        self.cards += len(shown)
        self.right += (there & told).total()
        self.wrong += (told - there).total()


@dataclass(slots=True)
class Row:
    """The tallies of one card length, in one look and after some seconds."""

    length_px: int
    one_look: Tally = field(default_factory=Tally)
    watched: Tally = field(default_factory=Tally)

    def as_json(self) -> dict[str, Any]:
        """The row as it stands in the table."""
        return {
            "length_px": self.length_px,
            "one_look": asdict(self.one_look),
            "watched": asdict(self.watched),
        }


def measure(stills: int, clips: int, reader: CardReader) -> list[Row]:
    """A row for each of ``LENGTHS_PX``, from so many stills and clips a length."""
    rows = [Row(length) for length in LENGTHS_PX]
    for row in rows:
        for seed in range(stills):
            _look_once(rows, row.length_px, 7000 + seed, reader)
        for seed in range(clips):
            _watch(row, 9000 + seed, reader)
        print(json.dumps(row.as_json()), file=sys.stderr, flush=True)  # noqa: T201 - how far it is
    return rows


def _look_once(rows: Sequence[Row], length_px: int, seed: int, reader: CardReader) -> None:
    from kemps_scenes.stills import random_still  # noqa: PLC0415 - the wheel has no samples

    width, height = _size_for(length_px)
    still = random_still(seed, layout="separate", width=width, height=height)
    shown = [card for card in still.truth["cards"] if card["card"] and card["face_to_camera"]]
    shown = [card for card in shown if card["visible"] >= _CLEAR]
    reading = reader.read(_as_sent(still.pixels))
    named = {str(card.card): card.length_px for card in reading.known}
    for card in shown:
        row = nearest(rows, quad_length(card["quad"]))
        row.one_look.count([card["card"]], [card["card"]] if card["card"] in named else [])
    lying = {card["card"] for card in still.truth["cards"]}
    for name, long_px in named.items():
        if name not in lying:
            nearest(rows, long_px).one_look.count([], [name])


def _watch(row: Row, seed: int, reader: CardReader) -> None:
    """Watches four cards that have just been turned over, for ``WATCHED_MS``."""
    rng = np.random.default_rng([seed, row.length_px])
    cards = [DECK_52[int(n)] for n in rng.permutation(52)[:4]]
    width, height = _size_for(row.length_px)
    info = SourceInfo(name="table", where="table", kind="file", width=width, height=height, fps=_FPS)
    observer = Observer(info, reader)
    observer.open()
    free_ms: int | None = None
    for frame, is_free in _frames(cards, rng, seed, (width, height)):
        observer.step(frame)
        free_ms = frame.at_ms if free_ms is None and is_free else free_ms
        if free_ms is not None and frame.at_ms - free_ms >= WATCHED_MS:
            break
    spots = () if observer.snapshot is None else observer.snapshot.spots
    named = [str(spot.card) for spot in spots if spot.is_settled and spot.card is not None]
    row.watched.count([str(card) for card in cards], named)


def _frames(
    cards: list[Card], rng: np.random.Generator, seed: int, size: tuple[int, int]
) -> Iterator[tuple[Frame, bool]]:
    """The frames of a centre being turned over, each with whether all of its cards lie free."""
    from kemps_scenes import SceneSpec, render_scene  # noqa: PLC0415 - the wheel has no samples
    from kemps_scenes.looks import DECKS  # noqa: PLC0415
    from kemps_scenes.spec import CENTRE_LAYOUTS, SURFACES  # noqa: PLC0415

    spec = SceneSpec(
        seed=seed,
        width=size[0],
        height=size[1],
        fps=_FPS,
        deck=str(rng.choice(list(DECKS))),
        surface=str(rng.choice(SURFACES)),
        centre=str(rng.choice(CENTRE_LAYOUTS)),
        noise=float(rng.uniform(0.5, 4.0)),
        flicker=float(rng.uniform(0.0, 0.03)),
        shake_px=float(rng.uniform(0.0, 0.4)),
        tail_ms=WATCHED_MS + 2500,
    )
    _, frames = render_scene(_centre_of(cards), spec)
    names = {str(card) for card in cards}
    for frame in frames:
        free = {card["card"] for card in frame.truth["cards"] if _lies_free(card)}
        yield Frame("table", frame.index, frame.at_ms, _as_sent(frame.pixels)), names <= free


def _centre_of(cards: list[Card]) -> list[Event]:
    return [
        GameOpened(at_ms=0, rules="leaflet", seats={seat: f"Player {seat}" for seat in "ABCD"}),
        DealStarted(at_ms=0, dealer="A"),
        CentreTurned(at_ms=_TURNED_MS, cards=tuple(cards)),
    ]


def _lies_free(card: dict[str, Any]) -> bool:
    return bool(card["face_to_camera"]) and card["where"] == "table" and card["visible"] >= _CLEAR


def nearest(rows: Sequence[Row], length_px: float) -> Row:
    """The row whose card length is nearest in ratio."""
    return min(rows, key=lambda row: abs(np.log(max(length_px, 1.0) / row.length_px)))


def quad_length(quad: Sequence[Sequence[float]]) -> float:
    """The mean length of a truth quad's two long sides."""
    corners = np.asarray(quad, np.float64)
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    return float(max(sides[::2].mean(), sides[1::2].mean()))


def _size_for(length_px: int) -> tuple[int, int]:
    width = 2 * round(length_px / _CARD_SHARE / 2)
    return width, 2 * round(width * 9 / 32)


def _as_sent(pixels: Pixels) -> Pixels:
    """The picture after the JPEG of a webcam."""
    bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR_RGB), dtype=np.uint8)


def main(arguments: list[str] | None = None) -> int:
    """Measures and writes the table; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m kemps_server.bench.card_sizes", description=__doc__)
    parser.add_argument("--stills", type=int, default=24, help="stills a card length")
    parser.add_argument("--clips", type=int, default=12, help="clips a card length")
    parser.add_argument("--out", type=Path, default=TABLE_FILE, help="the table; else that of the package")
    chosen = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    rows = measure(chosen.stills, chosen.clips, default_reader(threads=1))
    table = {
        "made_by": "python -m kemps_server.bench.card_sizes",
        "stills": chosen.stills,
        "clips": chosen.clips,
        "watched_ms": WATCHED_MS,
        "weights": {name: entry.sha256 for name, entry in load_manifest().items()},
        "rows": [row.as_json() for row in rows],
    }
    chosen.out.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
