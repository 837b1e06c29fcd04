"""One open file for all who ask: threads take turns, and none turns a picture into colours twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np

from kemps_server.film.reel import Reel

CLIP = Path(str(files("kemps_server").joinpath("demo/demo.mp4")))
THREADS = 4


def test_threads_that_want_the_same_pictures_get_them_all() -> None:
    """With one converter for a frame the process ended in a segmentation fault here, or never went on."""
    with Reel(CLIP) as reel, ThreadPoolExecutor(THREADS) as threads:
        places = [30 + turn % 5 for turn in range(60)]
        one = [reel.picture(place).rgb() for place in places[:5]]
        for got in threads.map(lambda _: [reel.picture(place).rgb() for place in places], range(THREADS)):
            assert all(np.array_equal(one[place % 5], shown) for place, shown in enumerate(got))
