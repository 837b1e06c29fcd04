"""All figures of one game."""

from __future__ import annotations

from dataclasses import dataclass

from kemps_rules.house import House
from kemps_rules.journal import Journal
from kemps_server.analysis.calls import CallFigure, CallTally, calls_in, pair_tallies_of, tallies_of
from kemps_server.analysis.contests import Contest, ContestTally, contest_tallies_of, contests_in
from kemps_server.analysis.coverage import Coverage, coverage_of
from kemps_server.analysis.gestures import GestureFigure, gesture_figures, watched_in
from kemps_server.analysis.letters import PairLetters, letters_of
from kemps_server.analysis.material import GameMaterial, material_of
from kemps_server.analysis.quads import Quad, quads_in
from kemps_server.analysis.signs import SignFigure, SignTiming, sign_figures, sign_timings
from kemps_server.analysis.swaps import SwapFigure, swap_figures, swaps_in


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """What a game comes to.

    Attributes:
        rules: The name of its house rules.
        opened_at: When it was opened, if the journal says so.
        is_closed: Whether it was closed, after which its secrets may be told.
        coverage: What was not seen.
        letters: Each pair's letters or points over time.
        calls: Every call with its ruling, and how long after four alike were complete.
        players: Calls by player.
        pairs: Calls by pair.
        quads: Every hand of four alike that became known, called or not.
        swaps: Swaps by player, with the ranks taken and laid.
        contests: Every card that two touched.
        contested: Contests by player.
        gestures: Gestures by player against their own baseline.
        signs: Gestures by pair that may be signs.
        sign_times: How fast signs came and were answered, where a sign is named or stands out.
    """

    rules: str
    opened_at: str | None
    is_closed: bool
    coverage: Coverage
    letters: tuple[PairLetters, ...]
    calls: tuple[CallFigure, ...]
    players: tuple[CallTally, ...]
    pairs: tuple[CallTally, ...]
    quads: tuple[Quad, ...]
    swaps: tuple[SwapFigure, ...]
    contests: tuple[Contest, ...]
    contested: tuple[ContestTally, ...]
    gestures: tuple[GestureFigure, ...]
    signs: tuple[SignFigure, ...]
    sign_times: tuple[SignTiming, ...]


def analyse(journal: Journal, house: House | None = None) -> GameFigures:
    """The figures of a journal; by other house rules than its own when given.

    Raises:
        KempsRulesError: It cannot be judged.
        KempsServerError: It has no header.
    """
    return figures_from(material_of(journal, house))


def figures_from(material: GameMaterial) -> GameFigures:
    """The figures of a journal made ready."""
    swaps = swaps_in(material)
    quads = quads_in(material, swaps)
    calls = calls_in(material, quads)
    contests = contests_in(material)
    watched = watched_in(material, calls)
    signs = tuple(sign_figures(material, watched))
    return GameFigures(
        rules=material.judgement.rules,
        opened_at=material.header.opened_at,
        is_closed=any(moment.event.kind == "game_closed" for moment in material.moments),
        coverage=coverage_of(material),
        letters=letters_of(material),
        calls=calls,
        players=tuple(tallies_of(material, calls)),
        pairs=tuple(pair_tallies_of(material, calls)),
        quads=quads,
        swaps=tuple(swap_figures(material, swaps)),
        contests=contests,
        contested=tuple(contest_tallies_of(material, contests)),
        gestures=tuple(gesture_figures(material, watched)),
        signs=signs,
        sign_times=tuple(sign_timings(watched, signs, calls)),
    )
