"""How much of each corner index is seen: what decides whether a card in a fan can be read at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import Card
from kemps_scenes.camera import Camera
from kemps_scenes.deck import rank_width_mm
from kemps_scenes.layout import CARD_M
from kemps_scenes.looks import CARD_MM, DeckLook
from kemps_scenes.motion import CardPose
from kemps_scenes.things import is_face_seen, quad_of

Points = NDArray[np.float64]
_ACROSS, _DOWN = 9, 15  # places of an index that are looked at
_HALF: Final = (CARD_M[0] / 2, CARD_M[1] / 2)


def index_boxes(card: Card, look: DeckLook) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom, in mm of the card, of each index that a deck prints on it."""
    if card.rank in look.bare:
        return []
    half = max(rank_width_mm(card, look), look.suit_mm * 0.94) / 2
    top, bottom = look.index_top, look.index_top + look.index_mm
    boxes = []
    for x in (look.index_x, CARD_MM[0] - look.index_x)[: look.corners // 2]:
        left, right = x - half, x + half
        boxes.append((left, top, right, bottom))
        boxes.append((CARD_MM[0] - right, CARD_MM[1] - bottom, CARD_MM[0] - left, CARD_MM[1] - top))
    return boxes


def index_shares(
    lying: Sequence[tuple[Card | None, CardPose]], look: DeckLook, camera: Camera
) -> list[list[float]]:
    """For each card, given from below to above, the share of each of its indices that the picture shows.

    A card that shows its back has none. Only cards and the picture's edges hide anything.
    """
    quads = [quad_of(camera, pose) for _, pose in lying]
    shares: list[list[float]] = []
    for level, (card, pose) in enumerate(lying):
        boxes = index_boxes(card, look) if card is not None and is_face_seen(quads[level]) else []
        shares.append([_share(_places(box, pose, camera), quads[level + 1 :], camera) for box in boxes])
    return shares


def _places(box: tuple[float, float, float, float], pose: CardPose, camera: Camera) -> Points:
    """Pixels (n, 2) of places spread over a box of a card."""
    left, top, right, bottom = box
    u, v = np.meshgrid(np.linspace(left, right, _ACROSS), np.linspace(top, bottom, _DOWN))
    across, down = u.ravel() / CARD_MM[0], v.ravel() / CARD_MM[1]
    corners = pose.corners(_HALF)
    world = (
        corners[0] + across[:, None] * (corners[1] - corners[0]) + down[:, None] * (corners[3] - corners[0])
    )
    return camera.project(world)


def _share(places: Points, above: Sequence[Points], camera: Camera) -> float:
    outlines = [quad.astype(np.float32) for quad in above]
    seen = 0
    for x, y in places.tolist():
        is_inside = 0 <= x <= camera.width - 1 and 0 <= y <= camera.height - 1
        seen += is_inside and all(cv2.pointPolygonTest(quad, (x, y), False) < 0 for quad in outlines)
    return round(seen / len(places), 3)
