"""A judged journal made ready for questions: moments by time, deals, who sat where, what was not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kemps_rules import events
from kemps_rules.events import GameOpened
from kemps_rules.house import House
from kemps_rules.journal import Journal
from kemps_rules.judgement import Judgement
from kemps_rules.replay import house_of, judge
from kemps_rules.seats import Pair, Seat, pair_of
from kemps_server.analysis.spans import Spans, common, union, without
from kemps_server.page.moments import Moment, header_of, moments_of


@dataclass(frozen=True, slots=True, order=True)
class Sitter:
    """A player in a seat; another player there is another sitter."""

    seat: Seat
    player: str


@dataclass(frozen=True, slots=True)
class DealSpan:
    """A deal in time: ``open_ms`` is when swapping began, None when it never did; ``until_ms`` when it ended.

    ``until_ms`` is the moment of the first call that counts, else of the end of the deal.
    """

    number: int
    begins_ms: int
    open_ms: int | None
    until_ms: int

    @property
    def play(self) -> Spans:
        """When cards could be swapped."""
        return (
            () if self.open_ms is None or self.open_ms >= self.until_ms else ((self.open_ms, self.until_ms),)
        )


@dataclass(frozen=True)
class GameMaterial:
    """A game. ``moments`` are those that stand, in the order of time, each with the table after it."""

    header: GameOpened
    house: House
    judgement: Judgement
    moments: tuple[Moment, ...]

    @property
    def count(self) -> int:
        """How many seats the table has."""
        return len(self.header.seats)

    def pair(self, seat: Seat) -> Pair:
        """The pair of a seat."""
        return pair_of(seat, self.count)

    @cached_property
    def until_ms(self) -> int:
        """When the last thing was over."""
        return max((moment.until_ms for moment in self.moments), default=0)

    @cached_property
    def deals(self) -> Mapping[int, DealSpan]:
        """The deals by number."""
        rows: dict[int, list[Moment]] = defaultdict(list)
        for moment in self.moments:
            if moment.table.deal:
                rows[moment.table.deal].append(moment)
        return {number: _deal(number, found) for number, found in rows.items()}

    @cached_property
    def play(self) -> Spans:
        """When cards could be swapped, over all deals."""
        return union(span for deal in self.deals.values() for span in deal.play)

    @cached_property
    def table_unseen(self) -> Spans:
        """When no camera saw the table."""
        return union(
            (event.at_ms, moment.until_ms)
            for moment in self.moments
            if isinstance(event := moment.event, events.NotObserved) and self._is_of_table(event.camera)
        )

    @cached_property
    def faces_unseen(self) -> Mapping[Seat, Spans]:
        """When a seat's face could not be measured, or the camera that looks at faces was away."""
        away = [
            (event.at_ms, moment.until_ms)
            for moment in self.moments
            if isinstance(event := moment.event, events.NotObserved)
            and not self._is_only_of_table(event.camera)
        ]
        found = {seat: list(away) for seat in self.header.seats}
        for moment in self.moments:
            if isinstance(event := moment.event, events.NotMeasurable) and event.seat in found:
                found[event.seat].append((event.at_ms, moment.until_ms))
        return {seat: union(spans) for seat, spans in found.items()}

    @cached_property
    def _table_cameras(self) -> frozenset[str]:
        """Who tells what happens to cards also tells up to when it is settled."""
        return frozenset(
            moment.event.camera for moment in self.moments if isinstance(moment.event, events.Settled)
        )

    @cached_property
    def _face_cameras(self) -> frozenset[str]:
        told = (events.Gesture, events.NotMeasurable)
        return frozenset(
            str(moment.event.extra.get("camera", ""))
            for moment in self.moments
            if isinstance(moment.event, told)
        )

    def _is_of_table(self, camera: str) -> bool:
        return not self._table_cameras or not camera or camera in self._table_cameras

    def _is_only_of_table(self, camera: str) -> bool:
        return (
            camera in self._table_cameras
            and camera not in self._face_cameras
            and "" not in self._face_cameras
        )

    @cached_property
    def sittings(self) -> Mapping[Sitter, Spans]:
        """When each player sat in which seat."""
        since = {seat: (0, player) for seat, player in self.header.seats.items()}
        found: dict[Sitter, list[tuple[int, int]]] = {
            Sitter(seat, player): [] for seat, player in self.header.seats.items()
        }
        for moment in self.moments:
            if not isinstance(moment.event, events.SeatChanged):
                continue
            for seat, player in moment.table.players.items():
                begun_ms, before = since[seat]
                if player != before:
                    found.setdefault(Sitter(seat, before), []).append((begun_ms, moment.event.at_ms))
                    since[seat] = (moment.event.at_ms, player)
        for seat, (begun_ms, player) in since.items():
            found.setdefault(Sitter(seat, player), []).append((begun_ms, max(self.until_ms, begun_ms)))
        return {sitter: union(spans) for sitter, spans in sorted(found.items())}

    def sitter_at(self, seat: Seat, moment: Moment) -> Sitter:
        """Who sat there at that moment."""
        return Sitter(seat, moment.table.players[seat])

    def watched_play(self, sitter: Sitter) -> Spans:
        """When the sitter could swap and the table was seen."""
        return without(common(self.sittings[sitter], self.play), self.table_unseen)

    def watched_face(self, sitter: Sitter) -> Spans:
        """When the sitter could swap and their face was seen; signals matter then only."""
        return without(common(self.sittings[sitter], self.play), self.faces_unseen[sitter.seat])


def material_of(journal: Journal, house: House | None = None) -> GameMaterial:
    """A journal made ready; by other house rules than its own when given.

    Raises:
        KempsRulesError: It cannot be judged.
        KempsServerError: It has no header.
    """
    header = header_of(journal)
    moments = tuple(moment for moment in moments_of(journal, house) if not moment.is_retracted)
    return GameMaterial(header, house or house_of(header), judge(journal, house), moments)


def _deal(number: int, moments: list[Moment]) -> DealSpan:
    opened = next((moment.event.at_ms for moment in moments if moment.table.is_open), None)
    over = next(
        (moment.event.at_ms for moment in moments if moment.table.call is not None or moment.table.ended),
        None,
    )
    until = moments[-1].event.at_ms if over is None else over
    return DealSpan(number, moments[0].event.at_ms, opened, until)
