from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.cards.printing import IndexPrint
from kemps_vision.cards.quads import quad_from_one
from kemps_vision.cards.reading import IndexReading


def a_small_index(*, mm: float = 2.0, turned: float = 0.3) -> tuple[IndexReading, np.ndarray]:
    """An index 9 mm high, 4 mm from the side, of a card with its middle at (200, 150), and its corners."""
    c, s = np.cos(turned) * mm, np.sin(turned) * mm
    linear = np.array([[c, -s], [s, c]])
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]]) - np.array([31.5, 44.0])
    index = IndexReading(
        centre=linear @ (np.array([4.0, 7.5]) - np.array([31.5, 44.0])) + (200, 150),
        up=linear @ np.array([0.0, -4.5]),
        right=linear @ np.array([4.5, 0.0]),
        heat=0.9,
        rank_log_p=np.full(13, -np.log(13)),
        suit_log_p=np.full(4, -np.log(4)),
        none_p=0.0,
        card_centre=None,
        glyph_log_p=np.full(24, -np.log(24)),
    )
    return index, corners @ linear.T + (200, 150)


@pytest.mark.parametrize("turned", [0.0, 0.3, 2.5])
def test_a_small_index_tells_its_cards_corners_when_its_print_is_known(turned: float) -> None:
    index, corners = a_small_index(turned=turned)
    usual = IndexPrint(half_height=4.5, sideways=4.0, down=7.5).as_usual(index)
    assert np.abs(quad_from_one(usual) - corners).max() < 8.0
    assert np.abs(quad_from_one(index) - corners).max() > 30.0


def test_what_an_index_reads_as_stays() -> None:
    index, _ = a_small_index()
    usual = IndexPrint(4.5, 4.0, 7.5).as_usual(index)
    assert usual.heat == index.heat
    assert np.array_equal(usual.rank_log_p, index.rank_log_p)
