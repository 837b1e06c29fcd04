"""Where faces mostly are in the pictures of a camera that looks at players, and whose they are.

Whose face it is, no picture tells. When the camera is named after a seat or its player, it looks at that one;
else it is taken to stand at the lower edge of the table camera's picture and to look across the table, so
that the players who sit farthest from there are seen from left to right as the table camera has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_rules.seats import Seat
from kemps_vision.people.landmarks import Box
from kemps_vision.zones import Point

MOSTLY: Final = 0.5  # of the looks in which a face is there
_SAME: Final = 0.2  # overlap of boxes: a head moves


@dataclass(frozen=True, slots=True)
class FacePlace:
    """A face: its usual box in px, and the seat; None where there are more faces than seats."""

    box: Box
    seat: Seat | None = None
    is_sure: bool = False


def usual_faces(looks: Sequence[Sequence[Box]]) -> list[Box]:
    """The boxes of faces that most looks show, each the median of its own, from left to right."""
    groups: list[list[Box]] = []
    for boxes in looks:
        for box in boxes:
            near = next((group for group in groups if box.overlap(group[-1]) > _SAME), None)
            if near is None:
                groups.append([box])
            else:
                near.append(box)
    lasting = [group for group in groups if len(group) >= max(1.0, MOSTLY * len(looks))]
    usual = [Box(*(float(side) for side in np.median(np.array(group), axis=0))) for group in lasting]
    return sorted(usual, key=lambda box: box.left)


def faces_of_seats(
    boxes: Sequence[Box], camera: str, seats: Mapping[Seat, tuple[str, Point]]
) -> list[FacePlace]:
    """The faces of a camera with their seats.

    Args:
        boxes: From left to right.
        camera: The camera's name.
        seats: Each seat's player and place in the table camera's pictures.
    """
    own = [
        seat for seat, (name, _) in seats.items() if camera.casefold() in (seat.casefold(), name.casefold())
    ]
    if own and boxes:
        largest = max(boxes, key=lambda box: box.width * box.height)
        return [FacePlace(box, own[0] if box is largest else None, is_sure=box is largest) for box in boxes]
    across = sorted(seats, key=lambda seat: seats[seat][1][1])[: len(boxes)]
    named = sorted(across, key=lambda seat: seats[seat][1][0])
    spare: list[Seat | None] = [*named, *[None] * (len(boxes) - len(named))]
    return [FacePlace(box, seat) for box, seat in zip(boxes, spare, strict=True)]
