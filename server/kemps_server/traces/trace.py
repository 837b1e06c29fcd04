"""What is kept of one watched frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kemps_rules.cards import Card
from kemps_vision.people.landmarks import Box, Landmarks


@dataclass(frozen=True, slots=True, eq=False)
class CardTrace:
    """A card that was there.

    Attributes:
        card: What it is, or None while it is not read.
        score: How sure, 0..1.
        quad: (4, 2) px, its corners.
    """

    card: Card | None
    score: float
    quad: Any


@dataclass(frozen=True, slots=True, eq=False)
class HandTrace:
    """A hand of the body: whose, if that was clear, and its 21 points (21, 2), px."""

    seat: str
    points: Landmarks


@dataclass(frozen=True, slots=True, eq=False)
class FaceTrace:
    """A face: whose, and where. Its landmarks are not kept."""

    seat: str
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """What was seen in a frame of a camera; ``zones`` are where centre and seats were taken to be."""

    at_ms: int
    cards: tuple[CardTrace, ...] = ()
    hands: tuple[HandTrace, ...] = ()
    faces: tuple[FaceTrace, ...] = ()
    zones: dict[str, Any] = field(default_factory=dict)
