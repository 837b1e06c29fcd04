"""What is told of a person: gestures with their times, and spans in which nothing can be said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

PLACES: Final = ("nose", "mouth", "chin", "cheek", "ear", "eye", "forehead", "hair")
SHAPES: Final = ("hand_fist", "hand_open", "hand_point", "hand_thumb", "fingers_2", "fingers_3", "fingers_4")
# MediaPipe's face model has no tongue, and its blendshape of puffed cheeks stays near 0 whatever they do
# (google-ai-edge/mediapipe issues 4403 and 4436): these two names of the vocabulary are never told.
NOT_CLAIMED: Final = ("tongue", "cheek_puff")
GESTURES: Final = (
    "blink",
    "eyes_closed",
    "wink_left",
    "wink_right",
    "brow_raise",
    "brow_raise_left",
    "brow_raise_right",
    "frown",
    "look_left",
    "look_right",
    "look_up",
    "look_down",
    "mouth_open",
    "pout",
    "smile",
    "nod",
    "shake",
    "tilt_left",
    "tilt_right",
    "lean_forward",
    "lean_back",
    *(f"hand_to_{place}" for place in PLACES),
    *SHAPES,
    "hand_rub",
)
"""Every name that an episode may have; left and right are the person's own."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A gesture from its onset to its end.

    Attributes:
        gesture: One of ``GESTURES``.
        at_ms: When it began.
        until_ms: When it was seen last; at least ``at_ms``.
        strength: 0..1, how far it went at its peak.
        confidence: 0..1, how sure it is that it was one.
    """

    gesture: str
    at_ms: int
    until_ms: int
    strength: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A span in which gestures of the face cannot be measured.

    ``what`` is ``no_face``, ``turned_away``, ``too_small`` or ``covered``.
    """

    what: str
    at_ms: int
    until_ms: int


Told: TypeAlias = Episode | Unmeasured


def mirrored(gesture: str) -> str:
    """The gesture as a mirror shows it.

    >>> mirrored("wink_left"), mirrored("nod")
    ('wink_right', 'nod')
    """
    if gesture.endswith("_left"):
        return gesture.removesuffix("_left") + "_right"
    return gesture.removesuffix("_right") + "_left" if gesture.endswith("_right") else gesture
