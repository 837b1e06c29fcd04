"""What of a game was not seen: the first thing to look at before any other figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kemps_rules import events
from kemps_rules.seats import Seat
from kemps_server.analysis.estimates import Share
from kemps_server.analysis.material import GameMaterial
from kemps_server.analysis.spans import common, length_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceCoverage:
    """How much of the play a player's face was not seen; None where no face in this game was watched."""

    seat: Seat
    player: str
    play_ms: int
    unseen_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of a game the figures rest on.

    Attributes:
        length_ms: From the start to the last event.
        play_ms: While cards could be swapped, over all deals.
        table_unseen_ms: Of ``play_ms``, while no camera saw the table.
        takes_without_seat: Cards taken by nobody knows whom, of all taken.
        takes_without_card: Cards taken that nobody could read, of all taken.
        has_touches: Whether any finger on a card was noted, without which nothing is known of disputes.
        has_gestures: Whether anybody's face or gestures were watched.
        faces: For each player what was not seen of them.
    """

    length_ms: int
    play_ms: int
    table_unseen_ms: int
    takes_without_seat: Share
    takes_without_card: Share
    has_touches: bool
    has_gestures: bool
    faces: tuple[FaceCoverage, ...]


def coverage_of(material: GameMaterial) -> Coverage:
    """What was not seen of a game."""
    takes = [moment.event for moment in material.moments if isinstance(moment.event, events.CardTaken)]
    kinds = {moment.event.kind for moment in material.moments}
    has_gestures = bool(kinds & {"gesture", "not_measurable"})
    return Coverage(
        length_ms=material.until_ms,
        play_ms=length_of(material.play),
        table_unseen_ms=length_of(common(material.play, material.table_unseen)),
        takes_without_seat=Share.of_count(sum(take.seat is None for take in takes), len(takes)),
        takes_without_card=Share.of_count(sum(take.card is None for take in takes), len(takes)),
        has_touches="card_touched" in kinds,
        has_gestures=has_gestures,
        faces=tuple(_faces(material, is_watched=has_gestures)),
    )


def _faces(material: GameMaterial, *, is_watched: bool) -> Iterable[FaceCoverage]:
    for sitter, spans in material.sittings.items():
        play_ms = length_of(common(spans, material.play))
        seen_ms = length_of(material.watched_face(sitter))
        yield FaceCoverage(
            seat=sitter.seat,
            player=sitter.player,
            play_ms=play_ms,
            unseen_ms=play_ms - seen_ms if is_watched else None,
        )
