"""Corners joined into cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kemps_rules.cards import Card
from kemps_vision.cards.instances import card_of, is_ghost, join, one_per_place
from kemps_vision.cards.reading import IndexReading

Maker = Callable[..., IndexReading]
fixture_is_stateless = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@fixture_is_stateless
@given(turned=st.floats(-3.1, 3.1), mm=st.floats(0.6, 12.0))
def test_a_card_with_both_indices_visible_is_one_card(an_index: Maker, turned: float, mm: float) -> None:
    both = [an_index("9s", turned=turned, mm=mm, corner=corner) for corner in ("first", "second")]
    assert [len(group) for group in join(both)] == [2]


def test_two_cards_of_equal_rank_are_two_cards(an_index: Maker) -> None:
    groups = join([an_index("9s", at=(0, 0)), an_index("9h", at=(150, 0))])
    assert sorted(str(card_of(group).card) for group in groups) == ["9h", "9s"]


def test_two_cards_of_equal_rank_with_all_their_indices_are_two_cards(an_index: Maker) -> None:
    corners = ("first", "second")
    indices = [
        an_index(text, at=at, corner=c) for text, at in (("9s", (0, 0)), ("9h", (150, 0))) for c in corners
    ]
    assert [len(group) for group in join(indices)] == [2, 2]


def test_a_fan_of_cards_of_one_rank_stays_a_fan(an_index: Maker) -> None:
    fan = [an_index(f"9{suit}", at=(24 * n, 3 * n), turned=0.15 * n) for n, suit in enumerate("cdhs")]
    assert len(join(fan)) == 4


def test_the_same_card_far_away_is_a_second_card(an_index: Maker) -> None:
    indices = [an_index("9s", at=(0, 0)), an_index("9s", at=(500, 300), corner="second")]
    assert len(join(indices)) == 2


def test_the_same_card_beside_it_the_same_way_up_is_joined_only_as_a_deck_with_four_indices(
    an_index: Maker,
) -> None:
    first = an_index("9s")
    beside = replace(first, centre=first.centre + np.array([2 * 51.0, 0.0]))
    farther = replace(first, centre=first.centre + np.array([2 * 130.0, 0.0]))
    assert len(join([first, beside])) == 1
    assert len(join([first, farther])) == 2


def test_opposite_indices_that_disagree_are_one_card_named_by_the_surer(an_index: Maker) -> None:
    groups = join([an_index("6s", belief=0.98), an_index("9s", belief=0.6, corner="second")])
    assert len(groups) == 1
    assert card_of(groups[0]).card == Card.parse("6s")


def test_unclear_indices_side_by_side_that_mean_one_middle_are_one_card(an_index: Maker) -> None:
    first = an_index("9s", belief=0.5)
    second = replace(an_index("6s", belief=0.4), centre=first.centre + np.array([2 * 51.0, 0.0]))
    assert len(join([first, second])) == 1
    fanned = replace(second, card_centre=np.array([2 * 51.0, 0.0]))
    assert len(join([first, fanned])) == 2


def test_a_corner_goes_to_the_one_of_its_own_name_first(an_index: Maker) -> None:
    """In a stack of a king on a ten both upper corners lie opposite the king's lower one."""
    ten = an_index("Td", at=(-8, 0), belief=0.97)
    king = [an_index("Kd", belief=belief, corner=c) for belief, c in ((0.9, "first"), (0.95, "second"))]
    groups = join([ten, *king])
    assert sorted(len(group) for group in groups) == [1, 2]
    assert {str(card_of(group).card) for group in groups} == {"Kd", "Td"}


def test_two_sure_indices_that_disagree_are_never_forced_into_one_card(an_index: Maker) -> None:
    assert len(join([an_index("6s", belief=0.999), an_index("9s", belief=0.999, corner="second")])) == 2


def test_two_indices_that_agree_are_worth_more_than_one(an_index: Maker) -> None:
    lone = card_of((an_index("9s", belief=0.8),))
    pair = card_of((an_index("9s", belief=0.8), an_index("9s", belief=0.8, corner="second")))
    assert lone.score < 0.8
    assert 0.94 < pair.score <= 1.0


def test_the_same_index_seen_at_two_scales_is_kept_once_and_the_surer_stays(an_index: Maker) -> None:
    sure, unsure = (
        an_index("9s"),
        replace(an_index("9s", belief=0.7), centre=an_index("9s").centre + np.array([2.0, 1.0])),
    )
    assert one_per_place([unsure, sure]) == [sure]


def test_an_index_in_the_body_of_a_card_that_shows_both_of_its_own_is_a_ghost(an_index: Maker) -> None:
    court = card_of((an_index("Ks"), an_index("Ks", corner="second")))
    ghost = card_of((an_index("Jh", belief=0.9, centre=np.array([4.0, -6.0]), card_centre=np.zeros(2)),))
    assert is_ghost(ghost, [court, ghost])
    assert not is_ghost(court, [court, ghost])


def test_a_second_corner_that_names_another_card_does_not_make_the_body_a_ghost_trap(an_index: Maker) -> None:
    half_seen = card_of((an_index("9c", belief=0.98), an_index("Ad", belief=0.2, corner="second")))
    in_fan = card_of((an_index("6d", belief=0.9, centre=np.array([4.0, -6.0])),))
    assert not half_seen.is_read_twice
    assert not is_ghost(in_fan, [half_seen, in_fan])


def test_an_index_of_another_height_in_the_body_of_a_card_is_a_ghost(an_index: Maker) -> None:
    card = card_of((an_index("Td"),))
    place = {"centre": np.array([4.0, -6.0]), "card_centre": np.array([20.0, 0.0])}
    alike = card_of((an_index("4d", belief=0.9, **place),))
    tall = card_of((an_index("4d", belief=0.9, mm=4.4, **place),))
    assert not is_ghost(alike, [card, alike])
    assert is_ghost(tall, [card, tall])


def test_a_card_beside_another_is_no_ghost(an_index: Maker) -> None:
    court = card_of((an_index("Ks"), an_index("Ks", corner="second")))
    beside = card_of((an_index("Jh", belief=0.9, at=(150, 0)),))
    assert not is_ghost(beside, [court, beside])


def test_a_card_read_beyond_doubt_is_no_ghost_wherever_it_lies(an_index: Maker) -> None:
    court = card_of((an_index("Ks", belief=0.999), an_index("Ks", belief=0.999, corner="second")))
    on_top = card_of((an_index("Jh", belief=0.999, heat=1.0, centre=np.array([4.0, -6.0])),))
    assert on_top.score == pytest.approx(0.998, abs=0.002)
    assert not is_ghost(on_top, [court, on_top])


def test_a_twin_whose_own_direction_is_told_badly_still_belongs_to_its_card(an_index: Maker) -> None:
    """On a card with four indices, those of one long side, one of them turned wrongly."""
    good = an_index("9s")
    twin = replace(
        good,
        centre=good.centre - 5.5 * good.up,
        up=-good.up + 0.35 * good.right,
        right=-good.right - 0.35 * good.up,
        heat=0.9 * good.heat,
    )
    assert [len(group) for group in join([good, twin])] == [2]
    assert [len(group) for group in join([replace(good, heat=0.5), twin])] == [2]


def test_upper_indices_that_stand_askew_under_tilt_are_one_card_if_they_name_one(an_index: Maker) -> None:
    """As in ``kemps_scenes.fans.random_fan(770018)``: a card with four indices, tilted by 55 degrees."""
    first = an_index("Qh")
    askew = first.centre + 5.0 * first.right - 1.8 * first.up
    groups = join([first, replace(first, centre=askew, heat=0.9 * first.heat)])
    assert [len(group) for group in groups] == [2]
    other = an_index("Qd")
    assert len(join([first, replace(other, centre=askew)])) == 2
    farther = first.centre + 5.0 * first.right - 2.6 * first.up
    assert len(join([first, replace(first, centre=farther)])) == 2
