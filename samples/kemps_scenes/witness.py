"""What a frame shows, exactly: each card's corners and how much of it is seen, each hand's box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.camera import Camera
from kemps_scenes.things import ArmPart, CardThing, Thing, is_face_seen

_SHRINK: Final = 2  # shares are counted on a picture of half the size
Points = NDArray[np.float64]


class Witness:
    """Paints what is in front into a map of numbers and counts."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._map: NDArray[np.int16] = np.zeros((camera.height // _SHRINK, camera.width // _SHRINK), np.int16)
        self._last: dict[tuple[str, bool], Points] = {}
        self._shift = (0.0, 0.0)

    def report(
        self, things: Sequence[Thing], at_ms: float, shift: tuple[float, float] = (0.0, 0.0)
    ) -> dict[str, Any]:
        """The truth of one frame: ``hands`` and ``cards`` as in the format of the clips.

        ``shift`` is how far the picture is moved by a shaken camera, in pixels.
        """
        self._map[:] = 0
        self._shift = shift
        cards = [thing for thing in things if isinstance(thing, CardThing)]
        arms = [thing for thing in things if isinstance(thing, ArmPart) and thing.part == "above"]
        outlines = {arm.name: arm.actor.hand_outline(arm.pose, left=arm.hand.left) for arm in arms}
        counted: list[Thing] = [*cards, *arms]
        number = {thing.name: index + 1 for index, thing in enumerate(counted)}
        for thing in things:
            if isinstance(thing, CardThing):
                self._fill(thing.quad, number[thing.name])
            elif thing.name in number and isinstance(thing, ArmPart):
                self._fill(thing.actor.outline(thing.pose, left=thing.hand.left), -1)
                self._fill(outlines[thing.name], number[thing.name])
        return {
            "t_ms": round(at_ms),
            "hands": [self._hand(arm, outlines[arm.name], number[arm.name]) for arm in arms],
            "cards": [self._card(card, number[card.name]) for card in cards if _is_of_interest(card)],
        }

    def _hand(self, arm: ArmPart, outline: Points, number: int) -> dict[str, Any]:
        key = (arm.seat, arm.hand.left)
        low, high = outline.min(axis=0), outline.max(axis=0)
        before = self._last.get(key)
        middle = outline.mean(axis=0)
        speed = 0.0 if before is None else float(np.hypot(*(middle - before)))
        self._last[key] = middle
        box = [round(float(v)) for v in (*(low + self._shift), *(high + self._shift))]
        area = _area(outline)
        return {
            "seat": arm.seat,
            "side": "L" if arm.hand.left else "R",
            "box": box,
            "in_frame": round(self._inside(outline, area), 2),
            "visible": round(min(1.0, self._seen(outline, number) / max(1.0, area)), 2),
            "speed_px": round(speed, 1),
            "below_table": 0.0,
        }

    def _card(self, card: CardThing, number: int) -> dict[str, Any]:
        where = card.state.where
        held = where.startswith(("packet", "hand"))
        return {
            "card": None if card.track.card is None else str(card.track.card),
            "uid": card.track.uid,
            "where": f"hand:{where.rpartition(':')[2]}" if held else "table",
            "place": where,
            "face_to_camera": is_face_seen(card.quad),
            "visible": round(min(1.0, self._seen(card.quad, number) / max(1.0, _area(card.quad))), 2),
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad + self._shift],
        }

    def _fill(self, outline: Points, number: int) -> None:
        # Half a pixel of the large picture: the middle of a small pixel lies between two large ones.
        scaled = np.round((outline - 0.5) / _SHRINK * 16).astype(np.int32)
        cv2.fillPoly(self._map, [scaled], float(number), cv2.LINE_8, 4)

    def _seen(self, outline: Points, number: int) -> float:
        """Pixels of the large picture that show this number."""
        low = np.maximum(0, np.floor(outline.min(axis=0) / _SHRINK).astype(int) - 1)
        high = np.maximum(0, np.ceil(outline.max(axis=0) / _SHRINK).astype(int) + 2)
        part = self._map[low[1] : high[1], low[0] : high[0]]
        return float(np.count_nonzero(part == number)) * _SHRINK**2

    def _inside(self, outline: Points, area: float) -> float:
        clipped = np.clip(outline, (0, 0), (self._camera.width, self._camera.height))
        return float(min(1.0, _area(clipped) / max(1.0, area)))


def _is_of_interest(card: CardThing) -> bool:
    """Not the backs of packets and of what was set aside: they would fill the file and say nothing."""
    return (card.track.card is not None and card.state.where != "aside") or card.state.where == "table"


def _area(outline: Points) -> float:
    return float(abs(cv2.contourArea(outline.astype(np.float32))))
