from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kemps_rules.cards import Card
from kemps_scenes.odd_decks import open_odd_deck
from kemps_scenes.sweep import render_sweep
from kemps_vision.cards.find import IndexFinder
from kemps_vision.cards.reader import open_networks
from kemps_vision.enrolment.samples import Cutter
from kemps_vision.enrolment.sweep import rests
from kemps_vision.frame import Frame

CARDS = tuple(Card.parse(text) for text in ("As", "2s", "3s", "Ks"))


def frames(*, hand_at: int | None = None) -> Iterator[Frame]:
    for n, one in enumerate(render_sweep(open_odd_deck("bare"), CARDS, seed=4, size=(960, 540))):
        pixels = one.pixels
        if n == hand_at:
            pixels = pixels.copy()
            pixels[200:340, 400:520] = (190, 150, 130)
        yield Frame("table", n, one.at_ms, pixels)


def test_each_card_that_lies_still_is_a_rest_and_cut_out_with_its_corners() -> None:
    found = list(rests(frames()))
    assert len(found) == len(CARDS)
    assert all(2 <= len(rest.frames) <= 6 for rest in found)
    assert found[0].changed is None
    cutter = Cutter(IndexFinder(open_networks()[0]))
    for rest in found:
        sample = cutter.cut(rest)
        assert sample is not None
        assert 120 < sample.length_px < 150
        sides = np.linalg.norm(np.roll(sample.quad, -1, axis=0) - sample.quad, axis=1)
        assert 0.6 < sides[0] / sides[1] < 0.85
        middle = sample.quad.mean(axis=0)
        assert sample.pictures[0][int(middle[1]) - 30 : int(middle[1]) + 30].mean() > 60


def test_a_hand_that_passes_over_a_card_is_not_another_card() -> None:
    assert len(list(rests(frames(hand_at=4)))) <= len(CARDS)
    still = [Frame("table", n, n * 200, np.full((90, 160, 3), 90, np.uint8)) for n in range(40)]
    passed = [
        Frame("table", n, n * 200, np.full((90, 160, 3), 200 if n == 20 else 90, np.uint8)) for n in range(40)
    ]
    passed[20].pixels[:, 80:] = 20
    assert len(list(rests(still))) == len(list(rests(passed))) == 1


def test_what_lasts_too_short_is_no_rest() -> None:
    rng = np.random.default_rng(0)
    noise = [Frame("table", n, n * 200, rng.integers(0, 255, (90, 160, 3), np.uint8)) for n in range(8)]
    assert not list(rests(noise))
    assert not list(rests([]))
