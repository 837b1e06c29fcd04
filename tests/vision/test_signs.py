"""Cards whose indices say nothing: pips and the letter in the middle are read by the index classifier."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, SUITS, Card
from kemps_vision.cards.reader import default_reader
from kemps_vision.pips import LAYOUTS, _suit_shape, pip_log_p
from kemps_vision.signs import SignReader

CARD = (240, 336)  # px of the drawn face
SMALL = (64, 90)  # px it is seen with
QUAD = np.array([[30, 24], [94, 24], [94, 114], [30, 114]], np.float64)


@pytest.fixture(scope="module")
def signs() -> SignReader:
    return default_reader().signs


def on_table(face: NDArray[np.float64]) -> NDArray[np.uint8]:
    picture = np.full((140, 130, 3), (60.0, 80.0, 50.0))
    small = cv2.resize(face, SMALL, interpolation=cv2.INTER_AREA)
    picture[24:114, 30:94] = small
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7))
    return np.asarray(
        np.clip(picture + np.random.default_rng(3).normal(0, 2, picture.shape), 0, 255), np.uint8
    )


def put_suit(face: NDArray[np.float64], suit: str, at: tuple[float, float], size: int) -> None:
    shape = cv2.resize(_suit_shape(suit, 104), (size, size), interpolation=cv2.INTER_AREA)[:, :, None]
    shape = shape[::-1] if at[1] > 0.5 else shape
    left, top = round(at[0] * CARD[0] - size / 2), round(at[1] * CARD[1] - size / 2)
    ink = np.array([185, 30, 40] if suit in "dh" else [40, 40, 44], np.float64)
    part = face[top : top + size, left : left + size]
    face[top : top + size, left : left + size] = part * (1 - shape) + ink * shape


def blank() -> NDArray[np.float64]:
    return np.full((CARD[1], CARD[0], 3), 232.0)


def court(letter: str, suit: str, *, turned: bool = False) -> NDArray[np.float64]:
    face = blank()
    put_suit(face, suit, (0.3, 0.165), 34)
    put_suit(face, suit, (0.7, 0.835), 34)
    ink = (185, 30, 40) if suit in "dh" else (40, 40, 44)
    (width, height), _ = cv2.getTextSize(letter, cv2.FONT_HERSHEY_DUPLEX, 2.2, 6)
    drawn = face.astype(np.uint8)  # letters can be put on no other picture
    place = ((CARD[0] - width) // 2, (CARD[1] + height) // 2)
    cv2.putText(drawn, letter, place, cv2.FONT_HERSHEY_DUPLEX, 2.2, ink, 6, cv2.LINE_AA)
    face[:] = drawn
    return np.ascontiguousarray(face[::-1, ::-1]) if turned else face


def best(log_p: NDArray[np.float64]) -> Card:
    return DECK_52[int(log_p.argmax())]


@pytest.mark.parametrize("suit", SUITS)
@pytest.mark.parametrize("size", [34, 46])
def test_the_suit_of_pips_of_any_size_is_read(signs: SignReader, suit: str, size: int) -> None:
    face = blank()
    for at in LAYOUTS["6"]:
        put_suit(face, suit, at, size)
    log_p = pip_log_p(on_table(face), QUAD, signs)
    assert best(log_p) == Card("6", suit)
    others = [log_p[DECK_52.index(Card("6", other))] for other in SUITS if other != suit]
    assert max(others) < -3


@pytest.mark.parametrize("letter", "JQK")
@pytest.mark.parametrize("turned", [False, True])
def test_a_court_is_told_by_the_letter_in_its_middle(signs: SignReader, letter: str, turned: bool) -> None:
    log_p = pip_log_p(on_table(court(letter, "h", turned=turned)), QUAD, signs)
    assert best(log_p) == Card(letter, "h")


def test_letters_mean_what_the_alphabet_says(signs: SignReader) -> None:
    picture = on_table(court("V", "s"))
    assert best(pip_log_p(picture, QUAD, signs, "french")) == Card("J", "s")
    international = pip_log_p(picture, QUAD, signs)
    ranks = {card.rank for card, nats in zip(DECK_52, international.tolist(), strict=True) if nats > -2}
    assert len(ranks) > 1  # V is no letter of that alphabet, so nothing is settled


def test_a_court_without_a_letter_stays_open(signs: SignReader) -> None:
    rng = np.random.default_rng(4)
    face = blank()
    for _ in range(60):
        x, y = int(rng.integers(40, 160)), int(rng.integers(30, 260))
        face[y : y + 50, x : x + 40] = rng.choice([[200, 40, 40], [230, 190, 60], [40, 50, 130]])
    log_p = pip_log_p(on_table(face), QUAD, signs)
    black = [log_p[DECK_52.index(Card(rank, "c"))] for rank in "JQK"]
    assert max(black) == min(black)


def test_an_empty_picture_says_nothing_wrong(signs: SignReader) -> None:
    for grey in (0, 128, 255):
        log_p = pip_log_p(np.full((140, 130, 3), grey, np.uint8), QUAD, signs)
        assert np.isfinite(log_p).all()
        assert log_p.max() == 0.0
