"""What a page shows of gestures before calls: the chart of what stands out, and the timing of signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kemps_server.analysis.estimates import LEAST_COMPARED, Spread
from kemps_server.analysis.game import GameFigures
from kemps_server.analysis.phrases import gesture_word, seconds, share_text
from kemps_server.analysis.signs import SignFigure
from kemps_server.charts.dots import DotChart, DotValue, draw_dots
from kemps_server.page.words import Arg, Phrase

MOST_OF_A_PAIR: Final = 4
"""So many gestures of a pair are drawn; the table has all."""
_LABELS: Final = 300.0  # px, as gestures are told in whole words


@dataclass(frozen=True, slots=True, kw_only=True)
class SignRow:
    """How a pair's sign came and was answered, in a sentence."""

    pair: str
    text: Phrase


def draw_signs(figures: GameFigures, pairs: Mapping[str, tuple[str, int]]) -> DotChart | None:
    """For each pair the gestures that chance explains least, beside what chance alone would bring."""
    drawn: Counter[str] = Counter()
    values = []
    for one in figures.signs:
        if not one.calls.count or drawn[one.pair] >= MOST_OF_A_PAIR:
            continue
        drawn[one.pair] += 1
        values.append(_value(one, *pairs[one.pair]))
    if not values:
        return None
    return draw_dots(
        values,
        title=Phrase("figures.signs_chart"),
        unit=Phrase("figures.signs_axis"),
        percent=True,
        left=_LABELS,
    )


def _value(one: SignFigure, pair: str, number: int) -> DotValue:
    args: dict[str, Arg] = {
        "pair": pair,
        "gesture": gesture_word(one.gesture),
        "share": share_text(one.calls),
        "expected": f"{one.expected:.1f}",
        "chance": chance_text(one.by_chance),
        "compared": str(one.compared),
    }
    word = args["gesture"]
    return DotValue(
        label=word if isinstance(word, Phrase) else str(word),
        letter="",
        number=number,
        text=Phrase("figures.signs_point_out" if one.stands_out else "figures.signs_point", args),
        value=one.calls.share,
        low=one.calls.low,
        high=one.calls.high,
        expected=one.expected / one.calls.of,
        is_weak=one.calls.of < LEAST_COMPARED,
    )


def chance_text(by_chance: float) -> str:
    """A chance as people write it.

    >>> chance_text(0.000_04), chance_text(0.0312), chance_text(1.0)
    ('< 0.001', '0.031', '1')
    """
    if by_chance < 0.001:
        return "< 0.001"
    return f"{by_chance:.3f}".rstrip("0").rstrip(".")


def sign_rows(figures: GameFigures) -> Iterator[SignRow]:
    """A sentence for each pair whose sign is named or stands out."""
    for one in figures.sign_times:
        args: dict[str, Arg] = {
            "gesture": gesture_word(one.gesture),
            "seen": str(one.seen),
            "n": str(one.n),
            "to_sign": _median(one.to_sign),
            "to_call": _median(one.to_call),
        }
        yield SignRow(
            pair=one.pair, text=Phrase("figures.sign_time" if one.seen else "figures.sign_time_none", args)
        )


def _median(spread: Spread) -> str:
    return "?" if spread.median_ms is None else seconds(spread.median_ms)
