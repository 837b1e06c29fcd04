"""Which gesture may be a pair's sign: one that came before their Kemps more often than chance lets it.

What stands out is a question for people, never an answer: it may be a decoy that worked, or what somebody
does when glad of a hand. Where a pair's sign was named aloud, and a person confirmed it, that is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import exp
from typing import Final

from kemps_rules import events
from kemps_rules.seats import Pair, pair_of, pairs_of
from kemps_server.analysis.calls import CallFigure
from kemps_server.analysis.estimates import MINUTE_MS, Share, Spread, chance_of_so_many
from kemps_server.analysis.gestures import Watched, rates_of
from kemps_server.analysis.material import GameMaterial
from kemps_server.analysis.spans import is_in, length_of

LEAST_CALLS: Final = 3
"""A gesture is not held against chance on fewer calls with a face in view than this."""
BY_CHANCE: Final = 0.05
"""What stands out would come about by chance, in any of a pair's gestures, less often than this."""
_FEW: Final = 0.5  # added to a baseline's count: what was never seen otherwise is rare, not impossible


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFigure:
    """A gesture of a pair before its own Kemps calls.

    Attributes:
        calls: Calls before which the caller's partner made it, of those with the partner's face in view.
        expected: Before how many chance alone would bring it, at each partner's own rate.
        by_chance: How likely as many or more are by chance, times the number of gestures compared.
        compared: How many gestures of this pair were held against chance.
        stands_out: Whether ``by_chance`` is below ``BY_CHANCE``.
        is_named: Whether a person confirmed that it is the pair's sign.
    """

    pair: Pair
    gesture: str
    calls: Share
    expected: float
    by_chance: float
    compared: int
    stands_out: bool
    is_named: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SignTiming:
    """From complete to the first sign, and from that to the call, of a sign that is named or stands out.

    ``n`` right calls of their own had a known moment of completion, ``seen`` of them a sign after it.
    """

    pair: Pair
    gesture: str
    n: int
    seen: int
    to_sign: Spread
    to_call: Spread


def sign_figures(material: GameMaterial, watched: Iterable[Watched]) -> Iterator[SignFigure]:
    """For each pair its gestures, the least likely by chance first; none where there were too few calls."""
    everyone, named = list(watched), named_signs(material)
    for pair in pairs_of(material.count):
        ours = [one for one in everyone if one.sitter.seat in pair]
        calls = sum(len(one.windows) for one in ours)
        gestures = sorted({gesture for one in ours for gesture in one.gestures})
        if calls < LEAST_CALLS:
            continue
        figures = [_figure(pair, gesture, ours, len(gestures), named) for gesture in gestures]
        yield from sorted(figures, key=lambda figure: (figure.by_chance, -figure.calls.count, figure.gesture))


def _figure(
    pair: Pair, gesture: str, ours: list[Watched], compared: int, named: set[tuple[Pair, str]]
) -> SignFigure:
    seen, chances = 0, []
    for one in ours:
        times = one.gestures.get(gesture, ())
        _, otherwise = rates_of(one, times)
        a_minute = (otherwise.count + _FEW) / max(otherwise.watched_ms / MINUTE_MS, 1)
        for window in one.windows:
            seen += any(is_in(at_ms, window) for at_ms in times)
            chances.append(1 - exp(-a_minute * length_of(window) / MINUTE_MS))
    by_chance = min(1.0, chance_of_so_many(seen, chances) * compared)
    return SignFigure(
        pair=pair,
        gesture=gesture,
        calls=Share.of_count(seen, len(chances)),
        expected=round(sum(chances), 3),
        by_chance=round(by_chance, 6),
        compared=compared,
        stands_out=by_chance < BY_CHANCE,
        is_named=(pair, gesture) in named,
    )


def named_signs(material: GameMaterial) -> set[tuple[Pair, str]]:
    """The pairs' signs that were named aloud and that a person confirmed."""
    return {
        (pair_of(event.against, material.count), event.sign)
        for moment in material.moments
        if isinstance(event := moment.event, events.SignNamed)
        and event.is_right
        and event.against is not None
    }


def sign_timings(
    watched: Iterable[Watched], signs: Iterable[SignFigure], calls: Iterable[CallFigure]
) -> Iterator[SignTiming]:
    """A timing for each pair's sign: the one that was named, else the first that stands out."""
    chosen: dict[Pair, SignFigure] = {}
    for sign in signs:
        held = chosen.get(sign.pair)
        if sign.is_named or (sign.stands_out and held is None):
            chosen[sign.pair] = sign
    everyone, made = list(watched), list(calls)
    for sign in chosen.values():
        to_sign, to_call, timed = [], [], 0
        for call in made:
            if call.pair != sign.pair or call.after_ms is None or call.is_at_most or call.quad is None:
                continue
            timed += 1
            quad = call.quad
            holder = next(
                one for one in everyone if (one.sitter.seat, one.sitter.player) == (quad.seat, quad.player)
            )
            shown = [
                at_ms
                for at_ms in holder.gestures.get(sign.gesture, ())
                if quad.complete_ms <= at_ms <= call.at_ms
            ]
            if shown:
                to_sign.append(min(shown) - quad.complete_ms)
                to_call.append(call.at_ms - min(shown))
        yield SignTiming(
            pair=sign.pair,
            gesture=sign.gesture,
            n=timed,
            seen=len(to_sign),
            to_sign=Spread.of_times(to_sign),
            to_call=Spread.of_times(to_call),
        )
