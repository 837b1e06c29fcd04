"""Cards that are there but say nothing clear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kemps_vision.cards.instances import card_of
from kemps_vision.cards.reading import IndexReading
from kemps_vision.cards.unread import unread_among

Maker = Callable[..., IndexReading]


def test_a_clear_index_with_an_unclear_name_is_an_unread_card_that_keeps_its_beliefs(an_index: Maker) -> None:
    doubtful = card_of((an_index("9s", belief=0.4),))
    (unread,) = unread_among([doubtful], known=[])
    assert unread.card is None
    assert unread.score == pytest.approx(0.995, abs=0.01)
    assert np.array_equal(unread.log_p, doubtful.log_p)


def test_what_may_be_no_index_at_all_is_no_card(an_index: Maker) -> None:
    assert unread_among([card_of((an_index("9s", belief=0.4, none_p=0.4),))], known=[]) == []
    assert unread_among([card_of((an_index("9s", belief=0.4, heat=0.3),))], known=[]) == []


def test_two_faint_indices_of_one_card_add_up(an_index: Maker) -> None:
    corners = [an_index("9s", belief=0.4, none_p=0.35, corner=corner) for corner in ("first", "second")]
    assert len(unread_among([card_of((corners[0], corners[1]))], known=[])) == 1


def test_an_index_of_another_size_than_the_others_is_no_card_of_theirs(an_index: Maker) -> None:
    known = [card_of((an_index("Kd", at=(300 * n, 0)),)) for n in range(1, 4)]
    assert unread_among([card_of((an_index("9s", belief=0.4, mm=5.0),))], known) == []
    assert len(unread_among([card_of((an_index("9s", belief=0.4, mm=2.6),))], known)) == 1


def test_nothing_in_the_body_of_a_card_read_at_both_corners_is_unread(an_index: Maker) -> None:
    court = card_of((an_index("Ks"), an_index("Ks", corner="second")))
    art = card_of((an_index("9s", belief=0.4, centre=np.array([4.0, -6.0])),))
    assert unread_among([art], [court]) == []


def test_a_covered_card_of_a_fan_is_unread_beside_its_neighbour(an_index: Maker) -> None:
    neighbour = card_of((an_index("Ks"),))
    covered = card_of((an_index("9s", belief=0.4, at=(30.0, 4.0)),))
    assert len(unread_among([covered], [neighbour])) == 1
