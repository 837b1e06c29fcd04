"""What the pictures show is what the truth says."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import Card
from kemps_scenes import SceneSpec
from kemps_scenes.deck import open_deck
from kemps_scenes.demo import script_events
from kemps_scenes.script import plan_scene
from kemps_scenes.stage import RenderedFrame, Stage

SCRIPT = """
{"kind":"deal_started","at_ms":0,"dealer":"B"}
{"kind":"centre_turned","at_ms":0,"cards":["7h","Qd","2s","Tc"],"first_sight":true}
{"kind":"card_taken","at_ms":1500,"seat":"A","card":"Qd"}
{"kind":"card_laid","at_ms":2900,"seat":"A","card":"5c"}
{"kind":"hand_reached","at_ms":4200,"until_ms":5000,"seat":"C","card":"2s"}
{"kind":"hand_shown","at_ms":7000,"seat":"B","cards":["9s","9h","Kd","Jc"]}
"""
SPEC = SceneSpec(width=960, height=540, fps=10, noise=0.0, clutter="none", tail_ms=600)


@lru_cache(maxsize=4)
def stage(spec: SceneSpec = SPEC) -> Stage:
    return Stage(plan_scene(script_events(SCRIPT), spec))


@lru_cache(maxsize=32)
def frame(at_ms: int) -> RenderedFrame:
    return stage().frame(at_ms // 100)


def cards(at_ms: int) -> dict[str, dict[str, Any]]:
    return {card["card"]: card for card in frame(at_ms).truth["cards"]}


def likeness(pixels: NDArray[np.uint8], card: dict[str, Any]) -> float:
    """Correlation of a card's place in a picture with its drawn face."""
    size = (63, 88)
    target = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(card["quad"], np.float32), target)
    seen = cv2.warpPerspective(pixels, matrix, size, flags=cv2.INTER_AREA)[6:-6, 5:-5].astype(float)
    face = open_deck("club", "lattice").face(Card.parse(card["card"]))[..., :3]
    drawn = cv2.resize(face, size, interpolation=cv2.INTER_AREA)[6:-6, 5:-5].astype(float)
    return float(np.corrcoef(seen.ravel(), drawn.ravel())[0, 1])


@pytest.mark.parametrize("at_ms", [0, 3600, 7500])
def test_each_visible_card_is_where_the_truth_says(at_ms: int) -> None:
    lying = [card for card in frame(at_ms).truth["cards"] if card["where"] == "table"]
    assert len(lying) == (8 if at_ms == 7500 else 4)
    for card in lying:
        assert card["face_to_camera"]
        assert card["visible"] > 0.97
        assert likeness(frame(at_ms).pixels, card) > 0.85, card["card"]


def test_another_card_s_face_would_not_pass_for_it() -> None:
    queen = cards(0)["Qd"]
    assert likeness(frame(0).pixels, {**queen, "card": "7h"}) < 0.5


def test_a_quad_off_by_a_few_pixels_would_be_noticed() -> None:
    seven = cards(0)["7h"]
    shifted = {**seven, "quad": [[x + 6, y + 4] for x, y in seven["quad"]]}
    assert likeness(frame(0).pixels, shifted) < likeness(frame(0).pixels, seven) - 0.2


def test_the_truth_lists_the_centre_of_its_time() -> None:
    for at_ms, names in (
        (1400, {"7h", "Qd", "2s", "Tc"}),
        (2200, {"7h", "2s", "Tc"}),
        (3000, {"7h", "5c", "2s", "Tc"}),
    ):
        there = {name for name, card in cards(at_ms).items() if card["place"].startswith("slot")}
        assert there == names


def test_a_taken_card_turns_its_back_on_its_way_to_the_packet() -> None:
    home = cards(2300)["Qd"]
    assert home["where"] == "hand:A"
    assert not home["face_to_camera"]
    assert cards(1500)["Qd"]["face_to_camera"]


def test_a_hand_over_a_card_hides_it() -> None:
    covered, free = cards(4600)["2s"], cards(3600)["2s"]
    assert covered["visible"] < 0.75
    assert free["visible"] > 0.97
    assert covered["quad"] == free["quad"], "it has not moved"
    assert likeness(frame(4600).pixels, covered) < likeness(frame(3600).pixels, free) - 0.1


def test_hands_have_boxes_where_the_picture_changes() -> None:
    before, during = frame(3600), frame(4600)
    hands = {(hand["seat"], hand["side"]): hand for hand in during.truth["hands"]}
    assert len(hands) == 8
    reaching = hands["C", "R"]
    x0, y0, x1, y1 = (
        int(np.clip(v, 0, limit)) for v, limit in zip(reaching["box"], (960, 540, 960, 540), strict=True)
    )
    apart = np.abs(during.pixels.astype(int) - before.pixels.astype(int)).sum(axis=2)
    assert apart[y0:y1, x0:x1].mean() > 8 * max(1.0, apart[:, :200].mean())
    assert reaching["visible"] > 0.9
    assert reaching["in_frame"] > 0.95


def test_only_a_moving_hand_has_speed() -> None:
    speeds = {(hand["seat"], hand["side"]): hand["speed_px"] for hand in frame(1800).truth["hands"]}
    assert speeds["A", "R"] > 5
    assert speeds["D", "R"] == speeds["B", "L"] == 0


def test_a_frame_is_the_same_in_whatever_order_frames_are_asked_for() -> None:
    fresh = Stage(plan_scene(script_events(SCRIPT), SPEC))
    in_order = [fresh.frame(index) for index in range(14, 20)]
    for rendered in (in_order[-1], in_order[2]):
        alone = stage().frame(rendered.index)
        assert np.array_equal(alone.pixels, rendered.pixels)
        assert alone.truth == rendered.truth


def test_the_same_seed_gives_the_same_frames_and_another_seed_others() -> None:
    small = {"width": 320, "height": 180, "noise": 2.0, "flicker": 0.02, "shake_px": 1.0}
    first, again, other = (
        Stage(plan_scene(script_events(SCRIPT), SceneSpec(seed=seed, **small))).frame(18)  # type: ignore[arg-type]
        for seed in (5, 5, 6)
    )
    assert np.array_equal(first.pixels, again.pixels)
    assert first.truth == again.truth
    assert not np.array_equal(first.pixels, other.pixels)
    assert first.truth != other.truth


def test_moving_things_are_blurred_and_still_ones_are_not() -> None:
    sharp = Stage(
        plan_scene(
            script_events(SCRIPT), SceneSpec(width=480, height=270, fps=10, noise=0, motion_blur=False)
        )
    )
    soft = Stage(plan_scene(script_events(SCRIPT), SceneSpec(width=480, height=270, fps=10, noise=0)))
    a, b = sharp.frame(18), soft.frame(18)
    moving = next(hand for hand in a.truth["hands"] if (hand["seat"], hand["side"]) == ("A", "R"))
    x0, y0, x1, y1 = (max(0, v) for v in moving["box"])
    detail = [cv2.Laplacian(f.pixels[y0:y1, x0:x1], cv2.CV_32F).std() for f in (a, b)]
    assert detail[1] < 0.8 * detail[0]
    assert np.array_equal(a.pixels[:, :60], b.pixels[:, :60])


def test_light_changes_when_asked_to() -> None:
    def means(spec: SceneSpec) -> list[float]:
        lit = Stage(plan_scene(script_events(SCRIPT), spec))
        return [float(lit.frame(index).pixels.mean()) for index in (0, 20, 60)]

    small = {"width": 320, "height": 180, "fps": 10, "noise": 0.0}
    steady, changing = means(SceneSpec(**small)), means(SceneSpec(**small, light_change=0.25))  # type: ignore[arg-type]
    assert max(steady) - min(steady) < 4
    assert max(changing) - min(changing) > 15


@pytest.mark.parametrize("surface", ["felt", "wood", "cloth", "slate", "gingham"])
def test_surfaces_differ_and_leave_cards_brighter_than_dark_ones(surface: str) -> None:
    spec = SceneSpec(width=320, height=180, surface=surface, clutter="much", noise=0.0)
    rendered = Stage(plan_scene(script_events(SCRIPT), spec)).frame(0)
    middle = rendered.pixels[110:130, 60:260].reshape(-1, 3).mean(axis=0)
    wanted = {"felt": 1, "wood": 0, "cloth": None, "slate": None, "gingham": 2}[surface]
    if wanted is not None:
        assert middle.argmax() == wanted
    else:
        assert (middle.mean() > 130) == (surface == "cloth")
