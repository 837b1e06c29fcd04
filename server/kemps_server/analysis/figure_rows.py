"""All figures of a game as one flat table, a figure a row: for notebooks and spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TypedDict, Unpack

from kemps_server.analysis.estimates import Rate, Share, Spread
from kemps_server.analysis.game import GameFigures

RATE: Final = "1/min"
SHARE: Final = "share"
MILLISECONDS: Final = "ms"
COUNT: Final = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One figure. What does not apply or is not known is None.

    Attributes:
        figure: What it is, such as ``calls_right``.
        seat: Whose, if it is a player's.
        player: Their name.
        pair: Of which pair.
        deal: In which deal, if it is of one.
        at_ms: When, if it is of a moment.
        line: Its line in the journal, if it is of one.
        key: What of the figure: a rank, a gesture, a ruling, a card.
        value: The figure.
        unit: ``share``, ``1/min``, ``ms`` or ``count``.
        n: On how many occasions it rests.
        low: The lower end of its 95 % interval.
        high: The upper end.
    """

    figure: str
    seat: str | None = None
    player: str | None = None
    pair: str | None = None
    deal: int | None = None
    at_ms: int | None = None
    line: int | None = None
    key: str | None = None
    value: float | None = None
    unit: str
    n: int | None = None
    low: float | None = None
    high: float | None = None


class _Whose(TypedDict, total=False):
    seat: str | None
    player: str | None
    pair: str | None
    key: str | None


class _OfPlayer(Protocol):
    """A figure of a player, or of a pair, which then has no seat."""

    @property
    def seat(self) -> str | None: ...
    @property
    def player(self) -> str | None: ...
    @property
    def pair(self) -> str | None: ...


def figure_rows(figures: GameFigures) -> Iterator[FigureRow]:
    """Every figure of a game."""
    yield from _coverage(figures)
    yield from _letters(figures)
    yield from _calls(figures)
    yield from _quads(figures)
    yield from _swaps(figures)
    yield from _contests(figures)
    yield from _gestures(figures)


def _coverage(figures: GameFigures) -> Iterator[FigureRow]:
    coverage = figures.coverage
    for name in ("length_ms", "play_ms", "table_unseen_ms"):
        yield FigureRow(figure=name.removesuffix("_ms"), value=getattr(coverage, name), unit=MILLISECONDS)
    yield _share("takes_without_seat", coverage.takes_without_seat)
    yield _share("takes_without_card", coverage.takes_without_card)
    for face in coverage.faces:
        yield FigureRow(
            figure="face_unseen",
            seat=face.seat,
            player=face.player,
            value=face.unseen_ms,
            unit=MILLISECONDS,
        )


def _letters(figures: GameFigures) -> Iterator[FigureRow]:
    for pair in figures.letters:
        for step in pair.steps:
            yield FigureRow(
                figure="letters",
                pair=pair.pair,
                deal=step.deal,
                at_ms=step.at_ms,
                line=step.line,
                value=step.count,
                unit=COUNT,
            )


def _calls(figures: GameFigures) -> Iterator[FigureRow]:
    for call in figures.calls:
        yield FigureRow(
            figure=f"call_{call.call}",
            **_whose(call, call.ruling),
            deal=call.deal,
            at_ms=call.at_ms,
            line=call.line,
            value=call.after_ms,
            unit=MILLISECONDS,
            low=None
            if call.is_at_most or call.after_ms is None
            else call.after_ms - (call.after_doubt_ms or 0),
            high=None if call.after_ms is None else call.after_ms + (call.after_doubt_ms or 0),
        )
    for one in (*figures.players, *figures.pairs):
        yield _share("calls_right", one.right, **_whose(one))
        yield _spread("quad_to_call", one.after, **_whose(one))
        for key, count in (("cannot_verify", one.unverified), ("void", one.void)):
            yield FigureRow(figure="calls", value=count, unit=COUNT, **_whose(one, key))


def _quads(figures: GameFigures) -> Iterator[FigureRow]:
    for quad in figures.quads:
        yield FigureRow(
            figure="quad_complete" if quad.is_sure else "quad_complete_or_later",
            **_whose(quad, quad.rank),
            deal=quad.deal,
            at_ms=quad.complete_ms,
            line=quad.line,
            value=quad.complete_ms,
            unit=MILLISECONDS,
        )


def _swaps(figures: GameFigures) -> Iterator[FigureRow]:
    for one in figures.swaps:
        yield _rate("takes", one.takes, **_whose(one))
        yield _spread("take_to_lay", one.open_times, **_whose(one))
        for name, counts in (("taken", one.ranks), ("laid", one.laid_ranks)):
            for rank, count in counts.items():
                yield FigureRow(figure=name, value=count, unit=COUNT, **_whose(one, rank))


def _contests(figures: GameFigures) -> Iterator[FigureRow]:
    for contest in figures.contests:
        yield FigureRow(
            figure="contest",
            seat=contest.first,
            deal=contest.deal,
            at_ms=contest.at_ms,
            line=contest.line,
            key=contest.card,
            value=contest.gap_ms,
            unit=MILLISECONDS,
            low=max(0, contest.gap_ms - contest.doubt_ms),
            high=contest.gap_ms + contest.doubt_ms,
        )
    for one in figures.contested:
        yield _share("first_to_touch", one.first, **_whose(one))


def _gestures(figures: GameFigures) -> Iterator[FigureRow]:
    for one in figures.gestures:
        whose = _whose(one, one.gesture)
        yield _rate("gesture", one.total, **whose)
        yield _rate("gesture_before_kemps", one.before, **whose)
        yield _rate("gesture_otherwise", one.otherwise, **whose)
    for sign in figures.signs:
        yield _share("calls_after_gesture", sign.calls, pair=sign.pair, key=sign.gesture)
        yield FigureRow(
            figure="calls_after_gesture_by_chance",
            pair=sign.pair,
            key=sign.gesture,
            value=sign.by_chance,
            unit=SHARE,
            n=sign.calls.of,
        )


def _whose(one: _OfPlayer, key: str | None = None) -> _Whose:
    return _Whose(seat=one.seat, player=one.player, pair=one.pair, key=key)


def _share(figure: str, share: Share, **whose: Unpack[_Whose]) -> FigureRow:
    return FigureRow(
        figure=figure, value=share.share, unit=SHARE, n=share.of, low=share.low, high=share.high, **whose
    )


def _rate(figure: str, rate: Rate, **whose: Unpack[_Whose]) -> FigureRow:
    return FigureRow(
        figure=figure, value=rate.a_minute, unit=RATE, n=rate.count, low=rate.low, high=rate.high, **whose
    )


def _spread(figure: str, spread: Spread, **whose: Unpack[_Whose]) -> FigureRow:
    return FigureRow(
        figure=figure,
        value=spread.median_ms,
        unit=MILLISECONDS,
        n=spread.n,
        low=spread.low_ms,
        high=spread.high_ms,
        **whose,
    )
