"""Quads moved onto the edges of their cards."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.cards.outline import on_edges
from kemps_vision.cards.reading import Pixels

FELT, CARD = (30, 95, 50), (238, 236, 230)


def a_card(turned: float = 0.3, length: float = 132.0) -> NDArray[np.float64]:
    shape = np.array([[-31.5, -44.0], [31.5, -44.0], [31.5, 44.0], [-31.5, 44.0]]) * length / 88
    cosine, sine = np.cos(turned), np.sin(turned)
    turn = np.array([[cosine, sine], [-sine, cosine]])
    return np.asarray(shape @ turn + np.array([160.0, 150.0]), dtype=np.float64)


def a_picture(quad: NDArray[np.float64], table: tuple[int, int, int] = FELT) -> Pixels:
    """The card with a court's frame in it, slightly blurred and noisy as a camera's picture."""
    pixels = np.full((300, 320, 3), table, np.uint8)
    cv2.fillConvexPoly(pixels, np.round(quad * 16).astype(np.int32), CARD, cv2.LINE_AA, shift=4)
    frame = quad.mean(axis=0) + (quad - quad.mean(axis=0)) * [[0.78]]
    cv2.polylines(pixels, [np.round(frame).astype(np.int32)], True, (40, 60, 160), 2, cv2.LINE_AA)
    noise = np.random.default_rng(1).normal(0, 3, pixels.shape)
    return np.clip(cv2.GaussianBlur(pixels, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def error(quad: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """The farthest corner's distance in shares of the card's length."""
    return float(np.linalg.norm(quad - truth, axis=1).max() / np.linalg.norm(truth[3] - truth[0]))


@pytest.mark.parametrize("turned", [0.0, 0.3, 1.2, -2.5])
@pytest.mark.parametrize("table", [FELT, (120, 85, 60), (20, 20, 24)])
def test_a_rough_quad_finds_the_edges_of_its_card(turned: float, table: tuple[int, int, int]) -> None:
    truth = a_card(turned)
    rough = truth + np.random.default_rng(2).uniform(-8, 8, (4, 2))
    assert error(rough, truth) > 0.05
    assert error(on_edges(a_picture(truth, table), rough), truth) < 0.02


def test_an_exact_quad_stays() -> None:
    truth = a_card()
    assert error(on_edges(a_picture(truth), truth), truth) < 0.012


def test_a_white_card_on_a_white_table_keeps_its_quad() -> None:
    truth = a_card()
    rough = truth + np.array([4.0, -5.0])
    plain = np.full((300, 320, 3), CARD, np.uint8)
    assert np.array_equal(on_edges(plain, rough), rough)


def test_a_covered_side_stays_while_the_others_move() -> None:
    truth = a_card(turned=0.0)
    picture = a_picture(truth)
    picture[:, 185:] = (200, 150, 125)  # a forearm over the right third, with the card's right side under it
    rough = truth + np.array([[-5.0, -5.0], [3.0, -5.0], [3.0, 5.0], [-5.0, 5.0]])
    found = on_edges(picture, rough)
    assert found[[0, 3], 0] == pytest.approx(truth[[0, 3], 0], abs=1.5)
    assert found[[0, 1], 1] == pytest.approx(truth[[0, 1], 1], abs=1.5)
    assert found[[1, 2], 0] == pytest.approx(rough[[1, 2], 0], abs=1.5)


def test_a_collapsed_or_tiny_quad_or_one_outside_stays_as_it_is() -> None:
    picture = a_picture(a_card())
    for quad in (np.full((4, 2), 50.0), a_card(length=10.0), a_card() + 5000.0):
        assert np.array_equal(on_edges(picture, quad), quad)
