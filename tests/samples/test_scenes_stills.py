from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_scenes import SpecError
from kemps_scenes.stills import STILL_LAYOUTS, random_still, write_still

FRAMES = Path(__file__).resolve().parent.parent.parent / "samples" / "frames"


@pytest.mark.parametrize("layout", STILL_LAYOUTS)
def test_stills_tell_which_cards_lie_where(layout: str) -> None:
    still = random_still(3, layout=layout, width=640, height=360)
    assert still.pixels.shape == (360, 640, 3)
    named = [card["card"] for card in still.truth["cards"] if card["card"]]
    assert len(named) == len(set(named)) >= 3
    shares = [card["visible"] for card in still.truth["cards"]]
    if layout == "separate":
        assert min(shares) > 0.6
    else:
        assert min(shares) < 0.7 < max(shares)


def test_a_seed_is_a_still_and_another_seed_another() -> None:
    first, again, other = (random_still(seed, width=320, height=180) for seed in (8, 8, 9))
    assert np.array_equal(first.pixels, again.pixels)
    assert first.truth == again.truth
    assert first.truth["cards"] != other.truth["cards"]


def test_a_still_is_written_with_its_truth(tmp_path: Path) -> None:
    still = write_still(2, tmp_path / "still.png", layout="fan")
    picture = cv2.imread(str(tmp_path / "still.png"))
    assert picture is not None
    assert np.array_equal(picture[..., ::-1], still.pixels)
    stored = json.loads((tmp_path / "still.json").read_text("utf-8"))
    assert stored["image"] == "still.png"
    assert stored["cards"] == still.truth["cards"]


def test_an_unknown_layout_is_an_error() -> None:
    with pytest.raises(SpecError, match="fan"):
        random_still(1, layout="tower")


def test_committed_stills_are_small_and_have_truth() -> None:
    pictures = sorted(FRAMES.glob("*.jpg"))
    assert len(pictures) >= 4
    for path in pictures:
        assert path.stat().st_size <= 300_000
        truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
        picture = cv2.imread(str(path))
        assert picture is not None
        assert [picture.shape[1], picture.shape[0]] == truth["size"]
        assert truth["cards"]
