"""What is told of contact over time: spans with a score and the reason in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kemps_vision.people.landmarks import HandPose

Owner: TypeAlias = str | None
"""A seat, or whatever else names a person; None when it is not clear who."""

HANDS_TOUCHED: Final = "hands_touched"
BELOW_TABLE: Final = "below_table"
BEHIND_BODY: Final = "behind_body"
LEFT_PICTURE: Final = "left_picture"  # not observed, rather than hidden
LOST: Final = "lost"  # by the landmarker: it may lie in plain sight


@dataclass(frozen=True, slots=True, eq=False)
class OwnedHand:
    """A hand in one picture of a video: its ``track`` goes on from picture to picture.

    ``odds`` are how likely it is whose, where that is known; an owner is named only where it is clear.
    """

    track: int
    owner: Owner
    pose: HandPose
    odds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContactSpan:
    """Two people in contact.

    Attributes:
        at_ms: When it began.
        until_ms: When it was last seen.
        kind: Such as ``hands_touched``.
        owners: Whose hands; for a touched face whose face it is, first.
        at: Where, (x, y) in px of the picture, when it was surest.
        score: 0..1.
        reason: In words.
        still_ms: For how long at a stretch they stayed where they were against each other.
    """

    at_ms: int
    until_ms: int
    kind: str
    owners: tuple[Owner, Owner]
    at: tuple[float, float]
    score: float
    reason: str
    still_ms: int = 0


@dataclass(frozen=True, slots=True)
class HiddenSpan:
    """A hand that was seen before and is not any more.

    Attributes:
        at_ms: When it was seen last.
        until_ms: When it was there again, or when watching ended.
        owner: Whose hand.
        where: ``below_table``, ``behind_body``, ``left_picture`` or ``lost``.
        score: 0..1 that it is hidden; what left the picture or was lost is not.
        reason: In words.
    """

    at_ms: int
    until_ms: int
    owner: Owner
    where: str
    score: float
    reason: str
