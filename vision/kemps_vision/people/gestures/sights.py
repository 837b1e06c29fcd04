"""One look at a person, as little as gestures need: it is what a watcher keeps while it learns a face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kemps_vision.people.gestures.hand_places import places_of
from kemps_vision.people.gestures.hand_shapes import shape_of
from kemps_vision.people.gestures.holding import OFF
from kemps_vision.people.gestures.measures import (
    LEFT_INNER,
    LEFT_OUTER,
    RIGHT_INNER,
    RIGHT_OUTER,
    Measures,
    measures_of,
)
from kemps_vision.people.gestures.rubbing import ThumbPlace, thumb_at_tips
from kemps_vision.people.landmarks import FacePose, HandPose

TURNED_DEGREES: Final = 40.0
LEAST_SPAN_PX: Final = 24.0  # between the eyes' outer corners; an eye is a quarter of it
_SURE_SPAN_PX: Final = 60.0
_SURE_DEGREES: Final = 20.0
_COVERS: Final = 0.35  # spans from the middle of an eye: a hand so near hides lids or brow, or may do so
# Bones of a hand's mesh, between joints.
_BONES: Final = tuple((0 if joint % 4 == 1 else joint - 1, joint) for joint in range(1, 21))


@dataclass(frozen=True, slots=True)
class Sight:
    """A person at one time.

    Attributes:
        at_ms: When.
        face: The measures of the face; None when it cannot be measured.
        hidden: Why not, as in ``Unmeasured``; "" when it can.
        trust: 0..1, how far the measures can be trusted: small and turned faces less.
        places: How surely hands lie on places of the face, 0..1.
        shapes: The shapes that hands show.
        thumb: Where the thumb of the hand is that holds it at its finger tips.
    """

    at_ms: int
    face: Measures | None
    hidden: str = ""
    trust: float = 0.0
    places: Mapping[str, float] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()
    thumb: ThumbPlace | None = None


def sight_of(at_ms: int, face: FacePose | None, hands: Sequence[HandPose]) -> Sight:
    """What of a face and the hands near it matters."""
    shapes = frozenset(shape for hand in hands if (shape := shape_of(hand)) is not None)
    if face is None:
        return Sight(at_ms, None, "no_face", shapes=shapes, thumb=thumb_at_tips(hands))
    places = places_of(face, hands)
    # A hand on the face does something there, and its fingers are seen badly.
    thumb = None if max(places.values(), default=0.0) >= OFF else thumb_at_tips(hands)
    measures = measures_of(face)
    hidden = _hidden(measures) or ("covered" if any(_covers(hand, face) for hand in hands) else "")
    if measures is None or hidden:
        return Sight(at_ms, None, hidden, places=places, shapes=shapes, thumb=thumb)
    return Sight(at_ms, measures, "", _trust(measures), places, shapes, thumb)


def _hidden(face: Measures | None) -> str:
    if face is None:
        return "no_face"
    if max(abs(face.yaw), abs(face.pitch)) > TURNED_DEGREES:
        return "turned_away"
    return "too_small" if face.span_px < LEAST_SPAN_PX else ""


def _covers(hand: HandPose, face: FacePose) -> bool:
    """Whether a hand is over an eye, wherever it is in depth."""
    corners = face.landmarks[[RIGHT_OUTER, RIGHT_INNER, LEFT_INNER, LEFT_OUTER], :2]
    eyes = np.stack([corners[:2].mean(axis=0), corners[2:].mean(axis=0)])
    radius = _COVERS * float(np.linalg.norm(corners[3] - corners[0]))
    ends = hand.landmarks[np.array(_BONES), :2]
    points = np.concatenate([ends[:, 1], ends.mean(axis=1)])
    return bool((np.linalg.norm(points[:, None] - eyes[None], axis=2) < radius).any())


def _trust(face: Measures) -> float:
    """1 for a large face that looks at the camera, 0.6 at the limits of what is measured."""
    turned = max(abs(face.yaw), abs(face.pitch))
    small = (_SURE_SPAN_PX - face.span_px) / (_SURE_SPAN_PX - LEAST_SPAN_PX)
    aside = (turned - _SURE_DEGREES) / (TURNED_DEGREES - _SURE_DEGREES)
    return 1.0 - 0.4 * min(1.0, max(0.0, small, aside))
