"""Scripts of the clips that understanding a table is measured on: games, restless play, and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_rules.events import Event
from kemps_scenes.party import Party

RESTLESS: Final = ("hovering", "contested", "covered", "shaken", "relit")
_GAP_MS: Final = (400, 1100)
_PLAY: Final[tuple[tuple[Callable[[Party], None], float], ...]] = (
    (Party.swap_one, 0.30),
    (Party.swap_quickly, 0.18),
    (Party.swap_twice, 0.07),
    (Party.swap_onto, 0.08),
    (Party.dispute, 0.10),
    (Party.put_back, 0.06),
    (Party.push, 0.06),
    (Party.hover, 0.08),
    (Party.cover, 0.07),
)


@dataclass(frozen=True, slots=True)
class Script:
    """What happens in a clip.

    Attributes:
        events: The journal to be acted, in the order of their times.
        verdicts: What each call that is handled must come to, in order: ``right``, ``wrong``, or ``open``
            where nobody could tell.
    """

    events: tuple[Event, ...]
    verdicts: tuple[str, ...] = ()


def game(seed: int, seats: str, seconds: int, *, is_row: bool = True) -> Script:
    """A deal with swaps of all kinds, a sweep, a call and a shown hand; the next deal and swaps in it."""
    rng = np.random.default_rng([seed, 810])
    party, verdicts = Party(rng, seats, is_row=is_row), list[str]()
    party.sit_down()
    half_ms = seconds * 500
    _play(party, half_ms - 8000 - 6000 * (seed % 2))
    if seed % 2:
        party.sweep()
        _play(party, half_ms - 8000)
    party.complete()
    party.call()
    verdicts.append("right" if party.holds_quad() else "wrong")
    party.deal()
    _play(party, seconds * 1000 - 13_000)
    party.sweep()
    _play(party, seconds * 1000 - 1500)
    return Script(_in_order(party.events), tuple(verdicts))


def restless(kind: str, seed: int, seats: str, seconds: int, *, is_row: bool = True) -> Script:
    """Nobody swaps: hands hover, quarrel, cover cards; or the camera is nudged, or the light changes."""
    rng = np.random.default_rng([seed, 811])
    party = Party(rng, seats, is_row=is_row)
    party.sit_down()
    play: dict[str, tuple[Callable[[Party], None], ...]] = {
        "hovering": (Party.hover, Party.hover, Party.push),
        "contested": (Party.contest, _contested_by_three, Party.hover, Party.push),
        "covered": (_covered, Party.lean_over),
        "shaken": (Party.hover, _still, _covered),
        "relit": (_still, Party.hover, Party.contest),
    }
    while party.now < seconds * 1000 - 6000:
        acts = play[kind]
        acts[int(rng.integers(len(acts)))](party)
        party.wait(900, 2200)
    return Script(_in_order(party.events))


def _play(party: Party, until_ms: int) -> None:
    acts, weights = zip(*_PLAY, strict=True)
    shares = np.array(weights) / sum(weights)
    while party.now < until_ms:
        acts[int(party.rng.choice(len(acts), p=shares))](party)
        party.wait(*_GAP_MS)


def _contested_by_three(party: Party) -> None:
    party.contest(3)


def _covered(party: Party) -> None:
    party.hover(2500, 6000)


def _still(party: Party) -> None:
    party.wait(1500, 3000)


def _in_order(events: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=lambda event: event.at_ms))
