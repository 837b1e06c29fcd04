"""What says in one picture that hands of two people touch, on people made of a few points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kemps_vision.people.contact.evidence import (
    arms_that_meet,
    foreign_hands,
    palms_with_two_wrists,
    touch_evidence,
)
from kemps_vision.people.contact.persons import is_made_of, is_within, persons_of
from kemps_vision.people.landmarks import BodyPose, HandPose

Point = tuple[float, float]
TORSO = 100.0
BESIDE: tuple[Point, Point] = ((-30, 60), (-30, 110))  # elbow and hand of an arm that hangs down


def body(
    x: float,
    left: tuple[Point, Point] = BESIDE,
    right: tuple[Point, Point] = BESIDE,
    visible: float = 0.9,
) -> BodyPose:
    """Somebody upright, the shoulders about (x, 100); elbow and hand are told from there."""
    points = np.zeros((33, 3), np.float32)
    points[0, :2] = x, 60
    points[11, :2], points[12, :2] = (x + 25, 100), (x - 25, 100)
    points[23, :2], points[24, :2] = (x + 20, 100 + TORSO), (x - 20, 100 + TORSO)
    for side, (elbow, hand) in enumerate((left, right)):
        points[13 + side, :2] = x + elbow[0], 100 + elbow[1]
        points[[15 + side, 17 + side, 19 + side], :2] = x + hand[0], 100 + hand[1]
    return BodyPose(points, np.full(33, visible, np.float32))


def hand(palm: Point, towards: Point, size: float = 20.0) -> HandPose:
    """A hand whose fingers point ``towards``, a direction."""
    way = np.array(towards, float) / np.hypot(*towards)
    points = np.zeros((21, 3), np.float32)
    points[:, :2] = np.array(palm) + way * size / 2
    points[0, :2] = np.array(palm) - way * size * 0.8
    points[9, :2] = np.array(palm) + way * size * 0.2
    return HandPose(points, 0.9, is_left=False)


def twice(*bodies: BodyPose) -> list[BodyPose]:
    """Each body as two views saw it."""
    return [*bodies, *bodies]


def shaking(gap: float = 0.0, visible: float = 0.9) -> Sequence[BodyPose]:
    """Two people whose right and left forearms point at each other."""
    return twice(
        body(100, left=((50, 60), (100 - gap / 2, 50)), visible=visible),
        body(300, right=((-50, 60), (-100 + gap / 2, 50)), visible=visible),
    )


def test_views_of_one_body_are_one_person_and_what_most_say_counts() -> None:
    views = [body(100), body(103), body(98, left=((60, 10), (90, 0)))]
    (person,) = persons_of([*views, body(300)])[:1]
    assert person.views == 3
    assert person.size == pytest.approx(TORSO, abs=1)
    left = person.arms[0]
    assert left.hand == pytest.approx((70, 210), abs=4)
    assert left.spread > 20


def test_forearms_that_end_at_one_place_from_two_sides_touch() -> None:
    (evidence,) = arms_that_meet(persons_of(shaking()))
    assert evidence.score > 0.9
    assert evidence.at == pytest.approx((200, 150), abs=2)
    assert set(evidence.people) == {0, 1}


def test_the_further_apart_the_hands_the_lower_the_score() -> None:
    scores = [arms_that_meet(persons_of(shaking(gap)))[0].score for gap in range(0, 100, 10)]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < 0.5


def test_arms_that_are_hardly_seen_say_little() -> None:
    sure, unsure = (arms_that_meet(persons_of(shaking(visible=v)))[0].score for v in (0.9, 0.1))
    assert unsure < sure


def test_arms_that_are_guessed_meet_nowhere() -> None:
    (evidence,) = arms_that_meet(persons_of(shaking(visible=0.1)))
    assert evidence.score < 0.01


def test_a_body_whose_chest_is_out_of_the_picture_or_that_is_larger_than_it_is_made_up() -> None:
    (person,) = persons_of([body(100)])
    assert is_within(person, 200, 240)
    assert not is_within(person, 90, 240)
    assert not is_within(person, 200, 80)


def test_a_body_read_into_a_hand_near_the_camera_is_made_up() -> None:
    (person,) = persons_of([body(100)])
    near = hand((100, 110), (0, 1), size=2 * TORSO)
    near.landmarks[[4, 20], 0] = 40, 160
    assert is_made_of(person, near)
    assert not is_made_of(person, hand((100, 110), (0, 1)))  # it lies on the chest
    assert not is_made_of(person, HandPose(near.landmarks + np.float32(300), 0.9, is_left=False))


def test_people_side_by_side_with_hanging_arms_do_not_touch() -> None:
    side_by_side = twice(body(90, left=((35, 60), (38, 110))), body(190, right=((-35, 60), (-38, 110))))
    (evidence,) = arms_that_meet(persons_of(side_by_side))
    assert evidence.score < 0.5


def test_bodies_seen_in_one_view_only_are_no_evidence_and_one_of_them_makes_it_less_sure() -> None:
    both = list(shaking())
    assert arms_that_meet(persons_of(both[:2])) == []
    (half,), (sure,) = arms_that_meet(persons_of(both[:3])), arms_that_meet(persons_of(both))
    assert 0.5 <= half.score < sure.score


def test_forearms_that_point_at_the_camera_make_it_less_sure() -> None:
    def meeting(length: float) -> float:
        arms = ((100 - length, 50), (100, 50)), ((length - 100, 50), (-100, 50))
        (evidence,) = arms_that_meet(persons_of(twice(body(100, left=arms[0]), body(300, right=arms[1]))))
        return evidence.score

    assert meeting(2) < 0.01 < meeting(6) < meeting(10) < meeting(30)


def test_two_wrists_in_one_palm_are_two_hands() -> None:
    (evidence,) = palms_with_two_wrists([hand((200, 150), (1, 0)), hand((207, 150), (-1, 0.1))])
    assert evidence.score > 0.6
    assert evidence.at == pytest.approx((203, 150), abs=3)


def test_one_hand_read_twice_and_hands_apart_have_no_two_wrists() -> None:
    assert palms_with_two_wrists([hand((200, 150), (1, 0)), hand((203, 150), (1, 0.2))]) == []
    (apart,) = palms_with_two_wrists([hand((200, 150), (1, 0)), hand((230, 150), (-1, 0))])
    assert apart.score < 0.1


def test_folded_hands_of_one_person_are_not_two_peoples() -> None:
    folded = twice(body(200, left=((45, 60), (0, 70)), right=((-45, 60), (0, 70))))
    hands = [hand((200, 170), (1, 0)), hand((203, 170), (-1, 0))]
    assert palms_with_two_wrists(hands, persons_of(folded)) == []


def test_a_hand_from_the_other_side_at_the_end_of_an_arm_is_somebody_elses() -> None:
    person = persons_of(twice(body(100, left=((50, 60), (100, 50)))))
    own, foreign = hand((200, 150), (1, 0)), hand((205, 150), (-1, 0))
    (evidence,) = foreign_hands(person, [foreign, foreign, own])
    assert evidence.score >= 0.5
    assert evidence.people == (0,)
    assert foreign_hands(person, [own, own, own]) == []
    assert foreign_hands(person, [foreign, own, own]) == []


def test_several_signs_of_one_contact_are_told_once_the_strongest_first() -> None:
    hands = [hand((200, 150), (1, 0)), hand((203, 150), (-1, 0))]
    found = touch_evidence(persons_of(shaking()), hands)
    assert [one.reason for one in found] == ["arms of two people end at one place"]
