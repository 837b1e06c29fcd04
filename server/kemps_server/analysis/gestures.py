"""Gestures of each player, how often, and whether more often before the partner's Kemps than otherwise.

Each player is held against nobody but themselves. A difference says that two things came together, not that
one was a sign; decoys are legal, and of many gestures some differ by chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kemps_rules import events
from kemps_rules.seats import Pair, Seat, partner_of
from kemps_server.analysis.calls import CallFigure
from kemps_server.analysis.estimates import Rate, Share, Times
from kemps_server.analysis.material import GameMaterial, Sitter
from kemps_server.analysis.spans import Spans, common, is_in, length_of, union, without

BEFORE_MS: Final = 10_000
"""So long before a call its gestures are counted as having come before it."""
_KEMPS: Final = frozenset({"kemps", "double_kemps"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GestureFigure:
    """One gesture of one player, counted while cards could be swapped and the face was seen.

    Attributes:
        before: In the seconds before the partner called Kemps.
        otherwise: At all other times: the player's own baseline.
        times: How many times as often before such calls.
        calls: Calls of the partner before which it was seen, of those before which the face was seen.
    """

    seat: Seat
    player: str
    pair: Pair
    gesture: str
    total: Rate
    before: Rate
    otherwise: Rate
    times: Times
    calls: Share


@dataclass(frozen=True, slots=True)
class Watched:
    """A sitter's gestures, when the face was seen, and the windows before each Kemps of the partner."""

    sitter: Sitter
    seen: Spans
    windows: tuple[Spans, ...]
    gestures: dict[str, tuple[int, ...]]

    @property
    def before(self) -> Spans:
        """The time of all windows together."""
        return union(span for window in self.windows for span in window)


def watched_in(material: GameMaterial, calls: Iterable[CallFigure]) -> tuple[Watched, ...]:
    """What was seen of each player's gestures."""
    kemps = [call for call in calls if call.call in _KEMPS and call.ruling != "void"]
    shown: dict[Sitter, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for moment in material.moments:
        event = moment.event
        if isinstance(event, events.Gesture) and event.seat is not None:
            shown[material.sitter_at(event.seat, moment)][event.gesture].append(event.at_ms)
    found = []
    for sitter in material.sittings:
        seen = material.watched_face(sitter)
        partner = partner_of(sitter.seat, material.count)
        windows = (
            common(seen, ((call.at_ms - BEFORE_MS, call.at_ms),)) for call in kemps if call.seat == partner
        )
        gestures = {
            name: tuple(at_ms for at_ms in times if is_in(at_ms, seen))
            for name, times in shown[sitter].items()
        }
        found.append(Watched(sitter, seen, tuple(window for window in windows if window), gestures))
    return tuple(found)


def gesture_figures(material: GameMaterial, watched: Iterable[Watched]) -> Iterator[GestureFigure]:
    """A figure for each player and gesture, in the order of seats and names."""
    for one in watched:
        for gesture, times in sorted(one.gestures.items()):
            before, otherwise = rates_of(one, times)
            yield GestureFigure(
                seat=one.sitter.seat,
                player=one.sitter.player,
                pair=material.pair(one.sitter.seat),
                gesture=gesture,
                total=Rate.of_count(len(times), length_of(one.seen)),
                before=before,
                otherwise=otherwise,
                times=Times.of_rates(before, otherwise),
                calls=Share.of_count(
                    sum(any(is_in(at_ms, window) for at_ms in times) for window in one.windows),
                    len(one.windows),
                ),
            )


def rates_of(watched: Watched, times: Iterable[int]) -> tuple[Rate, Rate]:
    """How often a gesture came before the partner's calls, and otherwise."""
    at = list(times)
    inside = sum(is_in(at_ms, watched.before) for at_ms in at)
    otherwise = length_of(without(watched.seen, watched.before))
    return (
        Rate.of_count(inside, length_of(watched.before)),
        Rate.of_count(len(at) - inside, otherwise),
    )
