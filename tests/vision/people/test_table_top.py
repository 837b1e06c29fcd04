"""The table's top is found by its colour round the centre; what has no even colour is not guessed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kemps_vision.frame import Image
from kemps_vision.people.table_top import table_top

CENTRE = ((560.0, 320.0), (720.0, 320.0), (720.0, 420.0), (560.0, 420.0))
TOP = np.array([[200, 120], [1080, 120], [1180, 640], [100, 640]])


def room(colour: tuple[int, int, int] = (30, 100, 60), *, shade: float = 1.0, things: bool = True) -> Image:
    noise = np.random.default_rng(2).normal(0, 4, (720, 1280, 1))
    canvas = np.full((720, 1280, 3), (120, 108, 100), np.float64)
    cv2.fillPoly(canvas, [TOP.astype(np.int32)], colour)
    canvas *= np.linspace(1.0, shade, 1280)[None, :, None]
    if things:
        cv2.circle(canvas, (420, 300), 50, (200, 40, 40), -1)
        cv2.rectangle(canvas, (580, 330), (640, 410), (235, 235, 230), -1)
        cv2.line(canvas, (640, 720), (650, 430), (200, 160, 140), 60)
    return np.clip(canvas + noise, 0, 255).astype(np.uint8)


def overlap(outline: tuple[tuple[float, float], ...] | None) -> float:
    assert outline is not None
    masks = []
    for polygon in (np.asarray(outline), TOP):
        mask = np.zeros((720, 1280), np.uint8)
        cv2.fillPoly(mask, [np.round(polygon).astype(np.int32)], 1)
        masks.append(mask > 0)
    return float((masks[0] & masks[1]).sum() / (masks[0] | masks[1]).sum())


@pytest.mark.parametrize("colour", [(30, 100, 60), (140, 90, 50), (60, 62, 70), (215, 205, 190)])
def test_the_top_is_found_with_things_and_an_arm_on_it(colour: tuple[int, int, int]) -> None:
    assert overlap(table_top(room(colour), CENTRE)) > 0.93


def test_light_may_fall_unevenly() -> None:
    assert overlap(table_top(room(shade=0.7), CENTRE)) > 0.9


def test_a_table_that_fills_the_picture_ends_where_the_picture_does() -> None:
    felt = np.random.default_rng(3).normal((30, 100, 60), 4, (720, 1280, 3)).clip(0, 255).astype(np.uint8)
    outline = table_top(felt, CENTRE)
    assert outline is not None
    assert cv2.contourArea(np.asarray(outline, np.float32)) > 0.97 * 720 * 1280


def test_where_no_colour_is_the_tables_there_is_no_outline() -> None:
    patches = np.random.default_rng(4).integers(0, 255, (18, 32, 3)).astype(np.uint8)
    assert table_top(np.kron(patches, np.ones((40, 40, 1), np.uint8)), CENTRE) is None
    assert table_top(room(), ((2000.0, 2000.0), (2100.0, 2000.0), (2100.0, 2100.0))) is None
