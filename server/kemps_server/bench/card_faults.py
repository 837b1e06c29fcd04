"""How much blur, dark, fading and glare cost the card reader: what ``kemps doctor`` sets its limits by.

::

    python -m kemps_server.bench.card_faults

It spoils rendered stills more and more, whose decks were never trained on, and prints for each step what the
doctor measures on the cards and the share of them that one look still names.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from kemps_server.doctoring.light import Light, measure_light
from kemps_server.doctoring.sharpness import blur_of
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.reading import CardReader, Pixels

_WIDTHS: Final = (872, 1308)  # cards of about 80 and 120 px
_CLEAR: Final = 0.85
_PAPER: Final = 230.0

Spoil = Callable[[Pixels, np.random.Generator], Pixels]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a fault did: the share of cards that are still named, wrong names, and the doctor's figures."""

    name: str
    right: float
    wrong: int
    paper: float
    contrast: float
    burnt: float
    blur_share: float


def blurred(pixels: Pixels, rng: np.random.Generator, share: float) -> Pixels:
    """Out of focus, by a share of a card's length."""
    sigma = share * pixels.shape[1] * 0.0917
    return _with_noise(cv2.GaussianBlur(pixels, (0, 0), sigma).astype(np.float64), rng, 1.0)


def darkened(pixels: Pixels, rng: np.random.Generator, factor: float) -> Pixels:
    """Too little light, and the noise that comes with it."""
    return _with_noise(pixels * factor, rng, 2.5)


def faded(pixels: Pixels, rng: np.random.Generator, factor: float) -> Pixels:
    """Under a veil of light, as when a lamp mirrors in the cards."""
    return _with_noise(pixels * factor + _PAPER * (1 - factor), rng, 2.0)


def brightened(pixels: Pixels, rng: np.random.Generator, factor: float) -> Pixels:
    """Exposed for too long."""
    return _with_noise(pixels * factor, rng, 2.0)


def faults() -> Iterator[tuple[str, Spoil]]:
    """The steps of each fault, the mildest first, with their names."""
    yield "none", lambda pixels, _: pixels
    for share in (0.005, 0.0085, 0.0125, 0.017, 0.025):
        yield f"blur of {100 * share:.2g} % of a card", partial(blurred, share=share)
    for factor in (0.5, 0.35, 0.25, 0.18, 0.12):
        yield f"{factor:.0%} of the light", partial(darkened, factor=factor)
    for factor in (0.7, 0.5, 0.35, 0.25):
        yield f"faded to {factor:.0%}", partial(faded, factor=factor)
    for factor in (1.3, 1.6, 2.0, 3.0):
        yield f"exposed {factor:g} times", partial(brightened, factor=factor)


def measure(stills: int, reader: CardReader) -> Iterator[Outcome]:
    """The outcome of each fault over so many stills of each size."""
    from kemps_scenes.stills import random_still  # noqa: PLC0415 - the wheel has no samples

    shown = [
        random_still(7100 + seed, layout="separate", width=width, height=2 * (width * 9 // 32))
        for seed in range(stills)
        for width in _WIDTHS
    ]
    for name, spoil in faults():
        rng = np.random.default_rng(0)
        yield _outcome(name, [(spoil(still.pixels, rng), still.truth["cards"]) for still in shown], reader)


def _outcome(name: str, pictures: list[tuple[Pixels, list[dict[str, Any]]]], reader: CardReader) -> Outcome:
    there = right = wrong = 0
    lights: list[Light] = []
    blurs: list[float] = []
    for pixels, cards in pictures:
        clear = [card for card in cards if card["card"] and card["visible"] >= _CLEAR]
        named = {str(card.card) for card in reader.read(pixels).known}
        there += len(clear)
        right += sum(card["card"] in named for card in clear)
        wrong += len(named - {card["card"] for card in cards})
        quads = [np.asarray(card["quad"], np.float64) for card in clear]
        light = measure_light(pixels, quads)
        lights += [] if light is None else [light]
        blurs += [blur / _length(quad) for quad in quads if (blur := blur_of(pixels, quad)) is not None]
    return Outcome(
        name=name,
        right=right / max(1, there),
        wrong=wrong,
        paper=float(np.median([light.paper for light in lights])),
        contrast=float(np.median([light.contrast for light in lights])),
        burnt=float(np.median([light.burnt for light in lights])),
        blur_share=float(np.median(blurs)) if blurs else float("nan"),
    )


def _length(quad: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())


def _with_noise(levels: np.ndarray[Any, Any], rng: np.random.Generator, deviation: float) -> Pixels:
    noisy = levels + rng.normal(0, deviation, levels.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m kemps_server.bench.card_faults", description=__doc__)
    parser.add_argument("--stills", type=int, default=8, help="stills of each of two card sizes")
    chosen = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    table = Table("fault", "named", "wrong names", "paper", "contrast", "burnt", "blur, by length")
    for one in measure(chosen.stills, default_reader(threads=1)):
        figures = (f"{one.right:.3f}", str(one.wrong), f"{one.paper:.0f}", f"{one.contrast:.0f}")
        table.add_row(one.name, *figures, f"{one.burnt:.2f}", f"{one.blur_share:.4f}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
