"""Players by name, over the games of a library. One name is taken to be one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kemps_rules.cards import RANKS
from kemps_rules.seats import Pair, Seat, partner_of
from kemps_server.analysis.calls import CallFigure, sure_times
from kemps_server.analysis.estimates import Rate, Share, Spread
from kemps_server.analysis.game import GameFigures
from kemps_server.analysis.swaps import UNREAD


@dataclass(frozen=True, slots=True)
class ToldGame:
    """A game's figures, with the name at whose address it stands and what people call it."""

    name: str
    title: str
    figures: GameFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerGame:
    """What a player did in one game and one seat; ``quads`` of theirs became known."""

    game: str
    title: str
    opened_at: str | None
    seat: Seat
    pair: Pair
    partner: str
    play_ms: int
    right: Share
    unverified: int
    void: int
    quads: int
    takes: Rate
    first: Share
    after_ms: tuple[int, ...]
    letters: int
    has_lost: bool
    is_closed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GestureCount:
    """A gesture of a player over all games, in the time in which the face was seen."""

    gesture: str
    total: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFigures:
    """A player over all games that name them.

    Attributes:
        name: As it is written most often.
        games: Each game, the order being that of the library.
        play_ms: While cards could be swapped, over all games.
        right: Calls that were right, of those ruled right or wrong.
        unverified: Calls that could not be verified.
        void: Calls that did not count.
        after: From four alike in another hand to the call, where that is sure.
        quads: Hands of four alike of theirs that became known.
        takes: Cards taken a minute of play in view.
        first: Contested cards touched first, of those that could be told.
        ranks: How many cards of each rank were taken.
        gestures: Gestures by name.
    """

    name: str
    games: tuple[PlayerGame, ...]
    play_ms: int
    right: Share
    unverified: int
    void: int
    after: Spread
    quads: int
    takes: Rate
    first: Share
    ranks: dict[str, int]
    gestures: tuple[GestureCount, ...]


def known_as(name: str) -> str:
    """What two writings of one name have in common.

    >>> known_as("  Ana  Maria ") == known_as("ana maria")
    True
    """
    return " ".join(name.split()).casefold()


def players_of(games: Iterable[ToldGame]) -> tuple[PlayerFigures, ...]:
    """Every player who is named, by name; seats without one are nobody's."""
    told = list(games)
    seats: dict[str, list[tuple[ToldGame, Seat, str]]] = {}
    for game in told:
        for tally in game.figures.players:
            if tally.seat is not None and tally.player and tally.player.strip():
                seats.setdefault(known_as(tally.player), []).append((game, tally.seat, tally.player))
    return tuple(_player(found) for _, found in sorted(seats.items()))


def _player(found: list[tuple[ToldGame, Seat, str]]) -> PlayerFigures:
    games = tuple(_game(*one) for one in found)
    swaps = [
        swap
        for told, seat, player in found
        for swap in told.figures.swaps
        if (swap.seat, swap.player) == (seat, player)
    ]
    ranks = Counter[str]()
    for swap in swaps:
        ranks.update(swap.ranks)
    return PlayerFigures(
        name=Counter(player.strip() for _, _, player in found).most_common(1)[0][0],
        games=games,
        play_ms=sum(game.play_ms for game in games),
        right=pooled_share(game.right for game in games),
        unverified=sum(game.unverified for game in games),
        void=sum(game.void for game in games),
        after=Spread.of_times(ms for game in games for ms in game.after_ms),
        quads=sum(game.quads for game in games),
        takes=pooled_rate(game.takes for game in games),
        first=pooled_share(game.first for game in games),
        ranks={rank: ranks[rank] for rank in (*RANKS, UNREAD) if ranks[rank]},
        gestures=tuple(_gestures(found)),
    )


def _game(told: ToldGame, seat: Seat, player: str) -> PlayerGame:
    figures = told.figures
    tally = next(one for one in figures.players if (one.seat, one.player) == (seat, player))
    swap = next(one for one in figures.swaps if (one.seat, one.player) == (seat, player))
    contested = next(one for one in figures.contested if (one.seat, one.player) == (seat, player))
    face = next(one for one in figures.coverage.faces if (one.seat, one.player) == (seat, player))
    letters = next(one for one in figures.letters if one.pair == tally.pair)
    partner = partner_of(seat, 2 * len(figures.letters))
    return PlayerGame(
        game=told.name,
        title=told.title,
        opened_at=figures.opened_at,
        seat=seat,
        pair=tally.pair,
        partner=letters.players[letters.pair.index(partner)],
        play_ms=face.play_ms,
        right=tally.right,
        unverified=tally.unverified,
        void=tally.void,
        quads=sum((quad.seat, quad.player) == (seat, player) for quad in figures.quads),
        takes=swap.takes,
        first=contested.first,
        after_ms=tuple(sure_times(_calls(figures, seat, player))),
        letters=letters.count,
        has_lost=letters.has_lost,
        is_closed=figures.is_closed,
    )


def _calls(figures: GameFigures, seat: Seat, player: str) -> Iterator[CallFigure]:
    return (call for call in figures.calls if (call.seat, call.player) == (seat, player))


def _gestures(found: list[tuple[ToldGame, Seat, str]]) -> Iterator[GestureCount]:
    """Over the time in which the face was seen in any of the games: none there is none of this gesture."""
    counts: Counter[str] = Counter()
    watched_ms = 0
    for told, seat, player in found:
        face = next(one for one in told.figures.coverage.faces if (one.seat, one.player) == (seat, player))
        if face.unseen_ms is not None:
            watched_ms += face.play_ms - face.unseen_ms
        for one in told.figures.gestures:
            if (one.seat, one.player) == (seat, player):
                counts[one.gesture] += one.total.count
    for gesture in sorted(counts):
        yield GestureCount(gesture=gesture, total=Rate.of_count(counts[gesture], watched_ms))


def pooled_share(shares: Iterable[Share]) -> Share:
    """The share of all occasions together."""
    every = list(shares)
    return Share.of_count(sum(one.count for one in every), sum(one.of for one in every))


def pooled_rate(rates: Iterable[Rate]) -> Rate:
    """The rate over all that was watched."""
    every = list(rates)
    return Rate.of_count(sum(one.count for one in every), sum(one.watched_ms for one in every))
