"""How long the card reader's two networks take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from kemps_vision.cards.classify import IndexClassifier, Pyramid
from kemps_vision.cards.find import Candidates, IndexFinder
from kemps_vision.cards.reader import open_networks
from kemps_vision.cards.reading import Pixels

SIZES: Final = ((640, 384, 8), (1280, 720, 16))
"""Width, height and number of crops: the centre of the table, and a whole frame."""


@dataclass(frozen=True, slots=True)
class CardSpeed:
    """Milliseconds for one frame of a size, over all its repetitions; wall time where nothing else is said.

    Attributes:
        width: px.
        height: px.
        crops: How many indices are classified.
        threads: How many threads each network may use.
        find_ms: Detector with its peaks, median.
        classify_ms: Crops and classifier, median.
        fastest_ms: Both together, the fastest repetition: what the machine can do when nothing else runs.
        cpu_ms: The processor's time for both, median: fair while other things run.
    """

    width: int
    height: int
    crops: int
    threads: int
    find_ms: float
    classify_ms: float
    fastest_ms: float
    cpu_ms: float


def card_speeds(*, threads: int = 1, repeats: int = 20) -> list[CardSpeed]:
    """The committed networks' speed at each of ``SIZES``; on noise, as any picture is the same work."""
    detector, classifier = open_networks(threads=threads)
    finder, reader = IndexFinder(detector), IndexClassifier(classifier)
    speeds = []
    for width, height, crops in SIZES:
        noise = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
        places = _places(noise, crops)
        find = _times(partial(finder.find, noise), repeats)
        classify = _times(partial(_classify, reader, noise, places), repeats)
        (find_ms, find_cpu), (classify_ms, classify_cpu) = np.median([find, classify], axis=1).tolist()
        fastest = min(find)[0] + min(classify)[0]
        cpu = find_cpu + classify_cpu
        speeds.append(CardSpeed(width, height, crops, threads, find_ms, classify_ms, fastest, cpu))
    return speeds


def _classify(reader: IndexClassifier, pixels: Pixels, places: Candidates) -> object:
    return reader.classify(Pyramid(pixels), places)


def _places(pixels: Pixels, count: int) -> Candidates:
    rng = np.random.default_rng(1)
    centre = rng.uniform(40, min(pixels.shape[:2]) - 40, (count, 2))
    up, right = np.tile([0.0, -14.0], (count, 1)), np.tile([14.0, 0.0], (count, 1))
    return Candidates(centre, up, right, card_centre=centre, heat=np.ones(count))


def _times(work: Callable[[], object], repeats: int) -> list[tuple[float, float]]:
    """Wall time and the processor's time, both in ms, of each repetition."""
    work()  # the first run also allocates
    times = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        times.append(((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000))
    return times
