from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_vision.appearance import Look
from kemps_vision.cards.reading import CardReading, IndexReading
from kemps_vision.spots import READS_WITH_ONE_CORNER, READS_WITH_TWO_CORNERS, Spot, name_of

QUAD = np.array([[10, 10], [66, 10], [66, 88], [10, 88]], np.float64)


def index() -> IndexReading:
    zero = np.zeros(2)
    return IndexReading(
        centre=zero,
        up=zero,
        right=zero,
        heat=0.9,
        rank_log_p=np.zeros(13),
        suit_log_p=np.zeros(4),
        none_p=0.0,
    )


def reading(
    card: str,
    *,
    corners: int = 2,
    margin: float = 5.0,
    is_named: bool = True,
    quad: NDArray[np.float64] = QUAD,
) -> CardReading:
    log_p = np.full(52, -margin)
    log_p[DECK_52.index(Card.parse(card))] = 0.0
    name = Card.parse(card) if is_named else None
    return CardReading(name, 0.9, quad, log_p, (index(),) * corners)


def spot_after(*readings: CardReading) -> Spot:
    spot = Spot(id=1, quad=QUAD, first_read_ms=0)
    for one in readings:
        spot.vote(one)
    return spot


def test_a_lone_frame_is_never_enough_however_sure_it_is() -> None:
    assert not spot_after(reading("9c", margin=50.0)).is_sure


def test_three_readings_are_enough_when_both_corners_agree_and_six_with_one() -> None:
    assert READS_WITH_TWO_CORNERS == 3
    assert not spot_after(*[reading("9c")] * 2).is_sure
    assert spot_after(*[reading("9c")] * 3).is_sure
    assert not spot_after(*[reading("9c", corners=1)] * (READS_WITH_ONE_CORNER - 1)).is_sure
    assert spot_after(*[reading("9c", corners=1)] * READS_WITH_ONE_CORNER).is_sure


def test_a_narrow_margin_is_not_made_sure_by_repeating_the_same_picture() -> None:
    spot = spot_after(*[reading("5c", margin=0.5)] * 200)
    assert spot.guess == Card.parse("5c")
    assert not spot.is_sure


def test_readings_that_disagree_are_not_sure() -> None:
    split = [reading("9c"), reading("9s"), reading("9c"), reading("9s"), reading("9c"), reading("9s")]
    assert not spot_after(*split).is_sure


def test_one_wrong_reading_among_many_does_not_matter() -> None:
    spot = spot_after(*[reading("9c")] * 4, reading("6h", margin=60.0), *[reading("9c")] * 2)
    assert spot.is_sure
    assert spot.guess == Card.parse("9c")


def test_a_reading_that_names_nothing_still_says_what_the_card_may_be() -> None:
    assert name_of(reading("7d", is_named=False)) == Card.parse("7d")
    assert not spot_after(*[reading("7d", is_named=False, margin=2.0)] * 11).is_sure
    spot = spot_after(*[reading("7d", is_named=False, margin=2.0)] * 12)
    assert spot.is_sure
    assert spot.guess == Card.parse("7d")


def test_a_contradiction_needs_nearly_all_recent_readings_and_an_unchanged_look() -> None:
    spot = spot_after(*[reading("9c")] * 4)
    spot.card, spot.is_settled = Card.parse("9c"), True
    for _ in range(8):
        spot.vote(reading("9s"))
        assert spot.contradiction() is None
    spot.vote(reading("9s"))
    spot.kept = 0.4
    assert spot.contradiction() is None
    spot.kept = 0.95
    assert spot.contradiction() == Card.parse("9s")
    assert spot.card == Card.parse("9c")


def test_two_corners_know_a_place_better_than_one() -> None:
    spot = Spot(id=1, quad=QUAD + 30, first_read_ms=0, corners=1)
    spot.place(reading("9c", quad=QUAD), 1.0)
    assert np.allclose(spot.quad, QUAD)
    spot.place(reading("9c", corners=1, quad=QUAD + 20), 1.0)
    assert np.allclose(spot.quad, QUAD)
    spot.place(reading("9c", quad=QUAD + 4), 1.0)
    assert np.allclose(spot.quad, QUAD + 2)


def test_a_card_read_the_other_way_up_lies_in_the_same_place() -> None:
    spot = Spot(id=1, quad=QUAD, first_read_ms=0, corners=2)
    for _ in range(5):
        spot.place(reading("9c", quad=QUAD[[2, 3, 0, 1]] + 2), 1.0)
    assert np.abs(spot.quad - QUAD).max() <= 2


def test_a_card_counts_as_moved_after_several_readings_in_one_other_place() -> None:
    spot = spot_after(*[reading("9c")] * 3)
    away = [spot.is_read_elsewhere(reading("9c", quad=QUAD + 40), 0.12) for _ in range(4)]
    assert away == [False, False, False, True]
    carried = [spot.is_read_elsewhere(reading("9c", quad=QUAD + 40 * i), 0.12) for i in range(8)]
    assert not any(carried)


@pytest.mark.parametrize(("before", "shown"), [(1000, 700), (700, 600), (150, None)])
def test_the_last_sight_is_the_last_time_some_of_the_card_showed(before: int, shown: int | None) -> None:
    spot = Spot(id=1, quad=QUAD, first_read_ms=0)
    spot.timeline.extend([(200, 1.0), (400, 0.6), (600, 0.4), (700, 0.3), (800, 0.1), (1100, 0.9)])
    last = spot.last_shown(before)
    assert (last[0] if last else None) == shown


@pytest.mark.parametrize(
    ("later", "found_ms", "shown"),
    [
        ([0.3] * 20, -1, 700),  # an arm at rest looks like it in part
        ([0.1] * 10 + [0.7] * 10, -1, 200),  # so does another card of its rank
        ([0.1] * 10 + [0.7] * 10, 2000, 2200),  # the readings found it again
        ([0.1] * 10 + [0.9] * 10, -1, 2200),
        ([0.7] * 20, -1, 2200),
    ],
)
def test_what_shows_in_part_after_a_time_out_of_sight_is_not_taken_for_the_card(
    later: list[float], found_ms: int, shown: int
) -> None:
    spot = Spot(id=1, quad=QUAD, first_read_ms=0, found_ms=found_ms)
    spot.timeline.append((200, 1.0))
    spot.timeline.extend((300 + 100 * i, share) for i, share in enumerate(later))
    last = spot.last_shown(2300)
    assert last is not None
    assert last[0] == shown


def test_a_card_that_was_out_of_sight_is_doubted_until_a_reading_finds_it() -> None:
    rng = np.random.default_rng(3)
    card, arm = (rng.normal(120, 40, (56, 40)).astype(np.float32) for _ in range(2))
    spot = Spot(id=1, quad=QUAD, first_read_ms=0, look=Look.of(card))
    seen = []
    for at_ms, patch in enumerate([card, arm, card]):
        spot.compare(patch, at_ms)
        seen.append((spot.is_clear, spot.is_in_view))
    assert seen == [(True, True), (False, False), (True, False)]
    spot.found(3)
    assert spot.is_in_view


def test_something_that_is_hardly_ever_named_needs_many_looks() -> None:
    rarely = [reading("Qc", corners=1), *[reading("Qc", corners=1, is_named=False, margin=2.0)] * 3]
    assert not spot_after(*rarely, *rarely[1:]).is_sure
    assert spot_after(*rarely * 3).is_sure


def test_a_stray_pair_does_not_move_a_card_that_lone_corners_placed() -> None:
    spot = spot_after(reading("Th", corners=1))
    for _ in range(3):
        spot.place(reading("Th", corners=1), 1.0)
    spot.place(reading("Th", quad=QUAD + 90), 1.0)
    assert np.abs(spot.quad - QUAD).max() == 0
    spot.place(reading("Th", quad=QUAD + 12), 1.0)
    assert np.abs(spot.quad - QUAD - 12).max() == 0


@pytest.mark.parametrize(
    ("shares", "is_steady"),
    [([0.8] * 8, True), ([0.8] * 7, False), ([0.9] * 4 + [0.6] * 4, False), ([0.3] * 8, False)],
)
def test_a_view_is_steady_when_about_as_much_shows_for_a_while(shares: list[float], is_steady: bool) -> None:
    spot = spot_after(reading("9c"))
    spot.timeline.extend((66 * i, share) for i, share in enumerate(shares))
    assert spot.is_steady == is_steady


def test_a_card_goes_with_the_picture_of_a_camera_that_was_moved() -> None:
    spot = Spot(id=1, quad=np.array([[0, 0], [60, 0], [60, 84], [0, 84]], np.float64), first_read_ms=0)
    spot.index_centres = [np.array([8.0, 12.0])]
    spot.card, spot.is_settled = Card.parse("9c"), True
    spot.camera_moved(lambda points: points + np.array([10.0, -4.0]))
    assert spot.quad[0].tolist() == [10.0, -4.0]
    assert spot.index_centres[0].tolist() == [18.0, 8.0]
    assert spot.is_settled
