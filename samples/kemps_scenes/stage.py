"""Renders a scene: what stands still is painted once and kept, what moves is drawn anew for each frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from kemps_scenes.actors import Actor, SpriteActor
from kemps_scenes.backdrop import render_backdrop
from kemps_scenes.camera import Camera
from kemps_scenes.canvas import Image
from kemps_scenes.deck import open_deck
from kemps_scenes.light import Light
from kemps_scenes.script import Scene
from kemps_scenes.things import ArmPart, CardThing, Pile, Setting, Thing
from kemps_scenes.witness import Witness

_NOISE_FRAMES: Final = 6


@dataclass(frozen=True, eq=False, slots=True)
class RenderedFrame:
    """A frame and its truth.

    Attributes:
        pixels: RGB uint8 (h, w, 3).
        truth: ``{"t_ms": …, "hands": […], "cards": […]}``.
    """

    index: int
    at_ms: int
    pixels: Image
    truth: dict[str, Any]


class Stage:
    """Everything needed to render the frames of one scene."""

    def __init__(self, scene: Scene) -> None:
        spec, layout = scene.spec, scene.layout
        view = spec.view.zoomed(layout.zoom_out)
        self.scene = scene
        self.camera = Camera(view, spec.width, spec.height)
        backdrop = render_backdrop(spec, self.camera, layout)
        self._light = Light(spec)
        actors: dict[str, Actor] = {}
        shift = int(np.random.default_rng([spec.seed, 3]).integers(8))
        for index, seat in enumerate(layout.seats):
            fx, fy = layout.forward(seat)
            actors[seat] = SpriteActor(index + shift, self.camera, float(np.degrees(np.arctan2(fy, fx))))
        self.setting = Setting(self.camera, open_deck(spec.deck, spec.back), backdrop.light, actors)
        self._empty = backdrop.picture
        self._kept: Image = self._empty
        self._kept_keys: list[tuple[Any, ...]] = []
        self._previous: dict[Any, tuple[Any, ...]] = {}
        self._noise = _noise_frames(spec.width, spec.height, spec.noise, spec.seed)
        self._witness = Witness(self.camera)
        self._next = -1

    @property
    def frame_count(self) -> int:
        """How many frames the clip has."""
        return int(self.scene.duration_ms * self.scene.spec.fps / 1000)

    def frames(self) -> Iterator[RenderedFrame]:
        """All frames in order."""
        for index in range(self.frame_count):
            yield self.frame(index)

    def frame(self, index: int) -> RenderedFrame:
        """One frame; frames asked for in order are quicker, and the same."""
        if index != self._next:
            self._look_at(index - 1)
        self._next = index + 1
        at_ms = index * 1000 / self.scene.spec.fps
        things = self.things(at_ms)
        picture = self._paint(things, at_ms)
        truth = self._witness.report(things, at_ms, self._light.shake(at_ms))
        return RenderedFrame(index, round(at_ms), self._exposed(picture, index, at_ms), truth)

    def _look_at(self, index: int) -> None:
        """Remembers a frame that is not rendered: what moves is what differs from the frame before."""
        at_ms = max(0, index) * 1000 / self.scene.spec.fps
        things = self.things(at_ms)
        self._previous = {thing.name: thing.key for thing in things}
        self._witness.report(things, at_ms)

    def things(self, at_ms: float) -> list[Thing]:
        """All that is seen at a time, from below to above."""
        troupe = self.scene.troupe
        things: list[Thing] = [Pile(self.setting, self.scene.layout.stock, self._stock_at(at_ms))]
        for track in troupe.cards:
            state = track.state(at_ms)
            if state is not None and state.where != "stock":
                things.append(CardThing(self.setting, track, state, at_ms, self.scene.layout.seats))
        for rank, (seat, left) in enumerate(sorted(troupe.hands, key=lambda key: (not key[1], key[0]))):
            hand = troupe.hands[seat, left]
            things += [ArmPart(self.setting, seat, hand, part, at_ms, rank) for part in ("below", "above")]
        return sorted(things, key=lambda thing: thing.order)

    def _stock_at(self, at_ms: float) -> int:
        counts = [count for time, count in self.scene.troupe.stock if time <= at_ms]
        return counts[-1] if counts else 52

    def _paint(self, things: list[Thing], at_ms: float) -> Image:
        changed = {t.name for t in things if self._previous.get(t.name, t.key) != t.key}
        # When a card of a packet moves, the fingers over it are drawn anew, or it would lie over them.
        stirred = {t.order[1] for t in things if t.name in changed and t.order[0] == 1}
        moving = [t for t in things if t.name in changed or (t.order[0] == 1 and t.order[1] in stirred)]
        still = [t for t in things if t not in moving]
        self._previous = {t.name: t.key for t in things}
        still_keys = [thing.key for thing in still]
        if still_keys != self._kept_keys:
            begin = _common(still_keys, self._kept_keys) if len(self._kept_keys) <= len(still_keys) else 0
            if begin < len(self._kept_keys):
                self._kept, begin = self._empty.copy(), 0
            elif begin == 0:
                self._kept = self._empty.copy()
            for thing in still[begin:]:
                thing.draw(self._kept, (at_ms, at_ms))
            self._kept_keys = still_keys
        picture = self._kept.copy()
        for thing in moving:
            thing.draw(picture, self._exposure(at_ms))
        return picture

    def _exposure(self, at_ms: float) -> tuple[float, float]:
        if not self.scene.spec.motion_blur:
            return (at_ms, at_ms)
        half = 250 / self.scene.spec.fps  # the shutter is open half the time between frames
        return (max(0.0, at_ms - half), at_ms + half)

    def _exposed(self, picture: Image, index: int, at_ms: float) -> Image:
        spec = self.scene.spec
        level = self._light.level(at_ms, self.scene.duration_ms)
        if spec.shake_px or spec.nudges:
            dx, dy = self._light.shake(at_ms)
            matrix = np.array([[1, 0, dx], [0, 1, dy]], np.float64)
            size = (spec.width, spec.height)
            picture = np.asarray(
                cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8
            )
        if abs(level - 1) > 0.002:
            picture = np.asarray(cv2.convertScaleAbs(picture, alpha=level), np.uint8)
        if not self._noise:
            return picture
        more, less = self._noise[(index * 5 + index // 7) % len(self._noise)]
        return np.asarray(cv2.subtract(cv2.add(picture, more), less), np.uint8)


def _common(a: list[Any], b: list[Any]) -> int:
    """How many of the first items of two lists are equal."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def _noise_frames(width: int, height: int, deviation: float, seed: int) -> list[tuple[Image, Image]]:
    """Sensor noise to add and to subtract; a few frames in turn are enough for the eye."""
    if deviation <= 0:
        return []
    rng = np.random.default_rng([seed, 8])
    frames = []
    for _ in range(_NOISE_FRAMES):
        noise = (
            rng.normal(0, deviation, (height, width, 1)) * 0.8
            + rng.normal(0, deviation, (height, width, 3)) * 0.45
        )
        frames.append(
            (
                np.clip(noise, 0, 255).round().astype(np.uint8),
                np.clip(-noise, 0, 255).round().astype(np.uint8),
            )
        )
    return frames
