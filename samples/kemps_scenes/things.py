"""What the renderer draws: cards, the stock and arms, each with its shadow, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.actors import Actor
from kemps_scenes.camera import Camera
from kemps_scenes.canvas import Box, Image, Sprite, averaged, darken, lay_over
from kemps_scenes.deck import Deck
from kemps_scenes.layout import CARD_M, Place
from kemps_scenes.light import SHADOW_OFFSET
from kemps_scenes.motion import FACE_DOWN, CardPose, CardState, CardTrack, HandTrack, Held, Slide
from kemps_scenes.troupe import CARD_Z

Points = NDArray[np.float64]
_HALF: Final = (CARD_M[0] / 2, CARD_M[1] / 2)


@dataclass(slots=True)
class Setting:
    """What all things of a scene share."""

    camera: Camera
    deck: Deck
    light: Image
    actors: dict[str, Actor]
    _sprites: dict[Card | None, Sprite] = field(default_factory=dict)

    def sprite(self, card: Card | None) -> Sprite:
        """The face of a card, or the back for None."""
        if card not in self._sprites:
            self._sprites[card] = Sprite.of(self.deck.back if card is None else self.deck.face(card))
        return self._sprites[card]


class Thing(Protocol):
    """Something that is drawn.

    Attributes:
        name: Which thing it is, the same in all frames.
        key: Changes whenever it has to be drawn anew.
        order: Things are drawn in this order.
    """

    name: Any
    key: tuple[Any, ...]
    order: tuple[float, ...]

    def draw(self, picture: Image, exposure: tuple[float, float]) -> None:
        """Draws it, averaged over the exposure from one time to another, in ms."""


def quad_of(camera: Camera, pose: CardPose) -> Points:
    """Corners of a card in the picture as printed on its face (TL, TR, BR, BL); clockwise when it is seen."""
    return camera.project(pose.corners(_HALF))


def is_face_seen(quad: Points) -> bool:
    """Whether a card with these corners turns its face to the camera."""
    x, y = quad[:, 0], quad[:, 1]
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) > 0


def _moments(exposure: tuple[float, float], moved_px: float) -> list[float]:
    """Times within an exposure, so close together that a blurred edge looks smooth."""
    count = int(np.clip(np.ceil(moved_px / 3.5), 1, 9))
    return [float(time) for time in np.linspace(*exposure, count)] if count > 1 else [sum(exposure) / 2]


class CardThing:
    """A card at one moment."""

    def __init__(
        self, setting: Setting, track: CardTrack, state: CardState, at_ms: float, seats: str
    ) -> None:
        self.setting, self.track, self.state, self.at_ms = setting, track, state, at_ms
        self.name: Any = ("card", track.uid)
        self.pose = track.pose(at_ms)
        self.quad = quad_of(setting.camera, self.pose)
        is_moving = isinstance(state.motion, Held | Slide)
        self.order = self._order(seats)
        self.key: tuple[Any, ...] = ("card", track.uid, self.order, self.pose, at_ms if is_moving else 0.0)

    def _order(self, seats: str) -> tuple[float, ...]:
        where, motion = self.state.where, self.state.motion
        seat = where.rpartition(":")[2]
        if where.startswith("packet"):
            return (1.0, seats.index(seat), 1.0, self.state.level)
        if isinstance(motion, Held):
            if motion.share(self.at_ms) >= motion.beneath_from:
                return (1.0, seats.index(seat), 1.0, 40.0)
            return (2.0, seats.index(seat), 1.0, self.state.level)
        return (0.0, self.state.level + (1.0 if isinstance(motion, Slide) else 0.0), 0.0, 0.0)

    def draw(self, picture: Image, exposure: tuple[float, float]) -> None:
        """Draws shadow and card."""
        camera = self.setting.camera
        self._shadow(picture)
        ends = [quad_of(camera, self.track.pose(time)) for time in exposure]
        times = _moments(exposure, float(np.abs(ends[1] - ends[0]).max()))
        quads = [quad_of(camera, self.track.pose(time)) for time in times] if len(times) > 1 else [self.quad]
        box = Box.around(np.vstack(quads), camera.width, camera.height)
        if box.is_empty:
            return
        shade = 1.0 - 0.25 * abs(float(np.sin(self.pose.turn)))
        lay_over(picture, averaged([self._seen(quad, box) for quad in quads]), box, self.setting.light, shade)

    def _seen(self, quad: Points, box: Box) -> Image:
        if is_face_seen(quad) and self.track.card is not None:
            return self.setting.sprite(self.track.card).warped(quad, box)
        # Seen from behind, left and right change places. A face that no line names is drawn as any card.
        if is_face_seen(quad):
            return self.setting.sprite(DECK_52[self.track.uid % 52]).warped(quad, box)
        return self.setting.sprite(None).warped(quad[[1, 0, 3, 2]], box)

    def _shadow(self, picture: Image) -> None:
        corners = self.pose.corners(_HALF)
        height = float(corners[:, 2].mean())
        ground = corners[:, :2] + (corners[:, 2:] + 0.0012) * np.array(SHADOW_OFFSET)
        outline = self.setting.camera.project(np.column_stack([ground, np.zeros(4)]))
        hull = cv2.convexHull(outline.astype(np.float32))[:, 0].astype(np.float64)
        scale = self.setting.camera.pixels_per_metre(corners[0])
        darken(picture, hull, (0.0016 + 0.35 * height) * scale, max(0.15, 0.42 - 9.0 * height))


class Pile:
    """The stock: a block of cards with one back on top."""

    def __init__(self, setting: Setting, place: Place, count: int) -> None:
        self.setting, self.count = setting, count
        self.name: Any = ("stock",)
        self.key: tuple[Any, ...] = ("stock", count)
        self.order: tuple[float, ...] = (0.0, -1.0, 0.0, 0.0)
        self._poses = [
            CardPose(place.x, place.y, z * CARD_Z * 0.6, place.yaw, FACE_DOWN) for z in range(0, count, 1)
        ]

    def draw(self, picture: Image, exposure: tuple[float, float]) -> None:
        """Draws the block from below to above; it stands still."""
        del exposure
        if not self._poses:
            return
        camera, light = self.setting.camera, self.setting.light
        bottom, top = (pose.corners(_HALF) for pose in (self._poses[0], self._poses[-1]))
        ground = np.vstack([c[:, :2] + (c[:, 2:] + 0.001) * np.array(SHADOW_OFFSET) for c in (bottom, top)])
        outline = camera.project(np.column_stack([ground, np.zeros(8)]))
        hull = cv2.convexHull(outline.astype(np.float32))[:, 0].astype(np.float64)
        darken(picture, hull, 0.004 * camera.pixels_per_metre(bottom[0]), 0.45)
        for index, pose in enumerate(self._poses):
            quad = quad_of(camera, pose)[[1, 0, 3, 2]]
            box = Box.around(quad, camera.width, camera.height)
            if not box.is_empty:
                edge = 0.78 if index % 3 else 0.62
                is_top = index == self.count - 1
                lay_over(
                    picture, self.setting.sprite(None).warped(quad, box), box, light, 1.0 if is_top else edge
                )


class ArmPart:
    """The part of an arm that lies below a held card, or above it."""

    def __init__(
        self, setting: Setting, seat: str, hand: HandTrack, part: str, at_ms: float, rank: int
    ) -> None:
        self.actor, self.setting, self.seat, self.hand, self.part = (
            setting.actors[seat],
            setting,
            seat,
            hand,
            part,
        )
        self.name: Any = ("arm", seat, hand.left, part)
        self.pose = hand.pose(at_ms)
        self.key: tuple[Any, ...] = ("arm", seat, hand.left, part, self.pose)
        layer = 1.0 if hand.left else 2.0
        self.order: tuple[float, ...] = (
            layer,
            "ABCDEFGH".index(seat),
            0.0 if part == "below" else 2.0,
            float(rank),
        )

    def draw(self, picture: Image, exposure: tuple[float, float]) -> None:
        """Draws the part; the lower one also casts the arm's shadow."""
        camera = self.setting.camera
        scale = camera.pixels_per_metre(np.array([self.pose.x, self.pose.y, self.pose.z]))
        if self.part == "below":
            outline = self.actor.shadow(self.pose, left=self.hand.left)
            darken(picture, outline, (0.008 + 0.25 * self.pose.z) * scale, 0.36)
        begin, end = (self.hand.pose(time) for time in exposure)
        times = _moments(exposure, float(np.hypot(end.x - begin.x, end.y - begin.y)) * scale)
        poses = [self.hand.pose(time) for time in times] if len(times) > 1 else [self.pose]
        outlines = np.vstack([self.actor.outline(pose, left=self.hand.left) for pose in poses])
        box = Box.around(outlines, camera.width, camera.height)
        if box.is_empty:
            return
        pictures = [self.actor.picture(pose, self.part, box, left=self.hand.left) for pose in poses]
        seen = [one for one in pictures if one is not None]
        if len(seen) == len(poses):
            lay_over(picture, averaged(seen), box, self.setting.light)
