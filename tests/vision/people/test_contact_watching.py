"""Contact over time: signs become spans, hands that meet and vanish are signs, hands that hide are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from kemps_vision.people.contact.evidence import Evidence
from kemps_vision.people.contact.hiding import HiddenWatcher
from kemps_vision.people.contact.meeting import Sign, VanishedHands
from kemps_vision.people.contact.near import NearHands
from kemps_vision.people.contact.spans import (
    BEHIND_BODY,
    BELOW_TABLE,
    HANDS_TOUCHED,
    LEFT_PICTURE,
    LOST,
    ContactSpan,
    HiddenSpan,
    OwnedHand,
    Owner,
)
from kemps_vision.people.contact.watching import ContactWatcher, signs_of
from kemps_vision.people.contact.weighing import weighed
from kemps_vision.people.landmarks import HandPose

SIZE = (640, 480)
PALM = 30.0
EVERY_MS = 50
Place = Callable[[int], tuple[float, float] | None]


def hand(
    track: int,
    owner: Owner,
    at: tuple[float, float],
    palm: float = PALM,
    odds: Mapping[str, float] | None = None,
) -> OwnedHand:
    """A hand two palms wide and high about a place."""
    points = np.zeros((21, 3), np.float32)
    grid = np.linspace(-palm, palm, 20)
    points[1:, 0], points[1:, 1] = at[0] + grid, at[1] + np.roll(grid, 7)
    points[0, :2] = at[0], at[1] + palm
    points[9, :2] = at
    return OwnedHand(track, owner, HandPose(points, 0.9, is_left=True), odds or {})


def signs(*scores: float, reason: str = "hands touch or overlap") -> list[list[Sign]]:
    """One sign of A and B for each picture; none for 0."""
    return [[Sign(HANDS_TOUCHED, ("A", "B"), s, (10, 20), reason)] if s else [] for s in scores]


def near_hands(hands: list[OwnedHand]) -> list[Sign]:
    """What one picture says."""
    return NearHands().step(0, hands)


def watched(pictures: list[list[Sign]], every_ms: int = EVERY_MS) -> list[ContactSpan]:
    watcher = ContactWatcher()
    ended = [span for n, found in enumerate(pictures) for span in watcher.step(n * every_ms, found)]
    return [*ended, *watcher.finish()]


def test_signs_in_a_row_are_one_span_with_the_reason_and_a_score() -> None:
    (span,) = watched(signs(0, 0.2, 0.9, 0.8, 0, 0.4, 0.9, 0, 0))
    assert (span.at_ms, span.until_ms) == (100, 300)
    assert span.kind == HANDS_TOUCHED
    assert span.owners == ("A", "B")
    assert span.reason == "hands touch or overlap"
    assert span.score == pytest.approx(0.9)  # of the better half


def test_a_weak_sign_begins_nothing_and_a_single_look_is_not_told() -> None:
    assert watched(signs(0.4, 0.45, 0.4)) == []
    assert watched(signs(0, 0.9, 0, 0)) == []


def test_a_contact_that_most_looks_do_not_see_is_not_told() -> None:
    assert watched(signs(0.9, 0, 0, 0, 0, 0.9)) == []
    assert len(watched(signs(0.9, 0, 0.9, 0.9, 0))) == 1


def test_looks_that_are_often_wrong_must_be_more_and_until_then_a_contact_is_unsure() -> None:
    watcher = ContactWatcher(bridge_ms=2000, least_looks=3)
    unsure = []
    for at_ms, found in enumerate(signs(0, 0.9, 0.9, 0.9, 0.9)):
        watcher.step(at_ms * 500, found)
        unsure.append(watcher.is_unsure)
    assert unsure == [False, True, True, False, False]


def test_contacts_further_apart_than_the_bridge_are_two() -> None:
    spans = watched(signs(0.9, 0.9, *[0] * 15, 0.8, 0.8))
    assert [(span.at_ms, span.until_ms) for span in spans] == [(0, 50), (850, 900)]


def test_pairs_are_watched_apart_whichever_hand_is_told_first() -> None:
    pictures = [
        [
            Sign(HANDS_TOUCHED, pair, 0.9, (0, 0), "x"),
            Sign(HANDS_TOUCHED, ("C", "D"), 0.7, (0, 0), "x"),
        ]
        for pair in (("A", "B"), ("B", "A"), ("A", "B"))
    ]
    spans = watched(pictures)
    assert sorted(sorted(map(str, span.owners)) for span in spans) == [["A", "B"], ["C", "D"]]


def test_evidence_of_a_closer_look_names_those_it_knows() -> None:
    evidence = [Evidence(0.9, (1, 2), "why", 10, (0, 2)), Evidence(0.6, (5, 5), "two wrists", 10)]
    assert [sign.owners for sign in signs_of(evidence, ["A", "B", "C"])] == [("A", "C"), (None, None)]


@pytest.mark.parametrize(("gap", "is_contact"), [(0.0, True), (0.1, True), (0.5, False), (2.0, False)])
def test_hands_of_two_people_touch_when_they_are_a_finger_apart(gap: float, is_contact: bool) -> None:
    found = near_hands([hand(1, "A", (200, 200)), hand(2, "B", (200 + (2 + gap) * PALM, 200))])
    assert (max((sign.score for sign in found), default=0) >= 0.5) is is_contact


def test_the_two_hands_of_one_person_may_touch() -> None:
    assert near_hands([hand(1, "A", (200, 200)), hand(2, "A", (220, 200))]) == []


def test_hands_of_different_sizes_are_not_at_one_distance() -> None:
    assert near_hands([hand(1, "A", (200, 200)), hand(2, "B", (220, 200), palm=70)]) == []


def test_who_is_not_known_makes_a_contact_less_sure() -> None:
    known, unknown = (
        near_hands([hand(1, "A", (200, 200)), hand(2, owner, (230, 200))])[0].score for owner in ("B", None)
    )
    assert unknown < known


@pytest.mark.parametrize(
    ("odds", "is_claimed"),
    [({"A": 0.6, "C": 0.4}, False), ({"B": 0.5, "C": 0.5}, True), ({"A": 0.85, "B": 0.15}, False)],
)
def test_a_hand_of_nobodys_that_may_be_ones_other_hand_is_no_contact(
    odds: dict[str, float], is_claimed: bool
) -> None:
    own = hand(1, "A", (200, 200), odds={"A": 0.98, "B": 0.02})
    (sign,) = near_hands([own, hand(2, None, (215, 200), odds=odds)])
    assert (sign.score >= 0.5) is is_claimed


def passing(pace: float) -> ContactSpan:
    """Two hands overlap for 0.6 s, while one moves so many palms a second."""
    near, watcher = NearHands(), ContactWatcher()
    for at_ms in range(0, 600, EVERY_MS):
        moving = hand(2, "B", (180 + pace * PALM * at_ms / 1000, 200))
        watcher.step(at_ms, near.step(at_ms, [hand(1, "A", (200, 200)), moving]))
    (span,) = watcher.finish()
    return span


def test_hands_that_pass_over_each_other_are_no_contact_and_those_that_stay_are() -> None:
    stays, passes = passing(0.4), passing(4.0)
    assert stays.still_ms >= 400
    assert passes.still_ms == 0
    assert weighed(stays, is_in_centre=False, is_of_arms=False) >= 0.5
    assert weighed(passes, is_in_centre=False, is_of_arms=False) < 0.3


def test_arms_that_become_one_over_the_cards_alone_are_no_claim() -> None:
    (span,) = watched(signs(*[0.75] * 20, reason="two arms met at their hands"))
    assert weighed(span, is_in_centre=False, is_of_arms=True) >= 0.5
    assert weighed(span, is_in_centre=True, is_of_arms=True) < 0.5


def vanishing(one: Place, other: Place, until_ms: int = 3000) -> list[tuple[int, list[Sign]]]:
    """Two hands of A and B along paths; None where the landmarker does not find them."""
    watcher, told = VanishedHands(SIZE), []
    for at_ms in range(0, until_ms, EVERY_MS):
        places = (1, "A", one(at_ms)), (2, "B", other(at_ms))
        hands = [hand(track, owner, at) for track, owner, at in places if at is not None]
        told.append((at_ms, watcher.step(at_ms, hands)))
    return told


def test_hands_that_meet_and_vanish_together_touch_until_they_are_seen_again() -> None:
    def path(start: float, step: float) -> Place:
        return lambda ms: None if 1000 <= ms < 2000 else (start + step * min(ms, 1000) / 1000, 240.0)

    told = vanishing(path(100, 190), path(540, -190))
    touching = [at_ms for at_ms, found in told if any(sign.score >= 0.5 for sign in found)]
    assert touching[0] <= 1050
    assert touching[-1] == 1950


def test_a_hand_that_covers_another_holds_it_while_it_rests_and_passes_over_it_while_it_moves() -> None:
    def covered(pace: float) -> list[bool]:
        told = vanishing(
            lambda ms: (300.0, 240.0) if ms < 500 else None,
            lambda ms: (310.0 + pace * (ms - 500), 240.0),
            700,
        )
        return [
            sign.is_still for at_ms, found in told for sign in found if at_ms >= 550 and sign.score >= 0.5
        ]

    assert covered(0.0) == [True] * 3
    assert set(covered(0.12)) == {False}


def test_a_contact_is_open_until_it_is_over_whichever_is_named_first() -> None:
    watcher, pair = ContactWatcher(), (HANDS_TOUCHED, ("B", "A"))
    watcher.step(0, signs(0.9)[0])
    assert watcher.has_open(*pair)
    watcher.step(2000, [])
    assert not watcher.has_open(*pair)


def test_hands_that_vanish_far_apart_or_at_the_border_say_nothing() -> None:
    assert not any(
        found for _, found in vanishing(lambda ms: (100.0, 240.0) if ms < 500 else None, lambda _: (500, 240))
    )
    leaving = vanishing(
        lambda ms: (40.0, 240.0) if ms < 500 else None, lambda ms: (50.0, 300.0) if ms < 500 else None
    )
    assert not any(found for _, found in leaving)


def test_a_hand_that_goes_on_alone_after_the_other_was_lost_is_no_contact() -> None:
    told = vanishing(
        lambda ms: (300.0, 240.0) if ms < 500 else None, lambda ms: (330.0 + max(0, ms - 500) * 0.3, 240.0)
    )
    assert not any(sign.score >= 0.5 for at_ms, found in told for sign in found if at_ms > 1000)


def test_idle_hands_of_four_seats_make_no_contact_in_a_minute() -> None:
    noise = np.random.default_rng(4)
    watcher, near, vanished, spans = ContactWatcher(), NearHands(), VanishedHands(SIZE), list[ContactSpan]()
    places = {"A": (320, 400), "B": (100, 240), "C": (320, 80), "D": (540, 240)}
    for at_ms in range(0, 60_000, 100):
        hands = [
            hand(track, seat, (at[0] + noise.normal(0, 2), at[1] + noise.normal(0, 2)))
            for track, (seat, at) in enumerate(places.items())
            if noise.random() > 0.3  # the landmarker loses some
        ]
        spans += watcher.step(at_ms, [*near.step(at_ms, hands), *vanished.step(at_ms, hands)])
    assert [*spans, *watcher.finish()] == []


TABLE = ((120, 60), (520, 60), (520, 400), (120, 400))


def hiding(path: Place, *, until_ms: int = 4000, trunks: tuple[np.ndarray, ...] = ()) -> list[HiddenSpan]:
    watcher, spans, track = HiddenWatcher(SIZE, TABLE), list[HiddenSpan](), 0
    was_there = False
    for at_ms in range(0, until_ms, EVERY_MS):
        at = path(at_ms)
        track += at is not None and not was_there
        was_there = at is not None
        spans += watcher.step(at_ms, [] if at is None else [hand(track, "A", at)], trunks)
    return [*spans, *watcher.finish()]


def test_a_hand_that_goes_over_the_tables_edge_is_hidden_until_it_comes_back() -> None:
    (span,) = hiding(lambda ms: None if 1000 <= ms < 2500 else (300.0, 250 + min(ms, 1000) * 0.14))
    assert (span.owner, span.where) == ("A", BELOW_TABLE)
    assert (span.at_ms, span.until_ms) == (950, 2500)
    assert span.score >= 0.5
    assert "edge of the table" in span.reason


def test_a_short_absence_is_not_told() -> None:
    assert hiding(lambda ms: None if 1000 <= ms < 1400 else (300.0, 390.0)) == []


def test_a_hand_lost_over_the_table_or_out_of_the_picture_is_not_called_hidden() -> None:
    (lost,) = hiding(lambda ms: None if ms >= 1000 else (300.0, 200.0))
    assert lost.where == LOST
    assert lost.score < 0.5
    (left,) = hiding(lambda ms: None if ms >= 1000 else (300.0, 300 + ms * 0.18))
    assert left.where == LEFT_PICTURE
    assert left.score < 0.5


def test_a_hand_that_goes_behind_a_body_is_hidden() -> None:
    outline = np.array([(200, 80), (400, 80), (400, 300), (200, 300)], np.float32)
    (span,) = hiding(lambda ms: None if ms >= 1000 else (300.0, 200.0), trunks=(outline,))
    assert span.where == BEHIND_BODY
    assert span.until_ms == 3950


def test_a_hand_that_shows_for_a_moment_and_is_lost_again_is_known_still() -> None:
    watcher, spans = HiddenWatcher(SIZE, TABLE), list[HiddenSpan]()
    for at_ms in range(0, 4000, EVERY_MS):
        there = [hand(1, "A", (300, 200))] if at_ms < 1000 or at_ms == 1800 else []
        spans += watcher.step(at_ms, there)
    told = [(span.at_ms, span.where) for span in [*spans, *watcher.finish()]]
    assert told == [(950, LOST), (1800, LOST)]


def test_nobody_has_a_third_hand_and_a_new_one_is_the_lost_one_nearest_to_it() -> None:
    watcher = HiddenWatcher(SIZE, TABLE)
    for at_ms in range(0, 1000, EVERY_MS):
        watcher.step(at_ms, [hand(1, "A", (200, 200)), hand(2, "A", (400, 200))])
    assert watcher.step(1000, []) == []
    (span,) = watcher.step(2000, [hand(3, "A", (405, 200))])
    assert (span.at_ms, span.until_ms) == (950, 2000)
    (other,) = watcher.step(3000, [hand(3, "A", (405, 200)), hand(4, "A", (300, 330))])
    assert (other.at_ms, other.until_ms) == (950, 3000)
    assert watcher.finish() == []


def test_hands_in_a_contact_are_not_hidden() -> None:
    watcher = HiddenWatcher(SIZE, TABLE)
    for at_ms in range(0, 3000, EVERY_MS):
        watcher.step(at_ms, [hand(1, "A", (300, 390))] if at_ms < 1000 else [], touching=("A",))
    assert watcher.finish() == []
