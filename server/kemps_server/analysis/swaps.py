"""Swaps: who takes how often, how long a swap stays open, and who takes which ranks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from kemps_rules import events
from kemps_rules.cards import RANKS, Card
from kemps_rules.seats import Pair, Seat
from kemps_server.analysis.estimates import Rate, Spread
from kemps_server.analysis.material import GameMaterial, Sitter
from kemps_server.analysis.spans import is_in, length_of
from kemps_server.page.spans import LAID_FIRST_MS

UNREAD: Final = "?"


@dataclass(slots=True)
class Swap:
    """One card for another; a half that was not seen is None. ``at_ms`` is when it began."""

    deal: int
    sitter: Sitter
    at_ms: int
    taken_ms: int | None = None
    laid_ms: int | None = None
    taken: Card | None = None
    laid: Card | None = None
    uncertainty_ms: int = 0
    lines: list[int] = field(default_factory=list)

    @property
    def is_put_back(self) -> bool:
        """Whether the very card that was taken was laid back, which is no swap."""
        return self.taken is not None and self.taken == self.laid

    @property
    def is_whole(self) -> bool:
        """Whether both halves were seen."""
        return self.taken_ms is not None and self.laid_ms is not None

    @property
    def closed_ms(self) -> int:
        """When the last seen half of it was over."""
        return max(at_ms for at_ms in (self.taken_ms, self.laid_ms) if at_ms is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapFigure:
    """A player's swaps.

    Attributes:
        takes: Cards taken a minute of play in which the table was seen; those put back are not counted.
        put_back: Cards that were taken and laid back.
        open_times: From the take to the lay, of swaps of which both were seen.
        ranks: How many cards of each rank were taken, ``?`` for those not read.
        laid_ranks: The same of cards laid.
    """

    seat: Seat
    player: str
    pair: Pair
    takes: Rate
    put_back: int
    open_times: Spread
    ranks: dict[str, int]
    laid_ranks: dict[str, int]


def swaps_in(material: GameMaterial) -> tuple[Swap, ...]:
    """All swaps of known seats, in the order in which they began; the oldest open half is closed first."""
    found: list[Swap] = []
    halves: dict[tuple[int, Seat], list[Swap]] = defaultdict(list)
    for moment in material.moments:
        event, deal = moment.event, moment.table.deal
        if not isinstance(event, events.CardTaken | events.CardLaid) or event.seat is None:
            continue
        waiting = halves[deal, event.seat]
        is_take = isinstance(event, events.CardTaken)
        _give_up(waiting, event, is_one_each=material.house.largest_swap == 1)
        swap = next((one for one in waiting if (one.taken_ms is None) == is_take), None)
        if swap is None:
            swap = Swap(deal, material.sitter_at(event.seat, moment), event.at_ms)
            waiting.append(swap)
            found.append(swap)
        else:
            waiting.remove(swap)
        _add(swap, event, moment.line)
    return tuple(found)


def _give_up(waiting: list[Swap], event: events.CardTaken | events.CardLaid, *, is_one_each: bool) -> None:
    """Forget halves whose counterpart was not seen: this event belongs to a later swap."""
    if isinstance(event, events.CardTaken):
        waiting[:] = [
            one
            for one in waiting
            if (event.at_ms - one.closed_ms <= LAID_FIRST_MS if one.taken_ms is None else not is_one_each)
        ]


def _add(swap: Swap, event: events.CardTaken | events.CardLaid, line: int) -> None:
    if isinstance(event, events.CardTaken):
        swap.taken_ms, swap.taken = event.at_ms, event.card
    else:
        swap.laid_ms, swap.laid = event.at_ms, event.card
    swap.uncertainty_ms = event.uncertainty_ms
    swap.lines.append(line)


def swap_figures(material: GameMaterial, swaps: Iterable[Swap]) -> Iterator[SwapFigure]:
    """A figure for each player who sat at the table, in the order of seats."""
    own: dict[Sitter, list[Swap]] = defaultdict(list)
    for swap in swaps:
        own[swap.sitter].append(swap)
    for sitter in material.sittings:
        mine = own[sitter]
        real = [swap for swap in mine if not swap.is_put_back]
        watched = material.watched_play(sitter)
        # Both ends count: a take in the very millisecond of the call is one of this deal.
        takes = [
            swap.taken_ms
            for swap in real
            if swap.taken_ms is not None
            and (is_in(swap.taken_ms, watched) or is_in(swap.taken_ms - 1, watched))
        ]
        yield SwapFigure(
            seat=sitter.seat,
            player=sitter.player,
            pair=material.pair(sitter.seat),
            takes=Rate.of_count(len(takes), length_of(watched)),
            put_back=len(mine) - len(real),
            open_times=Spread.of_times(
                swap.laid_ms - swap.taken_ms
                for swap in real
                if swap.taken_ms is not None and swap.laid_ms is not None and swap.laid_ms >= swap.taken_ms
            ),
            ranks=_ranks(swap.taken for swap in real if swap.taken_ms is not None),
            laid_ranks=_ranks(swap.laid for swap in real if swap.laid_ms is not None),
        )


def _ranks(cards: Iterable[Card | None]) -> dict[str, int]:
    counts = Counter(UNREAD if card is None else card.rank for card in cards)
    return {rank: counts[rank] for rank in (*RANKS, UNREAD) if counts[rank]}
