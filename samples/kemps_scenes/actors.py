"""Who moves the cards. Today arms are drawn sprites; a renderer of whole bodies can take their place here."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.anatomy import GRIP_MM
from kemps_scenes.arms import SPRITE_X_MM, SPRITE_Y_MM, ArmSprite, arm_sprite
from kemps_scenes.camera import Camera
from kemps_scenes.canvas import Box, Image, Sprite
from kemps_scenes.light import SHADOW_OFFSET
from kemps_scenes.motion import ArmPose

Points = NDArray[np.float64]


class Actor(Protocol):
    """A person at a seat, as far as the renderer is concerned.

    A part is ``below`` (what lies under a held card, such as the thumb) or ``above`` (what lies over it).
    """

    def outline(self, pose: ArmPose, *, left: bool) -> Points:
        """The silhouette of hand and forearm in the picture, (n, 2)."""

    def hand_outline(self, pose: ArmPose, *, left: bool) -> Points:
        """The silhouette of the hand alone in the picture, (n, 2)."""

    def shadow(self, pose: ArmPose, *, left: bool) -> Points:
        """The outline of the shadow on the table in the picture, (n, 2)."""

    def picture(self, pose: ArmPose, part: str, box: Box, *, left: bool) -> Image | None:
        """Premultiplied RGBA of a part inside a box of the picture, None when there is no such part."""


class SpriteActor:
    """Arms from :mod:`kemps_scenes.arms`, each in a plane that rises from the fingers to the elbow."""

    _RISE: Final = 0.16  # height gained per length of the arm

    def __init__(self, person: int, camera: Camera, facing_deg: float) -> None:
        self._person, self._camera = person, camera
        # Sprites are lit once, from the window's side as seen from this seat.
        self._light_deg = round((233.0 - facing_deg) / 30.0) * 30.0 % 360
        self._sprites: dict[tuple[str, bool], tuple[ArmSprite, Sprite, Sprite | None]] = {}

    def outline(self, pose: ArmPose, *, left: bool) -> Points:
        """See :class:`Actor`."""
        return self._seen(pose, self._sprite(pose.posture, left)[0].outline_mm, left)

    def hand_outline(self, pose: ArmPose, *, left: bool) -> Points:
        """See :class:`Actor`."""
        return self._seen(pose, self._sprite(pose.posture, left)[0].hand_mm, left)

    def shadow(self, pose: ArmPose, *, left: bool) -> Points:
        """See :class:`Actor`."""
        world = self._placed(pose, self._sprite(pose.posture, left)[0].outline_mm, left)
        height = world[:, 2] + 0.012
        ground = np.stack(
            [world[:, 0] + height * SHADOW_OFFSET[0], world[:, 1] + height * SHADOW_OFFSET[1], 0 * height], 1
        )
        return self._camera.project(ground)

    def picture(self, pose: ArmPose, part: str, box: Box, *, left: bool) -> Image | None:
        """See :class:`Actor`."""
        _, above, below = self._sprite(pose.posture, left)
        sprite = above if part == "above" else below
        if sprite is None or box.is_empty:
            return None
        (x0, x1), (y0, y1) = SPRITE_X_MM, SPRITE_Y_MM
        corners = np.array([[x0, y1], [x1, y1], [x1, y0], [x0, y0]], np.float64)
        return sprite.warped(self._seen(pose, corners, left), box)

    def _sprite(self, posture: str, left: bool) -> tuple[ArmSprite, Sprite, Sprite | None]:
        key = (posture, left)
        if key not in self._sprites:
            arm = arm_sprite(self._person, posture, left=left, light_deg=self._light_deg)
            self._sprites[key] = (
                arm,
                Sprite.of(arm.above),
                None if arm.below is None else Sprite.of(arm.below),
            )
        return self._sprites[key]

    def _placed(self, pose: ArmPose, points_mm: Points, left: bool) -> Points:
        aside = (points_mm[:, 0] - (-GRIP_MM[0] if left else GRIP_MM[0])) / 1000
        along = (points_mm[:, 1] - GRIP_MM[1]) / 1000
        c, s = np.cos(pose.direction), np.sin(pose.direction)
        x = pose.x + along * c + aside * s
        y = pose.y + along * s - aside * c
        return np.stack([x, y, pose.z + 0.010 - self._RISE * along], axis=1)

    def _seen(self, pose: ArmPose, points_mm: Points, left: bool) -> Points:
        return self._camera.project(self._placed(pose, points_mm, left))
