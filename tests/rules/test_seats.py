from __future__ import annotations

import pytest

from kemps_rules.errors import SeatError
from kemps_rules.seats import next_seat, pair_of, pairs_of, partner_of, seats_of


@pytest.mark.parametrize(
    ("count", "pairs"), [(4, ("AC", "BD")), (6, ("AD", "BE", "CF")), (8, ("AE", "BF", "CG", "DH"))]
)
def test_partners_sit_opposite(count: int, pairs: tuple[str, ...]) -> None:
    assert pairs_of(count) == pairs
    for seat in seats_of(count):
        partner = partner_of(seat, count)
        assert partner_of(partner, count) == seat != partner
        assert pair_of(seat, count) == pair_of(partner, count) in pairs


@pytest.mark.parametrize("count", [4, 6, 8])
def test_dealing_goes_round(count: int) -> None:
    seat, seen = "A", []
    for _ in range(count):
        seen.append(seat)
        seat = next_seat(seat, count)
    assert seat == "A"
    assert tuple(seen) == seats_of(count)


@pytest.mark.parametrize("count", [0, 2, 3, 5, 7, 10])
def test_other_numbers_make_no_table(count: int) -> None:
    with pytest.raises(SeatError, match="4, 6 or 8"):
        seats_of(count)
