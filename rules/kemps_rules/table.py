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
    ``unassigned`` cards were taken, nobody saw by whom; ``unassigned_takes`` and ``unassigned_lays`` count
    such moves in this deal: any hand may be so many larger or smaller.
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
    unassigned_takes: int
    unassigned_lays: int
    call: int | None
    shown: Mapping[Seat, tuple[Card, ...]]
    ended: str | None
    players: Mapping[Seat, str]

    @property
    def unassigned_open(self) -> int:
        """How many more cards nobody-knows-who took than laid."""
        return self.unassigned_takes - self.unassigned_lays
