"""Faces drawn from the layouts, small and blurred; courts as a patchwork."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_vision.frame import Image
from kemps_vision.pips import FLOOR_NATS, LAYOUTS, _suit_shape, pip_log_p

QUAD = np.array([[40, 30], [94, 30], [94, 106], [40, 106]], np.float64)  # a card 76 px long
BIG = 4  # the face is drawn so much larger and shrunk


def face(card: str, *, light: tuple[float, float, float] = (1, 1, 1), blur: float = 0.7) -> Image:
    """The table with one card on it, its pips a sixth of its height."""
    rank, suit = card[0], card[1]
    width, height = 54 * BIG, 76 * BIG
    drawn = np.full((height, width, 3), 236.0)
    ink = np.array([190, 30, 40] if suit in "dh" else [30, 30, 34], np.float64)
    size = (44 if rank == "A" else 15) * BIG // (2 if rank == "A" else 1)
    for x, y in LAYOUTS[rank]:
        shape = cv2.resize(_suit_shape(suit, 104), (size, size), interpolation=cv2.INTER_AREA)[:, :, None]
        shape = shape[::-1] if y > 0.5 else shape
        left, top = round(x * width - size / 2), round(y * height - size / 2)
        part = drawn[top : top + size, left : left + size]
        drawn[top : top + size, left : left + size] = part * (1 - shape) + ink * shape
    return on_table(drawn, light, blur)


def court() -> Image:
    rng = np.random.default_rng(2)
    drawn = np.full((76 * BIG, 54 * BIG, 3), 236.0)
    for _ in range(60):
        x, y = rng.integers(40, 140), rng.integers(24, 240)
        drawn[y : y + 44, x : x + 34] = rng.choice(
            [[200, 40, 40], [230, 190, 60], [40, 50, 130], [236, 236, 236]]
        )
    return on_table(drawn, (1, 1, 1), 0.7)


def on_table(drawn: NDArray[np.float64], light: tuple[float, float, float], blur: float) -> Image:
    picture = np.full((140, 140, 3), (40.0, 100.0, 60.0))
    picture[30:106, 40:94] = cv2.resize(drawn, (54, 76), interpolation=cv2.INTER_AREA)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur)) * np.array(light)
    noise = np.random.default_rng(1).normal(0, 3, picture.shape)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


def best(log_p: NDArray[np.float64]) -> Card:
    return DECK_52[int(log_p.argmax())]


@pytest.mark.parametrize("rank", "23456789T")
@pytest.mark.parametrize("suit", "cdhs")
def test_a_number_card_is_told_by_its_pips_alone(rank: str, suit: str) -> None:
    assert best(pip_log_p(face(rank + suit), QUAD)) == Card(rank, suit)


@pytest.mark.parametrize("card", ["4h", "9c", "7d", "6s"])
@pytest.mark.parametrize("light", [(0.5, 0.5, 0.5), (1.0, 0.85, 0.6), (0.7, 0.8, 0.9)])
def test_dull_and_coloured_light_do_not_matter(card: str, light: tuple[float, float, float]) -> None:
    assert best(pip_log_p(face(card, light=light), QUAD)) == Card.parse(card)


def test_a_card_that_lies_the_other_way_reads_the_same() -> None:
    turned = QUAD[[2, 3, 0, 1]]
    for card in ("7s", "3h", "8c"):
        assert best(pip_log_p(face(card), turned)) == Card.parse(card)


def test_red_and_black_aces_are_told_apart() -> None:
    for card, others in (("Ah", "cs"), ("As", "dh")):
        log_p = pip_log_p(face(card), QUAD)
        away = max(log_p[DECK_52.index(Card("A", suit))] for suit in others)
        assert log_p[DECK_52.index(Card.parse(card))] > away + 3


def test_a_court_is_no_number_card_and_its_name_stays_open() -> None:
    log_p = pip_log_p(court(), QUAD)
    courts = [log_p[DECK_52.index(Card(rank, suit))] for rank in "JQK" for suit in "cs"]
    assert max(courts) == min(courts)
    assert max(log_p[DECK_52.index(Card(rank, "c"))] for rank in "23456789T") < courts[0] - 2


def test_the_answer_is_relative_and_bounded() -> None:
    for picture in (
        face("5d"),
        court(),
        np.zeros((140, 140, 3), np.uint8),
        np.full((140, 140, 3), 255, np.uint8),
    ):
        log_p = pip_log_p(picture, QUAD)
        assert log_p.shape == (52,)
        assert log_p.max() == 0.0
        assert log_p.min() >= FLOOR_NATS


def test_a_large_card_is_shrunk_first() -> None:
    picture = np.asarray(
        cv2.resize(face("9h", blur=0.1), None, fx=8, fy=8, interpolation=cv2.INTER_CUBIC), np.uint8
    )
    assert best(pip_log_p(picture, QUAD * 8)) == Card.parse("9h")
