"""What changes among the cards at rest: the words between tracking and interpretation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kemps_rules.cards import Card
from kemps_vision.appearance import Quad


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeared:
    """A card lies there: at rest from ``rest_ms``, in full view from ``clear_ms``."""

    spot: int
    card: Card | None
    quad: Quad
    rest_ms: int
    clear_ms: int
    settled_ms: int
    confidence: float
    nudged_from: int | None = None  # the spot where the same card lay just before
    is_duplicate: bool = False  # the same card lies elsewhere in full view


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A card is gone: it last showed at ``shown_ms``, its place was seen without it at ``bare_ms``.

    ``is_sharp``: a resting body-hand left part of it in view until that vanished at once; else it was
    covered, or pulled away, some time between the two.
    """

    spot: int
    card: Card | None
    quad: Quad
    covered_ms: int
    shown_ms: int
    bare_ms: int
    is_sharp: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """What cannot be.

    Readings name another card than the one that was settled, and nothing has moved. Or, with ``twin``, two
    cards of one name lie in full view and the deck has only one.
    """

    spot: int
    card: Card | None
    seen: Card
    at_ms: int
    twin: int | None = None


Change: TypeAlias = Appeared | Left | Conflict
