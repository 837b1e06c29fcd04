"""How long each card of a scene lies where, and when it lies free: the truth for trackers of cards.

A card lies *free* while a whole corner index of it is in view: no other card and no arm covers it, and it is
within the picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.camera import Camera
from kemps_scenes.layout import CARD_M
from kemps_scenes.looks import CARD_MM, DeckLook
from kemps_scenes.motion import CardPose
from kemps_scenes.things import ArmPart, CardThing, Thing, is_face_seen

WHOLE: Final = 0.97  # of an index's pixels: more is counted as all of it
_PLACES: Final = ("slot", "shown", "table")
Points = NDArray[np.float64]


@dataclass(slots=True)
class Stay:
    """One card at rest in one place.

    Attributes:
        card: Its name, such as ``9s``.
        place: ``slot:0``, ``shown:A`` or ``table``.
        quad: Its corners in the picture (TL, TR, BR, BL as printed), without the camera's shake.
        length_px: The mean length of its long sides.
        from_ms: The first frame in which it is at rest.
        until_ms: The first frame in which it is no longer there, or the clip's end.
        free_ms: The frames in which it lies free.
    """

    card: str
    uid: int
    place: str
    quad: list[list[float]]
    length_px: float
    from_ms: int
    until_ms: int
    free_ms: list[int] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The stay as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


class Sightings:
    """Looks at what is on the table frame by frame and keeps the stays."""

    def __init__(self, camera: Camera, look: DeckLook, frame_ms: float) -> None:
        self._camera, self._frame_ms = camera, frame_ms
        self._boxes = _index_boxes(look)
        self._map: NDArray[np.int16] = np.zeros((camera.height, camera.width), np.int16)
        self._now: dict[tuple[int, CardPose], Stay] = {}
        self.stays: list[Stay] = []

    def look(self, things: list[Thing], at_ms: float) -> None:
        """Takes in one frame; frames come in order."""
        resting = [thing for thing in things if isinstance(thing, CardThing) and _is_at_rest(thing)]
        self._paint(things, {thing.name: number for number, thing in enumerate(resting, 1)})
        now: dict[tuple[int, CardPose], Stay] = {}
        for number, thing in enumerate(resting, 1):
            key = (thing.track.uid, thing.pose)
            stay = self._now.get(key) or self._begun(thing, at_ms)
            stay.until_ms = round(at_ms + self._frame_ms)
            if any(self._is_whole(thing.pose, box, number) for box in self._boxes):
                stay.free_ms.append(round(at_ms))
            now[key] = stay
        self._now = now

    def _begun(self, thing: CardThing, at_ms: float) -> Stay:
        sides = np.linalg.norm(thing.quad[[3, 2]] - thing.quad[[0, 1]], axis=1)
        stay = Stay(
            card=str(thing.track.card),
            uid=thing.track.uid,
            place=thing.state.where,
            quad=[[round(float(x), 1), round(float(y), 1)] for x, y in thing.quad],
            length_px=round(float(sides.mean()), 1),
            from_ms=round(at_ms),
            until_ms=round(at_ms),
        )
        self.stays.append(stay)
        return stay

    def _paint(self, things: list[Thing], numbers: dict[Any, int]) -> None:
        self._map[:] = 0
        for thing in things:
            if isinstance(thing, CardThing):
                self._fill(thing.quad, numbers.get(thing.name, -1))
            elif isinstance(thing, ArmPart) and thing.part == "above":
                self._fill(thing.actor.outline(thing.pose, left=thing.hand.left), -1)

    def _fill(self, outline: Points, number: int) -> None:
        cv2.fillPoly(self._map, [np.round(outline * 16).astype(np.int32)], float(number), cv2.LINE_8, 4)

    def _is_whole(self, pose: CardPose, box: Points, number: int) -> bool:
        top_left, top_right, _, bottom_left = pose.corners((CARD_M[0] / 2, CARD_M[1] / 2))
        world = top_left + box[:, :1] * (top_right - top_left) + box[:, 1:] * (bottom_left - top_left)
        outline = self._camera.project(world)
        size = (self._camera.width - 1, self._camera.height - 1)
        if outline.min() < 0 or (outline > size).any():
            return False
        low, high = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int) + 1
        mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillPoly(mask, [np.round((outline - low) * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
        seen = self._map[low[1] : high[1], low[0] : high[0]][mask > 0]
        return bool(len(seen)) and float((seen == number).mean()) >= WHOLE


def _is_at_rest(thing: CardThing) -> bool:
    return (
        thing.track.card is not None
        and isinstance(thing.state.motion, CardPose)
        and thing.state.where.partition(":")[0] in _PLACES
        and is_face_seen(thing.quad)
    )


def _index_boxes(look: DeckLook) -> tuple[Points, Points]:
    """The two corner indices as outlines (4, 2) in shares of the card's width and height."""
    width, height = CARD_MM
    half = max(look.suit_mm, look.rank_mm * 0.8) / 2
    left, right = max(1.0, look.index_x - half), look.index_x + half
    top, bottom = look.index_top, look.index_top + look.index_mm
    box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) / (width, height)
    return box, 1 - box
