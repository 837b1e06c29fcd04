"""Calls in a running sound: where, once each, and the same however the sound is cut."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kemps_vision.hearing.deciding import Why, decide
from kemps_vision.hearing.detector import CallDetector, Heard, calls_in
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.listener import Listener

from .conftest import EAR, ToneListener, tones


def told(heard: list[Heard]) -> list[tuple[str, int]]:
    return [(one.call, round(one.at_ms)) for one in heard]


def test_each_call_is_told_once_at_its_onset(tone_listener: Listener) -> None:
    sound = tones(6.0, [("kemps", 1.0), ("stop", 3.0), ("kemps", 4.5)])
    heard = calls_in(sound, tone_listener)
    assert [one.call for one in heard] == ["kemps", "stop", "kemps"]
    assert np.abs(np.array([one.at_ms for one in heard]) - [1000, 3000, 4500]).max() <= 30


def test_the_second_word_of_a_stop_kemps_is_no_kemps(tone_listener: Listener) -> None:
    heard = calls_in(tones(4.0, [("stop", 1.0), ("kemps", 1.6)]), tone_listener)
    assert [one.call for one in heard] == ["stop"]


def test_a_kemps_a_second_after_a_stop_kemps_is_a_call_of_its_own(tone_listener: Listener) -> None:
    heard = calls_in(tones(4.0, [("stop", 1.0), ("kemps", 2.2)]), tone_listener)
    assert [one.call for one in heard] == ["stop", "kemps"]


def test_two_at_once_are_told_as_overlapped(tone_listener: Listener) -> None:
    heard = calls_in(tones(4.0, [("kemps", 1.0), ("two", 1.0)]), tone_listener)
    assert [(one.call, one.is_overlapped, one.is_sure) for one in heard] == [("kemps", True, False)]


def test_two_at_once_are_told_even_if_neither_is_clear(tone_listener: Listener) -> None:
    heard = calls_in(tones(4.0, [("two", 1.0)]), tone_listener)
    assert len(heard) == 1
    assert heard[0].is_overlapped
    assert heard[0].score < 1
    assert abs(heard[0].at_ms - 1000) <= 30


def test_a_later_call_over_a_fainter_one_is_for_a_person() -> None:
    heard = calls_in(tones(4.0, [("kemps", 1.0), ("stop", 1.3)]), faintly(kemps=0.2))
    assert [(one.call, one.is_overlapped) for one in heard] == [("stop", True)]
    assert decide(heard).why is Why.OVERLAP


def test_a_later_call_after_a_clear_one_is_a_call_of_its_own() -> None:
    heard = calls_in(tones(4.0, [("kemps", 1.0), ("stop", 1.3)]), faintly())
    assert [(one.call, one.is_overlapped) for one in heard] == [("kemps", False), ("stop", False)]
    assert decide(heard).call == heard[0]


def test_what_was_faint_long_before_a_call_says_nothing_about_it() -> None:
    heard = calls_in(tones(4.0, [("kemps", 1.0), ("stop", 2.0)]), faintly(kemps=0.2))
    assert [(one.call, one.is_overlapped) for one in heard] == [("stop", False)]


def test_two_faint_calls_together_are_for_a_person_and_each_alone_is_nothing() -> None:
    heard = calls_in(tones(4.0, [("kemps", 1.0), ("stop", 1.3)]), faintly(kemps=0.5, stop=0.5))
    assert [(one.is_overlapped, one.score < 1) for one in heard] == [(True, True)]
    assert calls_in(tones(4.0, [("kemps", 1.0)]), faintly(kemps=0.5)) == []


def test_a_faint_stop_before_a_faint_kemps_is_no_call_of_two() -> None:
    """Said by one it is a "Stop Kemps" that is too faint; the other way round it is two who call."""
    sound, listener = tones(4.0, [("stop", 1.0), ("kemps", 1.4)]), faintly(kemps=0.5, stop=0.5)
    assert calls_in(sound, listener) == []


def faintly(**shares: float) -> Listener:
    """The listener of tones, with less heat for some."""
    return cast("Listener", FaintListener(shares))


class FaintListener(ToneListener):
    ear = replace(EAR, second=0.34)

    def __init__(self, shares: dict[str, float]) -> None:
        self._shares = [shares.get(name, 1.0) for name in ("kemps", "stop", "two")]

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return super().heat(rows) * np.array(self._shares, np.float32)[:, None]


def test_a_call_at_the_first_and_in_the_last_moment_is_heard(tone_listener: Listener) -> None:
    heard = calls_in(tones(2.0, [("kemps", 0.1), ("stop", 1.7)]), tone_listener)
    assert [one.call for one in heard] == ["kemps", "stop"]


def test_a_call_is_told_within_1600_ms(tone_listener: Listener) -> None:
    detector = CallDetector(tone_listener)
    sound = tones(6.0, [("kemps", 1.03), ("stop", 3.07)])
    step = RATE // 10
    heard = [one for at in range(0, len(sound), step) for one in detector.feed(sound[at : at + step])]
    assert len(heard) == 2
    assert max(one.reported_ms - one.at_ms for one in heard) <= 1600


def test_silence_and_nothing_at_all_are_no_calls(tone_listener: Listener) -> None:
    assert calls_in(np.zeros(RATE, np.float32), tone_listener) == []
    assert calls_in(np.zeros(0, np.float32), tone_listener) == []


@pytest.mark.parametrize("step", [160, 1601, 16000])
def test_pieces_give_what_the_whole_gives(tone_listener: Listener, step: int) -> None:
    sound = tones(5.0, [("kemps", 0.6), ("stop", 2.0), ("kemps", 2.5), ("two", 3.6)])
    assert told(fed(CallDetector(tone_listener), sound, step)) == told(calls_in(sound, tone_listener))
    sound, listener = tones(3.0, [("kemps", 1.0), ("stop", 1.6)]), faintly(kemps=0.2)
    heard = fed(CallDetector(listener), sound, step)
    assert [one.is_overlapped for one in heard] == [True]
    assert told(heard) == told(calls_in(sound, listener))


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 9000), min_size=1, max_size=12))
def test_pieces_of_any_sizes_give_what_the_whole_gives(sizes: list[int]) -> None:
    listener: Listener = ToneListener()  # type: ignore[assignment]
    sound = tones(3.0, [("stop", 0.5), ("kemps", 1.9)])
    detector, at, heard = CallDetector(listener), 0, list[Heard]()
    for size in sizes:
        heard += detector.feed(sound[at : at + size])
        at = min(len(sound), at + size)
    heard += [*detector.feed(sound[at:]), *detector.finish()]
    assert told(heard) == told(calls_in(sound, listener))


def fed(detector: CallDetector, sound: Sound, step: int) -> list[Heard]:
    heard = [one for at in range(0, len(sound), step) for one in detector.feed(sound[at : at + step])]
    return [*heard, *detector.finish()]
