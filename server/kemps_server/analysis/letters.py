"""How letters, or points where the house plays for them, came over time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kemps_rules.seats import Pair, pairs_of
from kemps_server.analysis.material import GameMaterial


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterStep:
    """A verdict that changed a pair's count; ``count`` is what it had from ``at_ms`` on."""

    at_ms: int
    deal: int
    line: int
    count: int
    is_provisional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLetters:
    """A pair's letters over time; ``carried`` came from an earlier sitting."""

    pair: Pair
    players: tuple[str, ...]
    carried: int
    count: int
    letters: str
    has_lost: bool
    has_won: bool
    steps: tuple[LetterStep, ...]


def letters_of(material: GameMaterial) -> tuple[PairLetters, ...]:
    """Each pair's way through the game."""
    header, judgement = material.header, material.judgement
    is_points = material.house.scoring == "points"
    carried = {
        pair: header.points.get(pair, 0) if is_points else len(header.letters.get(pair, ""))
        for pair in pairs_of(material.count)
    }
    counts = Counter(carried)
    steps: dict[Pair, list[LetterStep]] = {pair: [] for pair in carried}
    for deal in judgement.deals:
        verdict = deal.verdict
        if verdict is None:
            continue
        for pair, gain in (dict(verdict.points_to) if is_points else Counter(verdict.letters_to)).items():
            counts[pair] += gain
            steps[pair].append(
                LetterStep(
                    at_ms=verdict.at_ms,
                    deal=deal.deal,
                    line=verdict.event,
                    count=counts[pair],
                    is_provisional=verdict.is_provisional,
                )
            )
    return tuple(
        PairLetters(
            pair=pair,
            players=tuple(header.seats[seat] for seat in pair),
            carried=carried[pair],
            count=counts[pair],
            letters=judgement.letters.get(pair, ""),
            has_lost=pair in judgement.lost,
            has_won=pair in judgement.won,
            steps=tuple(steps[pair]),
        )
        for pair in carried
    )
