"""Hands keep their number from picture to picture; where two may have been exchanged that is said."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kemps_vision.people.hand_tracks import LOST_MS, HandTracks, without_doubles
from kemps_vision.people.landmarks import HandPose

PALM = 40.0


def hand(x: float, y: float, *, score: float = 0.9, up: tuple[float, float] = (0.0, -1.0)) -> HandPose:
    """A hand with its palm's middle at a point, its fingers towards ``up``."""
    landmarks = np.zeros((21, 3), np.float32)
    wrist = np.array([x, y]) - np.asarray(up) * PALM * 0.8
    for place in range(21):
        landmarks[place, :2] = wrist + np.asarray(up) * PALM * (0 if place == 0 else 1)
    return HandPose(landmarks, score, is_left=False)


def test_a_hand_keeps_its_number_while_it_moves() -> None:
    tracks = HandTracks()
    seen = [tracks.step(66 * i, [hand(100 + 12 * i, 200)])[0].id for i in range(20)]
    assert set(seen) == {0}


def test_hands_keep_their_numbers_whatever_the_order_they_come_in() -> None:
    tracks = HandTracks()
    first = {track.id: track.pose.palm[0] for track in tracks.step(0, [hand(100, 100), hand(400, 100)])}
    second = {track.id: track.pose.palm[0] for track in tracks.step(66, [hand(402, 100), hand(103, 100)])}
    assert first.keys() == second.keys()
    assert all(abs(first[number] - second[number]) < 5 for number in first)


def test_a_hand_that_is_lost_for_a_while_comes_back_as_another() -> None:
    tracks = HandTracks()
    (before,) = tracks.step(0, [hand(100, 100)])
    tracks.step(LOST_MS + 100, [])
    (after,) = tracks.step(LOST_MS + 166, [hand(100, 100)])
    assert before.id != after.id


def test_a_hand_that_is_missed_in_a_picture_or_two_stays_the_same() -> None:
    tracks = HandTracks()
    tracks.step(0, [hand(100, 100)])
    tracks.step(66, [])
    tracks.step(132, [])
    (again,) = tracks.step(198, [hand(110, 100)])
    assert again.id == 0


def test_two_hands_that_meet_are_in_doubt_and_two_apart_are_not() -> None:
    tracks = HandTracks()
    for i in range(8):
        apart = tracks.step(66 * i, [hand(100 + 10 * i, 200), hand(300 - 10 * i, 200)])
    assert not any(track.is_doubtful for track in apart)
    met = tracks.step(66 * 8, [hand(200, 185), hand(200, 215)])
    assert all(track.is_doubtful and track.since_ms == 66 * 8 for track in met)


def test_two_finds_of_one_hand_are_one_the_surer() -> None:
    kept = without_doubles([hand(100, 100, score=0.6), hand(104, 103, score=0.9), hand(300, 100, score=0.5)])
    assert [one.score for one in kept] == [0.9, 0.5]


@given(st.lists(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 600)), max_size=6), max_size=8))
def test_each_find_is_one_track_and_no_track_is_in_two_places(pictures: list[list[tuple[int, int]]]) -> None:
    tracks = HandTracks()
    for i, places in enumerate(pictures):
        found = without_doubles([hand(x, y) for x, y in places])
        seen = tracks.step(66 * i, [hand(x, y) for x, y in places])
        assert len(seen) == len(found)
        assert len({track.id for track in seen}) == len(seen)


def test_of_two_hands_that_met_the_one_that_is_still_seen_is_in_doubt() -> None:
    tracks = HandTracks()
    for i in range(8):
        tracks.step(66 * i, [hand(100 + 9 * i, 200), hand(230, 200)])
    (left,) = tracks.step(66 * 8, [hand(200, 200)])
    assert left.is_doubtful, "the other one was near: this may be it"


def test_a_hand_found_again_far_from_where_it_was_lost_is_in_doubt_and_one_found_there_is_not() -> None:
    for x, is_doubtful in ((105.0, False), (180.0, True)):
        tracks = HandTracks()
        tracks.step(0, [hand(100, 200)])
        (again,) = tracks.step(266, [hand(x, 200)])
        assert (again.id, again.is_doubtful) == (0, is_doubtful)
