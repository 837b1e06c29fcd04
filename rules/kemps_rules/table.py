"""The table as it stands after an event: what lies where, as far as it was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kemps_rules.cards import Card
from kemps_rules.seats import Seat


@dataclass(frozen=True, slots=True)
class Hand:
    """A seat's cards by the ledger: those known to be in it, and how many there are."""

    known: tuple[Card, ...] = ()
    size: int = 4


@dataclass(frozen=True, slots=True)
class Table:
    """A frozen picture of the table; ``None`` means not known.

    ``unread`` cards lie in the centre too; ``missing`` of the centre's cards have left, nobody saw which.
    ``open_swaps`` tells for each seat how many cards it took (below zero: laid) without the counterpart.
    ``unassigned`` cards were taken, nobody saw by whom; ``unassigned_open`` of such swaps are open.
    ``call`` is the line of the first call that counts, ``shown`` the hands laid open since.
    """

    deal: int
    dealer: Seat | None
    is_open: bool
    centre: tuple[Card, ...]
    unread: int
    missing: int
    hands: Mapping[Seat, Hand]
    aside: tuple[Card, ...]
    aside_unread: int
    stock: int | None
    open_swaps: Mapping[Seat, int]
    unassigned: tuple[Card, ...]
    unassigned_open: int
    call: int | None
    shown: Mapping[Seat, tuple[Card, ...]]
    ended: str | None
    players: Mapping[Seat, str]
