"""Where on the face a hand lies: the places of ``hand_on_face``, and the hair above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kemps_vision.people.hand_on_face import (
    LARGEST_PALM,
    REACH,
    SMALLEST_PALM,
    FaceOutline,
    touches_of,
)
from kemps_vision.people.landmarks import FacePose, HandPose

_CHIN, _FOREHEAD = 152, 10
_TEMPLES: Final = (234, 454)
_TIPS: Final = (4, 8, 12, 16, 20)
# Shares of the face from chin to forehead: where hair begins and a raised arm ends.
HAIR_FROM: Final = 1.05
HAIR_UNTIL: Final = 1.5
_HAIR_WIDTH: Final = 0.6  # of the face's width, to each side of its middle


def places_of(face: FacePose, hands: Sequence[HandPose]) -> dict[str, float]:
    """How surely (0..1, a claim from 0.5 on) a hand lies on each place of a face; others are left out."""
    outline = FaceOutline.of_pose(face)
    places: dict[str, float] = {}
    for hand in hands:
        for touch in touches_of([outline], [hand]):
            place = touch.place if touch.place == "ear" else _place_of_tip(outline, hand) or touch.place
            places[place] = max(places.get(place, 0.0), touch.score)
        if SMALLEST_PALM <= hand.size_px / outline.size <= LARGEST_PALM and _is_in_hair(face, hand):
            places["hair"] = 1.0
    return places


def _place_of_tip(outline: FaceOutline, hand: HandPose) -> str | None:
    """The place of the finger tip on the face that is furthest from the wrist: what it is held to.

    The hand's point deepest within the face, which tells best whether it touches, is on the way there.
    """
    tips = hand.landmarks[list(_TIPS), :2]
    on_face = [tip for tip in tips if outline.depth(tip) > REACH]
    away = [float(np.linalg.norm(tip - hand.landmarks[0, :2])) for tip in on_face]
    return outline.place_of(on_face[int(np.argmax(away))][None]) if on_face else None


def _is_in_hair(face: FacePose, hand: HandPose) -> bool:
    """Whether two fingers at least lie above the forehead."""
    chin, top = face.landmarks[_CHIN, :2], face.landmarks[_FOREHEAD, :2]
    up = (top - chin) / max(float(np.linalg.norm(top - chin)), 1e-6)
    side = np.array([-up[1], up[0]])
    height = float(np.linalg.norm(top - chin))
    width = float(np.linalg.norm(np.subtract(*face.landmarks[list(_TEMPLES), :2])))
    tips = hand.landmarks[list(_TIPS[1:]), :2] - chin
    above, aside = tips @ up / max(height, 1e-6), np.abs(tips @ side) / max(width, 1e-6)
    is_there = (above >= HAIR_FROM) & (above <= HAIR_UNTIL) & (aside <= _HAIR_WIDTH)
    return int(is_there.sum()) >= 2
