"""Who called: named when it is clear, and else nobody."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.hearing.callers import Mouth, MouthLog, by_mouth, level_db, loudest

from .conftest import tones

TIMES = np.arange(0, 4000, 40.0)


def mouth(openings: np.ndarray) -> Mouth:
    return Mouth(TIMES.tolist(), openings.tolist())


def opened(at_ms: float, much: float = 0.5) -> np.ndarray:
    return np.where((at_ms <= TIMES) & (at_ms + 300 >= TIMES), much, 0.02)


def chewing() -> np.ndarray:
    return 0.25 + 0.25 * np.sin(TIMES / 90)


STILL = np.full(len(TIMES), 0.02)
SOUND = tones(4.0, [("kemps", 2.0)])


def test_the_mouth_that_opens_with_the_call_is_the_callers() -> None:
    mouths = {"A": mouth(STILL), "B": mouth(opened(2000)), "C": mouth(chewing())}
    assert by_mouth(mouths, SOUND, 2000) == "B"


@pytest.mark.parametrize(
    "mouths",
    [
        {},
        {"A": mouth(STILL), "B": mouth(STILL)},
        {"A": mouth(chewing()), "B": mouth(STILL)},
        {"A": mouth(opened(2000)), "B": mouth(opened(2000, 0.45))},
        {"A": mouth(opened(900))},
        {"A": Mouth([1990.0, 2030.0], [0.0, 0.9])},
    ],
    ids=["nobody seen", "all still", "chewing", "two open", "before the call", "hardly seen"],
)
def test_nobody_is_named_where_it_is_not_clear(mouths: dict[str, Mouth]) -> None:
    assert by_mouth(mouths, SOUND, 2000) is None


def test_nobody_is_named_while_a_seat_is_out_of_sight() -> None:
    log = MouthLog("AB")
    for at_ms, opening in zip(TIMES, opened(2000), strict=True):
        log.note("A", float(at_ms), float(opening))
    assert log.name(2000, SOUND, 0.0) is None
    for at_ms in TIMES:
        log.note("B", float(at_ms), 0.02)
    assert log.name(2000, SOUND, 0.0) == "A"


def test_a_mouth_that_moves_as_much_before_is_no_callers() -> None:
    both = np.maximum(opened(2000), opened(1600, 0.3))
    assert by_mouth({"A": mouth(both)}, SOUND, 2000) is None


def test_a_log_of_mouths_names_the_caller_and_forgets_what_is_long_past() -> None:
    log = MouthLog()
    for at_ms, opening in zip(TIMES, opened(2000), strict=True):
        log.note("A", 20_000 + at_ms, float(opening))
        log.note("B", 20_000 + at_ms, 0.02)
    assert log.name(22_000, SOUND, 20_000) == "A"
    log.note("A", 40_000, 0.0)
    log.note("B", 40_000, 0.0)
    assert log.name(22_000, SOUND, 20_000) is None


def test_the_loudest_microphone_names_its_seat_if_it_is_clearly_louder() -> None:
    near, far = tones(3.0, [("kemps", 1.0)]), tones(3.0, [("kemps", 1.0)], loud=0.03)
    assert loudest({"A": level_db(near, 1000), "B": level_db(far, 1000)}) == "A"
    assert loudest({"A": level_db(near, 1000), "B": level_db(near * 0.8, 1000)}) is None
    assert loudest({}) is None
