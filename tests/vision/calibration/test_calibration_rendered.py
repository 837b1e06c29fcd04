"""A rendered game whose camera trembles and is nudged."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kemps_scenes.script import plan_scene
from kemps_scenes.spec import SceneSpec
from kemps_scenes.stage import Stage
from kemps_scenes.trials import short_game
from kemps_vision.calibration.drift import CameraDrift, Change
from kemps_vision.frame import Image

CENTRE = np.array([[220.0, 130.0], [420.0, 130.0], [420.0, 230.0], [220.0, 230.0]])
FPS = 15


@pytest.fixture(scope="module")
def game() -> list[Image]:
    """A picture of each second of a game in which cards are swapped, swept and shown, 800 x 450."""
    spec = SceneSpec(
        seed=58_901, width=800, height=450, surface="wood", clutter="some", shake_px=0.8, fps=FPS
    )
    stage = Stage(plan_scene(short_game(spec.seed), spec))
    return [stage.frame(index).pixels for index in range(0, min(stage.frame_count, 16 * FPS), FPS)]


def moved(dx: float, dy: float, turn_deg: float) -> np.ndarray:
    """(3, 3) of pictures of 640 x 360."""
    turn = cv2.getRotationMatrix2D((319.5, 179.5), -turn_deg, 1.0)
    return np.vstack([turn + np.array([[0, 0, dx], [0, 0, dy]]), [0, 0, 1]])


def watched(pictures: list[Image], move: np.ndarray, since: int) -> list[Change]:
    """What is told of a camera that sees the middle of the pictures, nudged from one of them on."""
    drift, told = CameraDrift((640, 360)), []
    crop = np.array([[1.0, 0, -80], [0, 1, -45], [0, 0, 1]])
    for second, picture in enumerate(pictures):
        matrix = move @ crop if second >= since else crop
        seen = np.asarray(cv2.warpPerspective(picture, matrix, (640, 360)), np.uint8)
        change = drift.watch(second * 1000, seen)
        told += [] if change is None else [change]
    return told


def test_play_and_a_tremble_are_no_alarm(game: list[Image]) -> None:
    assert len(game) >= 14
    assert watched(game, np.eye(3), 0) == []


@pytest.mark.parametrize("nudge", [(3.0, 0.0, 0.0), (-20.0, 8.0, 2.0)])
def test_a_nudge_in_the_middle_of_play_is_told_and_followed(
    game: list[Image], nudge: tuple[float, float, float]
) -> None:
    (change,) = watched(game, moved(*nudge), 9)
    assert 9000 <= change.at_ms <= 12_000
    true = cv2.perspectiveTransform(CENTRE[None], moved(*nudge))[0]
    assert np.linalg.norm(change.alignment.moved(CENTRE) - true, axis=1).max() < 1.5
