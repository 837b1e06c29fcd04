from __future__ import annotations

import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_scenes import SpecError
from kemps_scenes.camera import Camera, View
from kemps_scenes.fans import FAN_LIGHTS, MIN_CARD_PX, WHOLE, random_fan
from kemps_scenes.indices import index_boxes, index_shares
from kemps_scenes.looks import CARD_MM, DECKS
from kemps_scenes.motion import FACE_DOWN, CardPose

ABOVE = Camera(View(tilt_deg=0.0, across_m=0.5, distance_m=1.0, k1=0.0), 1280, 720)
NINE, KING = Card.parse("9s"), Card.parse("Kd")


def test_a_seed_is_a_fan_and_another_seed_another() -> None:
    first, again, other = (random_fan(seed, width=640, height=360, deck="club") for seed in (7, 7, 8))
    assert np.array_equal(first.pixels, again.pixels)
    assert first.truth == again.truth
    assert first.truth["cards"] != other.truth["cards"]


@pytest.mark.parametrize("seed", [0, 13, 31, 52])
def test_at_most_one_card_of_a_fan_hides_its_indices_and_none_is_small(seed: int) -> None:
    still = random_fan(seed)
    assert still.pixels.shape == (720, 1280, 3)
    cards = still.truth["cards"]
    assert 2 <= len({entry["card"] for entry in cards}) == len(cards) <= 6
    whole = [entry for entry in cards if max(entry["indices"]) >= WHOLE]
    assert len(whole) >= max(2, len(cards) - 1)
    assert still.truth["card_px"] >= MIN_CARD_PX
    if still.truth["lying"] != "heap":
        assert min(entry["visible"] for entry in cards) < 0.75  # they do overlap


def test_decks_lights_and_ways_to_lie_take_turns() -> None:
    few = [random_fan(seed, width=320, height=180) for seed in range(1, 64, 7)]
    assert len({one.truth["spec"]["deck"] for one in few}) >= len(DECKS) - 3
    assert {one.truth["light"] for one in few} <= set(FAN_LIGHTS)
    assert len({one.truth["lying"] for one in few}) >= 3
    lights = {seed % 7 % len(FAN_LIGHTS) for seed in range(7)}
    assert lights == set(range(len(FAN_LIGHTS)))


def test_an_unknown_deck_is_an_error_that_lists_what_there_is() -> None:
    with pytest.raises(SpecError, match="club"):
        random_fan(1, deck="tarot")


@pytest.mark.parametrize(("name", "count"), [("club", 2), ("quarters", 4)])
def test_every_index_has_its_box_on_the_card(name: str, count: int) -> None:
    boxes = index_boxes(KING, DECKS[name])
    assert len(boxes) == count
    for left, top, right, bottom in boxes:
        assert 0 < left < right < CARD_MM[0]
        assert 0 < top < bottom < CARD_MM[1]
        assert bottom - top == pytest.approx(DECKS[name].index_mm)


def test_a_card_to_the_right_hides_the_lower_right_index_only() -> None:
    lying = [(NINE, CardPose(0.0, 0.0, 0.0)), (KING, CardPose(0.025, 0.0, 0.001))]
    lower, upper = index_shares(lying, DECKS["club"], ABOVE)
    assert lower == [1.0, 0.0]
    assert upper == [1.0, 1.0]


def test_half_covered_indices_and_those_out_of_the_picture_have_their_share() -> None:
    middle = DECKS["club"].index_x / 1000
    covering = CardPose(-0.0315 + middle + 0.0315, 0.0, 0.001)  # its left edge is over the index's middle
    (share, _), _ = index_shares([(NINE, CardPose(0.0, 0.0)), (KING, covering)], DECKS["club"], ABOVE)
    assert share == pytest.approx(0.5, abs=0.1)
    outside = index_shares([(NINE, CardPose(-0.26, 0.0))], DECKS["club"], ABOVE)[0]
    assert outside[0] == 0.0
    assert outside[1] == 1.0


def test_a_card_that_shows_its_back_has_no_index() -> None:
    assert index_shares([(None, CardPose(0.0, 0.0, 0.0, 0.0, FACE_DOWN))], DECKS["club"], ABOVE) == [[]]
