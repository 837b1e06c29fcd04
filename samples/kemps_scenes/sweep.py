"""A deck dealt card by card onto one place before a camera: what ``kemps enrol`` watches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kemps_rules.cards import Card
from kemps_scenes.backdrop import render_backdrop
from kemps_scenes.camera import Camera, View
from kemps_scenes.canvas import Image
from kemps_scenes.deck import Deck
from kemps_scenes.layout import Layout
from kemps_scenes.motion import FACE_UP, CardPose
from kemps_scenes.spec import SceneSpec
from kemps_scenes.stills import CARD_Z, lying_card
from kemps_scenes.things import Setting

_STEP_MS: Final = 200
_RESTING: Final = 5  # frames that each card lies still: a second
_JITTER_M: Final = 0.003
_JITTER_RAD: Final = 0.04
SWEEP_VIEW: Final = View(tilt_deg=18.0, distance_m=0.9, across_m=0.62, target_m=(0.0, 0.0), k1=-0.02)
"""A camera over the middle of a table, a card about 180 px long."""


@dataclass(frozen=True, eq=False, slots=True)
class SweepFrame:
    """One frame of a sweep.

    Attributes:
        at_ms: Its time.
        pixels: RGB uint8 (h, w, 3).
        card: The card that lies still on top, or None while one is being laid.
    """

    at_ms: int
    pixels: Image
    card: Card | None


def render_sweep(
    deck: Deck,
    cards: Sequence[Card],
    *,
    seed: int,
    view: View = SWEEP_VIEW,
    surface: str = "felt",
    size: tuple[int, int] = (1280, 720),
) -> Iterator[SweepFrame]:
    """The frames, five a second, of a hand-dealt pile: each card moves in for 0.4 s and lies for 1 s.

    No hand is drawn; cards lie as unevenly as people lay them, up to 3 mm and 2 degrees off the place.
    """
    rng = np.random.default_rng([seed, 402])
    spec = SceneSpec(seed=seed, width=size[0], height=size[1], surface=surface, clutter="some")
    camera = Camera(view, *size)
    backdrop = render_backdrop(spec, camera, Layout(4))
    setting = Setting(camera, deck, backdrop.light, {})
    noise = _Noise(rng, backdrop.picture)
    lying, at_ms = backdrop.picture.copy(), 0
    for height, card in enumerate(cards):
        dx, dy, turn = rng.normal(0, (_JITTER_M / 2, _JITTER_M / 2, _JITTER_RAD / 2))
        for share in (0.55, 0.15):
            pose = CardPose(dx + 0.22 * share, dy - 0.2 * share, 0.05 * share, turn + 0.6 * share, FACE_UP)
            moving = lying.copy()
            lying_card(setting, height, card, pose).draw(moving, (0.0, 0.0))
            yield SweepFrame(at_ms, noise.on(cv2.blur(moving, (5, 5))), None)
            at_ms += _STEP_MS
        pose = CardPose(dx, dy, height * CARD_Z * 0.5, turn, FACE_UP)
        lying_card(setting, height, card, pose).draw(lying, (0.0, 0.0))
        for _ in range(_RESTING):
            yield SweepFrame(at_ms, noise.on(lying), card)
            at_ms += _STEP_MS


class _Noise:
    """Sensor noise drawn once and shifted about, which is as good to look at and much faster."""

    def __init__(self, rng: np.random.Generator, picture: Image, sigma: float = 2.0) -> None:
        self._rng = rng
        self._grain = rng.normal(0, sigma, picture.shape).astype(np.int8)

    def on(self, picture: cv2.typing.MatLike) -> Image:
        """The picture with noise, a little brighter or darker than the last."""
        shift = tuple(int(v) for v in self._rng.integers(0, picture.shape[:2]))
        grain = np.roll(self._grain, shift, axis=(0, 1)).astype(np.int16)
        level = float(self._rng.normal(1.0, 0.004))
        noisy = cv2.convertScaleAbs(np.asarray(picture), alpha=level).astype(np.int16) + grain
        return np.asarray(np.clip(noisy, 0, 255), np.uint8)
