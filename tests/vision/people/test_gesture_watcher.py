"""One person's gestures: each told once with its times and side, and nothing of a still face."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from kemps_vision.people.gestures import (
    GESTURES,
    Episode,
    GestureWatcher,
    Told,
    Unmeasured,
    neutral_of,
    watch_all,
)
from kemps_vision.people.gestures.episode import PLACES, mirrored
from kemps_vision.people.gestures.measures import Measures
from kemps_vision.people.gestures.rubbing import ThumbPlace
from kemps_vision.people.gestures.sights import Sight

REST = Measures(
    open_left=0.3,
    open_right=0.3,
    brow_left=-2.0,
    brow_right=-2.0,
    brow_down=0.05,
    gaze_left=0.0,
    gaze_up=0.0,
    jaw_open=0.02,
    pucker=0.05,
    smile=0.0,
    yaw=0.0,
    pitch=0.0,
    roll=0.0,
    span_px=90.0,
    width_px=130.0,
    iris_up=0.05,
)
# What a face does while it makes a gesture that is held.
DOES: dict[str, dict[str, float]] = {
    "rest": {},
    "blink": {"open_left": 0.02, "open_right": 0.03, "gaze_up": -0.7},
    "wink_left": {"open_left": 0.07, "open_right": 0.22, "brow_left": -4.0, "smile": 0.1},
    "wink_right": {"open_right": 0.07, "open_left": 0.22, "brow_right": -4.0, "smile": 0.1},
    "brow_raise": {"brow_left": 0.5, "brow_right": 0.3},
    "brow_raise_left": {"brow_left": 1.0},
    "brow_raise_right": {"brow_right": 1.0},
    "frown": {"brow_down": 0.7, "brow_left": -4.0, "brow_right": -4.0},
    "look_left": {"gaze_left": 0.8},
    "look_right": {"gaze_left": -0.8},
    "look_up": {"gaze_up": 0.5, "iris_up": 0.12},
    "look_down": {"gaze_up": -0.6, "open_left": 0.15, "open_right": 0.15},
    "mouth_open": {"jaw_open": 0.6},
    "pout": {"pucker": 0.95},
    "smile": {"smile": 0.7},
    "tilt_left": {"roll": 20.0},
    "tilt_right": {"roll": -20.0},
    "lean_forward": {"span_px": 105.0, "width_px": 152.0},
    "lean_back": {"span_px": 77.0, "width_px": 112.0},
}
HELD = [name for name in DOES if name not in ("rest", "blink")]
LASTS_MS = {"blink": 160, "wink_left": 350, "wink_right": 350}


def acts(*parts: tuple[str, int], fps: float = 30.0) -> list[Sight]:
    """A face that does one thing after another, each for so many ms."""
    sights: list[Sight] = []
    until = 0.0
    for name, lasts_ms in parts:
        until += lasts_ms
        while (at_ms := round(len(sights) * 1000 / fps)) < until:
            sights.append(Sight(at_ms, REST._replace(**DOES[name]), trust=1.0))
    return sights


def moved(fps: float, seconds: float, face: Callable[[float], Measures]) -> list[Sight]:
    return [Sight(round(i * 1000 / fps), face(i / fps), trust=1.0) for i in range(round(fps * seconds))]


def names(told: Sequence[Told]) -> list[str]:
    return [one.gesture if isinstance(one, Episode) else one.what for one in told]


@pytest.mark.parametrize("fps", [10.0, 25.0, 30.0, 60.0])
@pytest.mark.parametrize("name", ["blink", *HELD])
def test_each_gesture_is_told_once_with_its_times(name: str, fps: float) -> None:
    lasts_ms = LASTS_MS.get(name, 900)
    (told,) = watch_all(acts(("rest", 3000), (name, lasts_ms), ("rest", 2000), fps=fps))
    assert isinstance(told, Episode)
    assert told.gesture == name
    assert abs(told.at_ms - 3000) <= 1000 / fps + 1
    assert abs(told.until_ms - 3000 - lasts_ms) <= 1000 / fps + 1
    assert told.confidence >= 0.5


def test_every_gesture_of_a_face_that_is_held_is_tried_here() -> None:
    others = {
        "eyes_closed",
        "nod",
        "shake",
        *(name for name in GESTURES if name.startswith(("hand_", "fingers_"))),
    }
    assert set(HELD) | {"blink"} | others == set(GESTURES)


def test_irises_that_stand_higher_as_the_eyes_look_aside_do_not_look_up() -> None:
    higher = {"gaze_up": 0.2, "iris_up": 0.09}
    assert during(higher) == ["look_up"]
    assert during(higher | {"gaze_left": 0.8}) == ["look_left"]


def test_a_glance_down_is_no_blink() -> None:
    assert names(watch_all(acts(("rest", 3000), ("look_down", 320), ("rest", 2000)))) == ["look_down"]


def test_a_long_blink_is_closed_eyes() -> None:
    told = watch_all(acts(("rest", 3000), ("blink", 900), ("rest", 2000)))
    assert names(told) == ["eyes_closed"]


def during(change: dict[str, float], *, until_s: float = 4.0) -> list[str]:
    """What is told of a face that changes from 3 s on, at 30 pictures a second for 10 s."""

    def face(at_s: float) -> Measures:
        return REST._replace(**change) if 3 <= at_s < until_s else REST

    return names(watch_all(moved(30, 10, face)))


def test_one_brow_up_while_the_other_is_drawn_down_is_raised() -> None:
    assert during({"brow_left": -0.4, "brow_right": -3.0}) == ["brow_raise_left"]


def test_a_brow_that_is_only_drawn_down_does_not_raise_the_other() -> None:
    assert during({"brow_right": -5.5}) == []


def test_eyes_and_lids_that_go_down_raise_no_brow_though_it_is_measured_higher() -> None:
    lifted = {"brow_left": -0.6, "brow_right": -0.6}
    assert during(lifted) == ["brow_raise"]
    assert during(lifted | {"gaze_up": -0.35, "open_left": 0.24, "open_right": 0.24}) == ["look_down"]
    assert during(lifted | {"gaze_up": -0.35, "open_left": 0.33, "open_right": 0.33}) == ["brow_raise"]


def test_a_bowed_head_raises_no_brow_though_it_is_measured_higher() -> None:
    lifted = {"brow_left": -0.6, "brow_right": -0.6}
    assert during(lifted | {"pitch": -6.0}) == []
    assert during(lifted | {"pitch": 6.0}) == ["brow_raise"]
    assert during({"brow_left": 1.0, "brow_right": 1.0, "pitch": -6.0}) == ["brow_raise"]


def cards_and_raises(until_s: float, *, bowed: float) -> Callable[[float], Measures]:
    """A face that looks at its cards every 4 s, its brows then higher by ``bowed``, and raises them twice."""

    def face(at_s: float) -> Measures:
        down = 10.0 if at_s % 4 < 1.5 else 0.0
        up = 2.5 if any(begin <= at_s < begin + 1 for begin in (6.0, until_s - 2.0)) else 0.0
        brow = REST.brow_left + bowed * down / 10 + up
        return REST._replace(pitch=-down, brow_left=brow, brow_right=brow)

    return face


@pytest.mark.parametrize("bowed", [0.0, 0.7, 1.4])
def test_how_much_a_bowed_head_lifts_its_brows_is_learnt_of_each_face(bowed: float) -> None:
    neutral = neutral_of(
        [sight.face for sight in moved(15, 20, cards_and_raises(20, bowed=bowed)) if sight.face]
    )
    assert neutral is not None
    assert neutral.lift.bowed == pytest.approx(bowed, abs=0.25)
    assert names(watch_all(moved(15, 40, cards_and_raises(40, bowed=bowed)))) == ["brow_raise"] * 2


def test_both_brows_drawn_far_down_are_a_frown_where_the_blendshape_stays_faint() -> None:
    assert during({"brow_left": -4.6, "brow_right": -4.6}) == ["frown"]


def test_eyes_that_close_bring_no_face_nearer_though_their_corners_move_apart() -> None:
    assert during({"span_px": 100.0}) == []
    assert during({"span_px": 100.0, "width_px": 145.0}) == ["lean_forward"]


@pytest.mark.parametrize("lasts_ms", [300, 900, 4000])
def test_eyes_that_sink_with_a_look_down_neither_blink_nor_close(lasts_ms: int) -> None:
    def face(at_s: float) -> Measures:
        down = min(1.0, max(0.0, (at_s - 3) / 0.4), max(0.0, (3.8 + lasts_ms / 1000 - at_s) / 0.4))
        lids = 0.3 - 0.26 * down
        return REST._replace(open_left=lids, open_right=lids, gaze_up=-0.7 * down)

    assert names(watch_all(moved(30, 10, face))) == ["look_down"]


def test_who_blinks_while_looking_down_blinks() -> None:
    down = acts(("rest", 2000), ("look_down", 1500), ("blink", 160), ("look_down", 1500), ("rest", 2000))
    assert names(watch_all(down)) == ["look_down", "blink"]


def test_a_wink_that_becomes_a_blink_is_both() -> None:
    told = watch_all(acts(("rest", 3000), ("wink_right", 450), ("blink", 160), ("rest", 2000)))
    assert names(told) == ["wink_right", "blink"]


def test_one_lid_that_lags_in_a_blink_is_no_wink() -> None:
    def face(at_s: float) -> Measures:
        left, right = (1 - min(1.0, max(0.0, abs(at_s - middle) / 0.12)) for middle in (3.0, 3.03))
        return REST._replace(open_left=0.3 - 0.28 * left, open_right=0.3 - 0.28 * right)

    assert names(watch_all(moved(60, 6, face))) == ["blink"]


def test_a_hanging_lid_is_no_signal() -> None:
    told = watch_all(acts(("rest", 3000), ("wink_left", 5000), ("rest", 2000)))
    assert "wink_left" not in names(told)


def test_a_blink_does_not_break_what_is_held_nor_look_like_a_look_down() -> None:
    both = {**DOES["blink"], **DOES["smile"]}
    smiling = acts(("rest", 3000), ("smile", 2400), ("rest", 2000))
    sights = [
        replace(sight, face=REST._replace(**both)) if 4000 <= sight.at_ms < 4160 else sight
        for sight in smiling
    ]
    assert names(watch_all(sights)) == ["smile", "blink"]


def test_a_nod_and_a_shake_are_told_and_a_look_aside_is_neither() -> None:
    def face(at_s: float) -> Measures:
        nod = 5 * math.sin(2 * math.pi * 2 * (at_s - 3)) if 3 <= at_s < 4 else 0.0
        shake = 8 * math.sin(2 * math.pi * 2 * (at_s - 6)) if 6 <= at_s < 7.5 else 0.0
        aside = 25.0 if 9 <= at_s < 10 else 0.0
        return REST._replace(pitch=nod, yaw=shake + aside)

    assert names(watch_all(moved(30, 12, face))) == ["nod", "shake"]


def test_a_head_that_turns_slowly_does_nothing() -> None:
    told = watch_all(
        moved(
            30,
            20,
            lambda s: REST._replace(pitch=8 * math.sin(s), yaw=20 * math.sin(s / 2), roll=3 * math.sin(s)),
        )
    )
    assert told == []


def test_a_mouth_that_speaks_is_not_open() -> None:
    rng = np.random.default_rng(4)
    syllables = rng.uniform(0.05, 0.5, 200)

    def face(at_s: float) -> Measures:
        jaw = float(syllables[int(at_s * 5)]) * abs(math.sin(math.pi * 5 * at_s))
        return REST._replace(jaw_open=jaw, pucker=0.3 * abs(math.sin(7 * at_s)), smile=jaw / 3)

    assert watch_all(moved(30, 30, face)) == []


def still(seed: int, seconds: float = 30.0, fps: float = 30.0) -> Iterator[Sight]:
    """A still face as it is measured, with the scatter of real clips, breathing and a swaying head."""
    rng = np.random.default_rng(seed)
    scatter = np.array(
        [0.007, 0.007, 0.25, 0.25, 0.03, 0.04, 0.04, 0.01, 0.08, 0.01, 0.4, 0.5, 0.2, 0.8, 1.0, 0.006]
    )
    drift = rng.uniform(0, 6, 4)
    for i in range(round(seconds * fps)):
        at_s = i / fps
        breath, sway = math.sin(2 * math.pi * 0.25 * at_s + drift[0]), math.sin(0.7 * at_s + drift[1])
        face = np.array(REST) + scatter * rng.normal(size=len(REST))
        yield Sight(
            round(1000 * at_s),
            Measures(
                *(face + np.array([0.0] * 10 + [2 * sway, breath, 1.5 * sway, 0.7 * breath, breath, 0.0]))
            ),
            trust=1.0,
        )


@pytest.mark.parametrize("seed", range(6))
def test_thirty_seconds_of_a_still_face_give_nothing(seed: int) -> None:
    assert watch_all(still(seed)) == []


def test_an_ordinary_look_is_learnt_whatever_it_is() -> None:
    brows_up = [
        replace(s, face=s.face._replace(brow_left=1.0, smile=0.6, roll=9.0)) for s in still(1) if s.face
    ]
    assert watch_all(brows_up) == []


def test_what_happens_while_a_face_is_learnt_is_told_with_its_times() -> None:
    watcher = GestureWatcher(calibration_ms=5000)
    sights = acts(("rest", 1000), ("wink_left", 350), ("rest", 6000))
    told = {sight.at_ms: names(watcher.see(sight)) for sight in sights}
    assert {at_ms: what for at_ms, what in told.items() if what} == {5000: ["wink_left"]}
    assert watcher.neutral is not None
    assert watcher.neutral.rest.open_left == pytest.approx(0.3)


def test_with_a_known_rest_gestures_are_told_as_soon_as_they_end() -> None:
    neutral = neutral_of([REST])
    watcher = GestureWatcher(neutral)
    told = {s.at_ms: names(watcher.see(s)) for s in acts(("rest", 400), ("blink", 160), ("rest", 400))}
    assert {at_ms: what for at_ms, what in told.items() if what} == {567: ["blink"]}


def test_the_rest_follows_slowly_how_a_face_is() -> None:
    watcher = GestureWatcher(neutral_of([REST]), calibration_ms=2000)
    for sight in acts(("tilt_left", 20_000)):
        watcher.see(sight)
    assert watcher.neutral is not None
    assert 10 < watcher.neutral.rest.roll < 20


def test_brows_that_are_up_from_the_first_picture_are_told_once_the_face_has_rested() -> None:
    sights = acts(("brow_raise", 6000), ("rest", 16_000), ("brow_raise", 900), ("rest", 3000))
    told = watch_all(sights)
    assert names(told) == ["brow_raise", "brow_raise"]
    assert told[0].at_ms == 0
    assert told[0].until_ms == pytest.approx(6000, abs=100)


def test_a_rest_learnt_wrong_comes_right_in_the_minutes_after() -> None:
    """Brows up for the whole time in which a face is learnt are taken for its rest, but not for good."""
    learnt_wrong = acts(("brow_raise", 21_000), ("rest", 120_000), ("brow_raise", 900), ("rest", 3000))
    told = watch_all(learnt_wrong)
    raised = [one for one in told if isinstance(one, Episode) and one.gesture == "brow_raise"]
    assert [round(one.at_ms, -3) for one in raised] == [141_000]


@pytest.mark.parametrize("seed", range(4))
def test_a_face_that_never_rests_still_winks_and_raises_its_brows(seed: int) -> None:
    """Somebody who talks and looks about all the time: every measure wanders, none has a rest of its own."""
    rng = np.random.default_rng(seed)
    rates, phases = rng.uniform(0.15, 0.8, len(REST)), rng.uniform(0, 6, len(REST))
    sizes = np.array([0.02, 0.02, 0.4, 0.4, 0.1, 0.25, 0.15, 0.2, 0.25, 0.2, 8, 5, 4, 2, 3, 0.01])

    def face(at_s: float) -> Measures:
        lively = np.array(REST) + sizes * np.sin(2 * math.pi * rates * at_s + phases)
        does = {"open_left": 0.06} if 12 <= at_s < 12.4 else {}
        done = Measures(*lively)._replace(**does)
        raised = 2.5 if 20 <= at_s < 21 else 0.0
        return done._replace(brow_left=done.brow_left + raised, brow_right=done.brow_right + raised)

    told = [one for one in watch_all(moved(30, 45, face)) if isinstance(one, Episode)]
    signals = [
        (one.gesture, round(one.at_ms / 1000)) for one in told if one.gesture.startswith(("wink", "brow"))
    ]
    assert signals == [("wink_left", 12), ("brow_raise", 20)]


def test_a_face_that_cannot_be_measured_is_told_as_such_and_ends_what_it_did() -> None:
    sights = acts(("rest", 3000), ("smile", 1000))
    away = [Sight(4000 + 40 * i, None, "turned_away") for i in range(25)]
    gone = [Sight(5000 + 40 * i, None, "no_face") for i in range(5)]
    told = watch_all([*sights, *away, *gone])
    assert names(told) == ["smile", "turned_away"]
    assert told[1] == Unmeasured("turned_away", 4000, 4960)


def test_a_short_loss_of_the_face_breaks_nothing() -> None:
    lost = [
        Sight(sight.at_ms, None, "no_face") if 4000 <= sight.at_ms < 4100 else sight
        for sight in acts(("rest", 3000), ("smile", 2000), ("rest", 1000))
    ]
    assert names(watch_all(lost)) == ["smile"]


def test_eyes_seen_shut_right_after_a_loss_are_not_said_to_have_shut() -> None:
    lost = [Sight(3000 + 40 * i, None, "no_face") for i in range(25)]
    later = [replace(sight, at_ms=sight.at_ms + 4000) for sight in acts(("look_down", 2000), ("rest", 1000))]
    told = watch_all([*acts(("rest", 3000)), *lost, *later])
    assert names(told) == ["no_face", "look_down"]


@pytest.mark.parametrize("place", PLACES)
def test_a_hand_on_the_face_is_told_with_its_place_also_where_it_hides_the_face(place: str) -> None:
    sights = [
        replace(sight, face=None, hidden="covered", places={place: 0.9})
        if 3000 <= sight.at_ms < 4000
        else sight
        for sight in acts(("rest", 6000))
    ]
    told = watch_all(sights)
    assert sorted(names(told)) == ["covered", f"hand_to_{place}"]


def test_a_shape_that_a_hand_shows_is_told() -> None:
    shown = [Sight(40 * i, None, "no_face", shapes=frozenset({"fingers_3"})) for i in range(25)]
    assert names(watch_all(shown)) == ["fingers_3", "no_face"]


def rubbed(strokes: int, *, stroke: float = 0.3, ms: int = 160) -> list[Sight]:
    """A hand whose thumb lies at its finger tips, goes over them, there and back, and lies there again."""

    def thumb(at_ms: int) -> ThumbPlace:
        part = min(max(at_ms - 1000, 0) / ms, strokes)
        return ThumbPlace(-0.1, stroke * (0.5 - abs(part % 2 - 1)))

    return [Sight(at_ms, None, "no_face", thumb=thumb(at_ms)) for at_ms in range(0, 4000, 40)]


def test_a_thumb_that_goes_to_and_fro_over_the_finger_tips_rubs() -> None:
    told = watch_all(rubbed(8))
    assert sorted(names(told)) == ["hand_rub", "no_face"]
    rub = next(one for one in told if isinstance(one, Episode))
    assert rub.at_ms == pytest.approx(1000, abs=400)
    assert rub.until_ms == pytest.approx(2280, abs=200)


@pytest.mark.parametrize("sights", [rubbed(2), rubbed(8, stroke=0.1), rubbed(6, ms=900)])
def test_a_thumb_that_moves_once_or_little_or_slowly_rubs_nothing(sights: list[Sight]) -> None:
    assert names(watch_all(sights)) == ["no_face"]


def test_a_slanted_rub_that_ends_one_way_before_the_other_is_told_once() -> None:
    slanted = [
        one
        if one.thumb is None
        else replace(one, thumb=ThumbPlace(one.thumb.across if one.at_ms < 1800 else 0.0, one.thumb.across))
        for one in rubbed(14)
    ]
    assert sorted(names(watch_all(slanted))) == ["hand_rub", "no_face"]


def test_a_rub_ends_where_the_hand_is_lost() -> None:
    lost = [replace(one, thumb=None) if one.at_ms > 1900 else one for one in rubbed(16)]
    rub = next(one for one in watch_all(lost) if isinstance(one, Episode))
    assert rub.until_ms <= 1900


def test_time_that_stands_still_is_an_error() -> None:
    watcher = GestureWatcher()
    watcher.step(40, None)
    with pytest.raises(ValueError, match="a look at 40 ms after one at 40 ms"):
        watcher.step(40, None)


SERIES = st.tuples(
    st.lists(st.tuples(st.sampled_from(sorted(DOES)), st.integers(40, 1500)), min_size=1, max_size=8),
    st.sampled_from((10.0, 25.0, 30.0)),
    st.integers(0, 2**16),
)


def shaky(series: tuple[list[tuple[str, int]], float, int]) -> list[Sight]:
    """A face that does things in any order, with scatter, and lost now and then."""
    parts, fps, seed = series
    rng = np.random.default_rng(seed)
    sights = []
    for sight in acts(*parts, fps=fps):
        assert sight.face is not None
        face = Measures(*(np.array(sight.face) * (1 + 0.02 * rng.normal(size=len(REST)))))
        lost = bool(rng.random() < 0.03)
        sights.append(replace(sight, face=None if lost else face, hidden="no_face" if lost else ""))
    return sights


@given(SERIES)
@options(max_examples=60)
def test_waiting_for_the_rest_loses_nothing(series: tuple[list[tuple[str, int]], float, int]) -> None:
    sights = shaky(series)
    neutral = neutral_of([sight.face for sight in sights if sight.face is not None])
    assert watch_all(sights) == watch_all(sights, neutral)


@given(SERIES)
@options(max_examples=60)
def test_frame_by_frame_is_as_all_at_once(series: tuple[list[tuple[str, int]], float, int]) -> None:
    sights = shaky(series)
    neutral = neutral_of([REST])
    watcher = GestureWatcher(neutral)
    heard: list[Told] = []
    for sight in sights:
        told = watcher.see(sight)
        assert all(one.until_ms <= sight.at_ms for one in told), "nothing is told before it has ended"
        heard += told
    heard += watcher.finish()
    assert sorted(heard, key=lambda one: (one.at_ms, one.until_ms)) == watch_all(sights, neutral)


@given(SERIES)
@options(max_examples=60)
def test_episodes_lie_within_the_series_and_a_gesture_never_overlaps_itself(
    series: tuple[list[tuple[str, int]], float, int],
) -> None:
    sights = shaky(series)
    told = watch_all(sights)
    ends: dict[str, int] = {}
    for one, name in zip(told, names(told), strict=True):
        assert sights[0].at_ms <= one.at_ms <= one.until_ms <= sights[-1].at_ms
        assert one.at_ms > ends.get(name, -1)
        ends[name] = one.until_ms
        if isinstance(one, Episode):
            assert one.gesture in GESTURES
            assert 0.0 <= one.strength <= 1.0
            assert 0.0 <= one.confidence <= 1.0


@given(SERIES)
@options(max_examples=60)
def test_a_mirror_exchanges_left_and_right_and_nothing_else(
    series: tuple[list[tuple[str, int]], float, int],
) -> None:
    def key(one: Told) -> tuple[int, int, str]:
        return one.at_ms, one.until_ms, one.gesture if isinstance(one, Episode) else one.what

    sights = shaky(series)
    seen = [
        replace(one, gesture=mirrored(one.gesture)) if isinstance(one, Episode) else one
        for one in watch_all(sights)
    ]
    in_mirror = watch_all(
        [replace(sight, face=None if sight.face is None else mirror(sight.face)) for sight in sights]
    )
    assert sorted(map(key, in_mirror)) == sorted(map(key, seen))


def mirror(face: Measures) -> Measures:
    return face._replace(
        open_left=face.open_right,
        open_right=face.open_left,
        brow_left=face.brow_right,
        brow_right=face.brow_left,
        gaze_left=-face.gaze_left,
        yaw=-face.yaw,
        roll=-face.roll,
    )


@given(st.lists(st.integers(1, 200), min_size=1, max_size=60))
def test_where_no_face_is_none_does_anything(steps: list[int]) -> None:
    watcher = GestureWatcher()
    told = [one for at_ms in np.cumsum(steps) for one in watcher.step(int(at_ms), None)]
    assert all(isinstance(one, Unmeasured) for one in [*told, *watcher.finish()])
