"""Pictures of random tables for those who read cards: cards apart, overlapping or in fans, with truth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.backdrop import render_backdrop
from kemps_scenes.backs import BACKS
from kemps_scenes.camera import VIEWS, Camera
from kemps_scenes.canvas import Image
from kemps_scenes.deck import Deck, open_deck
from kemps_scenes.errors import SpecError
from kemps_scenes.layout import Layout
from kemps_scenes.looks import DECKS
from kemps_scenes.motion import FACE_DOWN, FACE_UP, CardPose, CardState, CardTrack
from kemps_scenes.spec import SURFACES, SceneSpec
from kemps_scenes.things import CardThing, Setting
from kemps_scenes.witness import Witness

STILL_LAYOUTS: Final = ("separate", "overlapping", "fan")
CARD_Z: Final = 0.0006
"""How much higher, in metres, each card of a heap lies."""


@dataclass(frozen=True, eq=False, slots=True)
class Still:
    """A picture and what it shows.

    Attributes:
        pixels: RGB uint8 (h, w, 3).
        truth: ``{"layout": …, "size": [w, h], "cards": [{"card", "face_to_camera", "visible", "quad"}, …]}``;
            a card that shows its back is listed with ``"card": null``.
    """

    pixels: Image
    truth: dict[str, Any]


def random_still(
    seed: int,
    *,
    layout: str | None = None,
    width: int = 1280,
    height: int = 720,
    deck: Deck | None = None,
) -> Still:
    """A picture of a table with cards lying about, everything drawn by lot from ``seed`` but a given deck.

    Raises:
        SpecError: There is no such layout.
    """
    if layout is not None and layout not in STILL_LAYOUTS:
        raise SpecError(f"no layout {layout!r}; there are {', '.join(STILL_LAYOUTS)}")
    rng = np.random.default_rng([seed, 400])
    kind = layout or str(rng.choice(STILL_LAYOUTS))
    spec = _random_spec(rng, seed, width, height)
    camera = Camera(spec.view, width, height)
    backdrop = render_backdrop(spec, camera, Layout(4))
    setting = Setting(camera, deck or open_deck(spec.deck, spec.back), backdrop.light, {})
    things = [
        lying_card(setting, index, card, pose) for index, (card, pose) in enumerate(_lay_about(rng, kind))
    ]
    picture = backdrop.picture.copy()
    for thing in things:
        thing.draw(picture, (0.0, 0.0))
    cards = [told(entry) for entry in Witness(camera).report(things, 0)["cards"]]
    truth = {"layout": kind, "size": [width, height], "spec": spec.as_json(), "cards": cards}
    return Still(_photographed(picture, rng, spec.noise), truth)


def write_still(seed: int, path: Path | str, *, layout: str | None = None) -> Still:
    """Writes a random still as PNG or JPEG, its truth as JSON beside it.

    Raises:
        OSError: The picture cannot be written.
    """
    still, file = random_still(seed, layout=layout), Path(path)
    if not cv2.imwrite(
        str(file), cv2.cvtColor(still.pixels, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 90]
    ):
        raise OSError(f"{file} cannot be written; the name should end in .png or .jpg")
    file.with_suffix(".json").write_text(json.dumps({"image": file.name, **still.truth}) + "\n", "utf-8")
    return still


def _random_spec(rng: np.random.Generator, seed: int, width: int, height: int) -> SceneSpec:
    return SceneSpec(
        seed=seed,
        width=width,
        height=height,
        deck=str(rng.choice(list(DECKS))),
        back=str(rng.choice(list(BACKS))),
        surface=str(rng.choice(SURFACES)),
        camera=str(rng.choice(list(VIEWS))),
        clutter=str(rng.choice(["none", "some", "much"])),
        noise=float(rng.uniform(0.5, 4.0)),
    )


def _lay_about(rng: np.random.Generator, kind: str) -> list[tuple[Card | None, CardPose]]:
    deck = [DECK_52[int(index)] for index in rng.permutation(52)]
    if kind == "separate":
        return _separate(rng, deck)
    laid: list[tuple[Card | None, CardPose]] = []
    for x, y in ((-0.2, 0.07), (0.16, -0.04), (-0.12, -0.12))[: int(rng.integers(1, 4))]:
        count, yaw = int(rng.integers(3, 6)), float(rng.uniform(-np.pi, np.pi) * 0.3)
        step = float(rng.uniform(9, 17)) if kind == "fan" else 0.0
        for k in range(count):
            pose = (
                _fanned(x, y, yaw, k, count, step)
                if step
                else _stepped(x, y, yaw, k, float(rng.uniform(0.020, 0.028)))
            )
            laid.append((deck.pop(), CardPose(pose.x, pose.y, len(laid) * CARD_Z, pose.yaw, FACE_UP)))
    return laid


def _separate(rng: np.random.Generator, deck: list[Card]) -> list[tuple[Card | None, CardPose]]:
    cells = [(x, y) for x in (-0.30, -0.18, -0.06, 0.06, 0.18, 0.30) for y in (-0.12, 0.0, 0.12)]
    laid: list[tuple[Card | None, CardPose]] = []
    for index in rng.permutation(len(cells))[: int(rng.integers(4, 11))]:
        x, y = cells[int(index)]
        dx, dy = (float(v) for v in rng.uniform(-0.006, 0.006, 2))
        is_back = rng.uniform() < 0.12
        pose = CardPose(
            x + dx, y + dy, 0.0, float(rng.uniform(-np.pi, np.pi)), FACE_DOWN if is_back else FACE_UP
        )
        laid.append((None if is_back else deck.pop(), pose))
    return laid


def _fanned(x: float, y: float, yaw: float, k: int, count: int, step_deg: float) -> CardPose:
    turn = yaw + float(np.radians(step_deg)) * ((count - 1) / 2 - k)
    return CardPose(x - 0.115 * float(np.sin(turn)), y + 0.115 * float(np.cos(turn)) - 0.1, 0.0, turn)


def _stepped(x: float, y: float, yaw: float, k: int, step: float) -> CardPose:
    return CardPose(
        x + k * step * float(np.cos(yaw)), y + k * step * float(np.sin(yaw)), 0.0, yaw + 0.02 * (k % 3 - 1)
    )


def lying_card(setting: Setting, index: int, card: Card | None, pose: CardPose) -> CardThing:
    """A card that lies still; ``index`` tells how high."""
    track = CardTrack(index, card)
    track.put(0.0, "table", pose, index)
    return CardThing(setting, track, CardState(0.0, "table", pose, index), 0.0, "ABCD")


def told(entry: dict[str, Any]) -> dict[str, Any]:
    """What the truth of a still says of a card."""
    return {name: entry[name] for name in ("card", "face_to_camera", "visible", "quad")}


def _photographed(picture: Image, rng: np.random.Generator, noise: float) -> Image:
    blur = float(rng.uniform(0.0, 0.9))
    soft: NDArray[np.uint8] = picture
    if blur > 0.25:
        soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8)
    exposed = (
        soft.astype(np.float32)
        * float(rng.uniform(0.78, 1.15))
        * rng.uniform(0.95, 1.05, 3).astype(np.float32)
    )
    exposed += rng.normal(0, noise, exposed.shape).astype(np.float32)
    return np.asarray(np.clip(exposed, 0, 255), np.uint8)
