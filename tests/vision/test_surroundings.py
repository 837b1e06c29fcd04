"""An arm over a card is no bare table, though its sleeve has the table's colour."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kemps_vision.appearance import TableColour
from kemps_vision.frame import Image
from kemps_vision.surroundings import REMEMBERED, Surroundings

QUAD = np.array([[120, 80], [180, 80], [180, 164], [120, 164]], np.float64)
TABLE = (150, 142, 136)
SLEEVE = (96, 91, 87)  # the same hue, darker


def table(*, light: float = 1.0, has_card: bool = False) -> Image:
    rng = np.random.default_rng(3)
    pixels = np.asarray(TABLE, np.float64) + rng.normal(0, 2, (240, 320, 1))
    if has_card:
        pixels[80:164, 120:180] = 238
    return np.clip(pixels * light, 0, 255).astype(np.uint8)


def under_a_sleeve(pixels: Image) -> Image:
    return np.asarray(cv2.line(pixels.copy(), (60, 240), (210, 60), SLEEVE, 110), np.uint8)


def seen_round_the_card() -> tuple[Surroundings, TableColour]:
    pixels = table(has_card=True)
    round_it = Surroundings()
    round_it.see(pixels, QUAD)
    colour = TableColour.round_card(pixels, QUAD)
    assert colour is not None
    return round_it, colour


@pytest.mark.parametrize("light", [1.0, 0.85, 1.15])
def test_the_bare_table_is_free_though_the_light_has_changed_a_little(light: float) -> None:
    round_it, colour = seen_round_the_card()
    assert round_it.is_free(table(light=light), QUAD, colour)


def test_a_sleeve_of_the_tables_colour_is_not() -> None:
    round_it, colour = seen_round_the_card()
    covered = under_a_sleeve(table(has_card=True))
    assert colour.share_in(covered, QUAD) > 0.9  # by its colour alone the table would show
    assert not round_it.is_free(covered, QUAD, colour)


def test_a_card_that_is_known_to_lie_over_the_ring_is_no_arm() -> None:
    round_it, colour = seen_round_the_card()
    left, top = QUAD.min(axis=0).astype(int)
    right, bottom = QUAD.max(axis=0).astype(int)
    pixels = table()
    pixels[top - 40 : bottom + 40, left - 40 : right + 10] = (250, 240, 230)
    laid = np.array(
        [[left - 40, top - 40], [right + 10, top - 40], [right + 10, bottom + 40], [left - 40, bottom + 40]],
        np.float64,
    )
    assert not round_it.is_free(pixels, QUAD, colour)
    assert round_it.is_free(pixels, QUAD, colour, (laid,))


def test_what_lay_round_it_while_it_was_in_view_may_lie_there_still() -> None:
    round_it, colour = seen_round_the_card()
    for _ in range(2):
        round_it.see(under_a_sleeve(table(has_card=True)), QUAD)
    assert round_it.is_free(under_a_sleeve(table()), QUAD, colour)
    assert round_it.is_free(table(), QUAD, colour)


def test_only_the_last_few_are_remembered() -> None:
    round_it, colour = seen_round_the_card()
    for shift in range(REMEMBERED):
        other = table(has_card=True)
        other[:, 60 * shift : 60 * shift + 110] = (20, 60, 20)
        round_it.see(other, QUAD)
    far = np.full_like(table(), 250)
    assert not round_it.is_free(far, QUAD, colour)


def test_without_a_memory_nothing_speaks_against_it() -> None:
    _, colour = seen_round_the_card()
    assert Surroundings().is_free(table(), QUAD, colour)
