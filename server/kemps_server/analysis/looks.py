"""All that a page shows of a game's figures: charts, rows and sentences, and nothing a template works out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kemps_rules.cards import RANKS
from kemps_server.analysis.calls import CallFigure
from kemps_server.analysis.coverage import Coverage
from kemps_server.analysis.estimates import LEAST_COMPARED, Share
from kemps_server.analysis.game import GameFigures
from kemps_server.analysis.phrases import gesture_word, rank_word, seconds, share_text, span_text
from kemps_server.analysis.sign_looks import SignRow, draw_signs, sign_rows
from kemps_server.analysis.swaps import UNREAD, SwapFigure
from kemps_server.charts.dots import DotChart, DotValue, draw_dots
from kemps_server.charts.steps import Counted, Rise, StepChart, draw_steps
from kemps_server.charts.strips import Occasion, StripChart, StripRow, draw_strips
from kemps_server.page.narration import call_word
from kemps_server.page.words import Arg, Phrase

Address = Callable[[int], str]
"""Where a moment of the game is shown; empty where it is not."""


@dataclass(frozen=True, slots=True)
class Who:
    """A player with the letter of the seat and the number of the pair, or a pair without a letter."""

    name: str
    letter: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """How many cards of each rank somebody took; ``shades`` are from 0 to 1 of the most of all."""

    who: Who
    counts: tuple[int, ...]
    shades: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresLook:
    """A game's figures, ready to be shown; a chart is None where there is nothing to draw."""

    figures: GameFigures
    least: int
    facts: tuple[tuple[Phrase, Phrase], ...]
    letters: StepChart | None
    right: DotChart
    after: StripChart | None
    takes: DotChart
    ranks: tuple[str, ...]
    rank_rows: tuple[RankRow, ...]
    contested: DotChart | None
    signs: DotChart | None
    sign_rows: tuple[SignRow, ...]
    who: Mapping[tuple[str, str], Who]
    pairs: Mapping[str, Who]

    def of(self, seat: str | None, player: str | None) -> Who:
        """Who a figure is about."""
        return self.who.get((seat or "", player or ""), Who(player or seat or "?", seat or "", -1))

    def gesture(self, name: str) -> Arg:
        """A gesture in the page's words."""
        return gesture_word(name)

    def rank(self, rank: str) -> str:
        """A rank as it stands on a card."""
        return rank_word(rank)


def look_of(figures: GameFigures, *, word: str, address: Address | None = None) -> FiguresLook:
    """What a page shows of these figures.

    Args:
        figures: Of a game.
        word: What is spelled, letter by letter; empty where points are counted.
        address: Where the moment of a call is shown, if anywhere.
    """
    lead = address or _nowhere
    numbers = {one.pair: number for number, one in enumerate(figures.letters)}
    who = {
        (one.seat or "", one.player or ""): Who(
            one.player or one.seat or "?", one.seat or "", numbers[one.pair]
        )
        for one in figures.players
    }
    pairs = {
        one.pair: Who(
            " & ".join(name or seat for seat, name in zip(one.pair, one.players, strict=True)), "", number
        )
        for number, one in enumerate(figures.letters)
    }
    columns = (*RANKS, *([UNREAD] if any(UNREAD in one.ranks for one in figures.swaps) else []))
    return FiguresLook(
        figures=figures,
        least=LEAST_COMPARED,
        facts=tuple(_facts(figures.coverage)),
        letters=_letters(figures, word, pairs, lead),
        right=_right(figures, who),
        after=_after(figures, who, lead),
        takes=_takes(figures, who),
        ranks=columns,
        rank_rows=tuple(_rank_rows(figures.swaps, who, columns)),
        contested=_contested(figures, who) if figures.contests else None,
        signs=draw_signs(figures, {pair: (one.name, one.number) for pair, one in pairs.items()}),
        sign_rows=tuple(sign_rows(figures)),
        who=who,
        pairs=pairs,
    )


def _nowhere(_at_ms: int) -> str:
    return ""


def _facts(coverage: Coverage) -> Iterator[tuple[Phrase, Phrase]]:
    """What was not seen, each with its name."""
    yield Phrase("figures.length"), span_text(coverage.length_ms)
    yield Phrase("figures.play"), span_text(coverage.play_ms)
    yield Phrase("figures.table_unseen"), span_text(coverage.table_unseen_ms)
    yield Phrase("figures.no_seat"), share_text(coverage.takes_without_seat)
    yield Phrase("figures.no_card"), share_text(coverage.takes_without_card)


def _letters(figures: GameFigures, word: str, pairs: Mapping[str, Who], address: Address) -> StepChart | None:
    if not any(one.steps for one in figures.letters):
        return None
    counted = []
    for one in figures.letters:
        who = pairs[one.pair]
        rises = tuple(
            Rise(
                at_ms=step.at_ms,
                count=step.count,
                text=Phrase(
                    "figures.letters_point",
                    {
                        "pair": who.name,
                        "letters": word[: step.count] if word else str(step.count),
                        "time": span_text(step.at_ms),
                        "deal": str(step.deal),
                    },
                ),
                href=address(step.at_ms),
            )
            for step in one.steps
        )
        label = one.letters if word else str(one.count)
        counted.append(Counted(number=who.number, label=label or "–", start=one.carried, rises=rises))
    return draw_steps(
        counted,
        until_ms=figures.coverage.length_ms,
        names=word,
        title=Phrase("figures.letters_title"),
        unit=Phrase("figures.time_axis"),
    )


def _right(figures: GameFigures, who: Mapping[tuple[str, str], Who]) -> DotChart:
    values = [
        _share_dot(
            one.right,
            who[one.seat or "", one.player or ""],
            "figures.calls_point" if one.right.of else "figures.calls_point_none",
        )
        for one in figures.players
    ]
    return draw_dots(
        values, title=Phrase("figures.right_title"), unit=Phrase("figures.right_axis"), percent=True
    )


def _share_dot(share: Share, name: Who, key: str) -> DotValue:
    """A player's share with its interval; ``key`` says it."""
    args: dict[str, Arg] = {"player": name.name, "share": share_text(share)}
    return DotValue(
        label=name.name,
        letter=name.letter,
        number=name.number,
        text=Phrase(key, args),
        value=share.share,
        low=share.low,
        high=share.high,
        is_weak=share.of < LEAST_COMPARED,
    )


def _after(figures: GameFigures, who: Mapping[tuple[str, str], Who], address: Address) -> StripChart | None:
    if not any(call.after_ms is not None for call in figures.calls):
        return None
    rows = []
    for one in figures.players:
        name = who[one.seat or "", one.player or ""]
        mine = [call for call in figures.calls if (call.seat, call.player) == (one.seat, one.player)]
        occasions = tuple(
            Occasion(
                ms=call.after_ms,
                text=_after_text(call, name),
                look="stop" if call.call == "stop" else "",
                is_weak=call.is_at_most,
                href=address(call.at_ms),
            )
            for call in mine
            if call.after_ms is not None
        )
        median = one.after.median_ms if one.after.n > 1 else None
        rows.append(
            StripRow(
                label=name.name,
                number=name.number,
                letter=name.letter,
                occasions=occasions,
                median_ms=median,
            )
        )
    return draw_strips(rows, title=Phrase("figures.after_title"), unit=Phrase("figures.after_axis"))


def _after_text(call: CallFigure, name: Who) -> Phrase:
    quad = call.quad
    return Phrase(
        "figures.after_point_most" if call.is_at_most else "figures.after_point",
        {
            "player": name.name,
            "call": call_word(call.call),
            "seconds": seconds(call.after_ms or 0),
            "doubt": seconds(call.after_doubt_ms or 0),
            "holder": "?" if quad is None else quad.player or quad.seat,
            "rank": "?" if quad is None else rank_word(quad.rank),
            "time": span_text(call.at_ms),
        },
    )


def _takes(figures: GameFigures, who: Mapping[tuple[str, str], Who]) -> DotChart:
    values = []
    for one in figures.swaps:
        rate, name = one.takes, who[one.seat, one.player]
        values.append(
            DotValue(
                label=name.name,
                letter=name.letter,
                number=name.number,
                text=Phrase(
                    "figures.takes_point" if rate.a_minute is not None else "figures.takes_point_none",
                    {
                        "player": name.name,
                        "rate": _decimal(rate.a_minute),
                        "low": _decimal(rate.low),
                        "high": _decimal(rate.high),
                        "count": str(rate.count),
                        "time": span_text(rate.watched_ms),
                    },
                ),
                value=rate.a_minute,
                low=rate.low,
                high=rate.high,
                is_weak=rate.count < LEAST_COMPARED,
            )
        )
    return draw_dots(values, title=Phrase("figures.takes_title"), unit=Phrase("figures.takes_axis"))


def _decimal(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"


def _rank_rows(
    swaps: tuple[SwapFigure, ...], who: Mapping[tuple[str, str], Who], columns: tuple[str, ...]
) -> Iterator[RankRow]:
    most = max((count for one in swaps for count in one.ranks.values()), default=0) or 1
    for one in swaps:
        counts = tuple(one.ranks.get(rank, 0) for rank in columns)
        yield RankRow(
            who=who[one.seat, one.player],
            counts=counts,
            shades=tuple(round(count / most, 3) for count in counts),
        )


def _contested(figures: GameFigures, who: Mapping[tuple[str, str], Who]) -> DotChart:
    values = [
        _share_dot(
            one.first,
            who[one.seat, one.player],
            "figures.contest_point" if one.first.of else "figures.contest_point_none",
        )
        for one in figures.contested
    ]
    return draw_dots(
        values, title=Phrase("figures.contests_chart"), unit=Phrase("figures.contests_axis"), percent=True
    )
