"""Seats are lettered in seating order, partners sit opposite; a pair is written by its two letters."""

from __future__ import annotations

from typing import Final, TypeAlias

from kemps_rules.errors import SeatError

Seat: TypeAlias = str
Pair: TypeAlias = str

SEATS: Final = "ABCDEFGH"
TABLE_SIZES: Final = (4, 6, 8)


def seats_of(count: int) -> tuple[Seat, ...]:
    """The letters of a table for 4, 6 or 8.

    >>> seats_of(4)
    ('A', 'B', 'C', 'D')

    Raises:
        SeatError: Kemps is not played by that many.
    """
    if count not in TABLE_SIZES:
        raise SeatError(f"{count} seats make no table; Kemps is played by 4, 6 or 8 in pairs (R2)")
    return tuple(SEATS[:count])


def partner_of(seat: Seat, count: int) -> Seat:
    """The seat opposite at a table of ``count``.

    >>> partner_of("A", 4), partner_of("E", 6)
    ('C', 'B')
    """
    return SEATS[(SEATS.index(seat) + count // 2) % count]


def pair_of(seat: Seat, count: int) -> Pair:
    """The pair a seat belongs to, its letters in order.

    >>> pair_of("C", 4), pair_of("F", 6)
    ('AC', 'CF')
    """
    return "".join(sorted((seat, partner_of(seat, count))))


def pairs_of(count: int) -> tuple[Pair, ...]:
    """All pairs of a table in the order of their first seat.

    >>> pairs_of(6)
    ('AD', 'BE', 'CF')
    """
    return tuple(SEATS[i] + SEATS[i + count // 2] for i in range(count // 2))


def next_seat(seat: Seat, count: int) -> Seat:
    """The seat whose turn to deal comes next (R5).

    >>> next_seat("D", 4)
    'A'
    """
    return SEATS[(SEATS.index(seat) + 1) % count]
