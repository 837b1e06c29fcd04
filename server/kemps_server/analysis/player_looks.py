"""What the pages of players show: charts of everybody, and of one player game by game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from kemps_rules.cards import RANKS
from kemps_server.analysis.estimates import LEAST_COMPARED, Rate, Share
from kemps_server.analysis.phrases import gesture_word, rank_word, seconds, share_text, span_text
from kemps_server.analysis.players import PlayerFigures, PlayerGame
from kemps_server.analysis.swaps import UNREAD
from kemps_server.charts.dots import DotChart, DotValue, draw_dots
from kemps_server.charts.strips import Occasion, StripChart, StripRow, draw_strips
from kemps_server.page.words import Arg, Phrase

MOST_DRAWN: Final = 24
"""A chart has so many rows; the table has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EverybodyLook:
    """The page of all players; a chart is None where there is nobody."""

    least: int
    right: DotChart | None
    takes: DotChart | None
    addresses: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLook:
    """The page of a player."""

    least: int
    takes: DotChart
    after: StripChart | None
    ranks: tuple[tuple[str, int, float], ...]
    addresses: dict[str, str]

    def gesture(self, name: str) -> Arg:
        """A gesture in the page's words."""
        return gesture_word(name)


def everybody_look(players: Sequence[PlayerFigures]) -> EverybodyLook:
    """What is drawn of all players, in the order of names."""
    drawn = players[:MOST_DRAWN]
    return EverybodyLook(
        least=LEAST_COMPARED,
        right=draw_dots(
            [_share_row(one.name, one.right) for one in drawn],
            title=Phrase("figures.right_title"),
            unit=Phrase("figures.right_axis"),
            percent=True,
        )
        if drawn
        else None,
        takes=draw_dots(
            [_rate_row(one.name, one.takes) for one in drawn],
            title=Phrase("figures.takes_title"),
            unit=Phrase("figures.takes_axis"),
        )
        if drawn
        else None,
        addresses={one.name: f"/players/{quote(one.name, safe='')}" for one in players},
    )


def player_look(player: PlayerFigures) -> PlayerLook:
    """What is drawn of a player, game by game."""
    games = player.games[-MOST_DRAWN:]
    most = max(player.ranks.values(), default=0) or 1
    shown = (*RANKS, *([UNREAD] if UNREAD in player.ranks else []))
    return PlayerLook(
        least=LEAST_COMPARED,
        takes=draw_dots(
            [_rate_row(game.title, game.takes) for game in games],
            title=Phrase("figures.takes_title"),
            unit=Phrase("figures.takes_axis"),
        ),
        after=_after(player, games) if player.after.n else None,
        ranks=tuple(
            (rank_word(rank), player.ranks.get(rank, 0), round(player.ranks.get(rank, 0) / most, 3))
            for rank in shown
        ),
        addresses={game.game: f"/games/{quote(game.game, safe='')}/analysis" for game in player.games},
    )


def _share_row(name: str, share: Share) -> DotValue:
    args: dict[str, Arg] = {"player": name, "share": share_text(share)}
    return DotValue(
        label=name,
        number=-1,
        text=Phrase("figures.calls_point" if share.of else "figures.calls_point_none", args),
        value=share.share,
        low=share.low,
        high=share.high,
        is_weak=share.of < LEAST_COMPARED,
    )


def _rate_row(name: str, rate: Rate) -> DotValue:
    args: dict[str, Arg] = {
        "player": name,
        "rate": f"{rate.a_minute or 0:.1f}",
        "low": f"{rate.low or 0:.1f}",
        "high": f"{rate.high or 0:.1f}",
        "count": str(rate.count),
        "time": span_text(rate.watched_ms),
    }
    is_known = rate.a_minute is not None
    return DotValue(
        label=name,
        number=-1,
        text=Phrase("figures.takes_point" if is_known else "figures.takes_point_none", args),
        value=rate.a_minute,
        low=rate.low,
        high=rate.high,
        is_weak=rate.count < LEAST_COMPARED,
    )


def _after(player: PlayerFigures, games: Sequence[PlayerGame]) -> StripChart:
    rows = [
        StripRow(
            label=game.title,
            number=-1,
            letter="",
            occasions=tuple(
                Occasion(
                    ms=ms,
                    text=Phrase(
                        "figures.after_of_game",
                        {"player": player.name, "seconds": seconds(ms), "game": game.title},
                    ),
                )
                for ms in game.after_ms
            ),
        )
        for game in games
        if game.after_ms
    ]
    return draw_strips(rows, title=Phrase("figures.after_title"), unit=Phrase("figures.after_axis"))
