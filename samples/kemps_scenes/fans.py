"""Pictures of one hand of at most six cards that overlap, in any light: what a reader of cards must master.

Unlike the stills, whose tables are those of the clips, these vary what a person may do at home: how a hand is
laid down, where the camera stands, how far away it is, what light there is; and the truth tells how much of
each index is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.backdrop import render_backdrop
from kemps_scenes.backs import BACKS
from kemps_scenes.camera import Camera, View
from kemps_scenes.canvas import Image
from kemps_scenes.deck import open_deck
from kemps_scenes.errors import SpecError
from kemps_scenes.indices import index_shares
from kemps_scenes.layout import CARD_M, Layout
from kemps_scenes.looks import DECKS
from kemps_scenes.motion import FACE_UP, CardPose
from kemps_scenes.spec import SURFACES, SceneSpec
from kemps_scenes.stills import CARD_Z, Still, lying_card, told
from kemps_scenes.things import Setting, quad_of
from kemps_scenes.witness import Witness

FAN_LIGHTS: Final = ("usual", "dim", "bright", "warm", "cool", "shadow")
MIN_CARD_PX: Final = 70.0
WHOLE: Final = 0.9
"""An index of which less is seen need not be read."""

_TABLES: Final = 6  # different tables, each with its surface, lamp and clutter; a surface takes long to make
_CARD_PX: Final = (74.0, 240.0)
_HALF: Final = (CARD_M[0] / 2, CARD_M[1] / 2)

_Laid = list[tuple[Card | None, CardPose]]


def random_fan(seed: int, *, deck: str | None = None, width: int = 1280, height: int = 720) -> Still:
    """A picture of two to six overlapping cards, everything drawn by lot from ``seed`` but deck and light.

    Decks, lights and the ways to lie (``fan``, ``row``, ``cascade``, ``heap``) take turns with the seed, so
    that any run of seeds shows all of them. The truth has, beside what a still tells, ``layout`` (``fan`` or
    ``overlap``), ``lying``, ``light``, ``tilt_deg``, ``card_px`` (mean length of the long sides) and for each
    card ``indices``, the visible share of each corner index.

    Raises:
        SpecError: There is no such deck.
    """
    if deck is not None and deck not in DECKS:
        raise SpecError(f"no deck {deck!r}; there are {', '.join(DECKS)}")
    rng = np.random.default_rng([seed, 401])
    names = list(DECKS)
    lying = _TURNS[(seed + seed // len(names)) % len(_TURNS)]  # so that each deck lies in all ways
    light = FAN_LIGHTS[seed % 7 % len(FAN_LIGHTS)]
    spec = _spec(rng, deck or names[seed % len(names)], width, height)
    look = open_deck(spec.deck, spec.back).look
    laid, view, shares = _seen_well(rng, lying, look.name, width, height)
    camera = Camera(view, width, height)
    backdrop = render_backdrop(spec, camera, Layout(4))
    setting = Setting(camera, open_deck(spec.deck, spec.back), backdrop.light, {})
    things = [lying_card(setting, index, card, pose) for index, (card, pose) in enumerate(laid)]
    picture = backdrop.picture.copy()
    for thing in things:
        thing.draw(picture, (0.0, 0.0))
    cards = [told(entry) for entry in Witness(camera).report(things, 0)["cards"]]
    truth: dict[str, Any] = {
        "layout": "fan" if lying == "fan" else "overlap",
        "lying": lying,
        "light": light,
        "tilt_deg": round(view.tilt_deg, 1),
        "card_px": round(float(np.mean([_long_side(camera, pose) for _, pose in laid])), 1),
        "size": [width, height],
        "spec": spec.as_json(),
        "cards": [{**entry, "indices": share} for entry, share in zip(cards, shares, strict=True)],
    }
    return Still(_photographed(picture, rng, light, spec.noise), truth)


def _spec(rng: np.random.Generator, deck: str, width: int, height: int) -> SceneSpec:
    table = int(rng.integers(_TABLES))
    return SceneSpec(
        seed=700 + table,
        width=width,
        height=height,
        deck=deck,
        back=str(rng.choice(list(BACKS))),
        surface=SURFACES[table % len(SURFACES)],
        clutter=str(rng.choice(["none", "some", "much"])),
        noise=float(rng.uniform(0.5, 4.0)),
    )


def _seen_well(
    rng: np.random.Generator, lying: str, deck: str, width: int, height: int
) -> tuple[_Laid, View, list[list[float]]]:
    """Cards and a view such that at least two of them, and all but one, show a whole index and are large."""
    while True:
        laid, view = _laid(rng, lying), _view(rng, width)
        camera = Camera(view, width, height)
        shares = index_shares(laid, DECKS[deck], camera)
        whole = sum(max(of_card) >= WHOLE for of_card in shares)
        shortest = min(_long_side(camera, pose) for _, pose in laid)
        if whole >= max(2, len(laid) - 1) and shortest >= MIN_CARD_PX:
            return laid, view, shares


def _view(rng: np.random.Generator, width: int) -> View:
    card_px = float(np.exp(rng.uniform(*np.log(_CARD_PX))))
    across = CARD_M[1] * width / card_px
    return View(
        tilt_deg=float(rng.uniform(0, 58)),
        yaw_deg=float(rng.uniform(-180, 180)),
        distance_m=across / float(rng.uniform(0.6, 1.2)),
        across_m=across,
        target_m=(float(rng.uniform(-0.05, 0.05)), float(rng.uniform(-0.04, 0.04))),
        roll_deg=float(rng.uniform(-12, 12)),
        k1=float(rng.uniform(-0.05, 0.0)),
    )


def _laid(rng: np.random.Generator, lying: str) -> _Laid:
    count, yaw = int(rng.integers(2, 7)), float(rng.uniform(-np.pi, np.pi))
    cards = [DECK_52[int(index)] for index in rng.permutation(52)[:count]]
    places = _WAYS[lying](rng, count)
    x, y = places[:, 0] - places[:, 0].mean(), places[:, 1] - places[:, 1].mean()
    c, s = float(np.cos(yaw)), float(np.sin(yaw))
    return [
        (
            card,
            CardPose(
                float(x[k] * c - y[k] * s),
                float(x[k] * s + y[k] * c),
                k * CARD_Z,
                yaw + places[k, 2],
                FACE_UP,
            ),
        )
        for k, card in enumerate(cards)
    ]


# Each way gives (n, 3) places before the hand is turned: x, y in metres and the card's own turn.
def _fan(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Spread round a point below the cards, each covering the right of the one before."""
    radius, shown = float(rng.uniform(0.05, 0.12)), float(rng.uniform(0.0115, 0.024))
    turns = (np.arange(count) - (count - 1) / 2) * -shown / (radius + 0.02)
    turns = turns + rng.normal(0, 0.015, count)
    return np.stack([-radius * np.sin(turns), radius * np.cos(turns), turns], axis=1)


def _row(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    step = float(rng.uniform(0.0125, 0.03))
    jitter = rng.normal(0, (0.001, 0.003, 0.03), (count, 3))
    return np.stack([np.arange(count) * step, np.zeros(count), np.zeros(count)], axis=1) + jitter


def _cascade(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    step = float(rng.uniform(0.022, 0.036))
    jitter = rng.normal(0, (0.002, 0.001, 0.03), (count, 3))
    return np.stack([np.zeros(count), np.arange(count) * -step, np.zeros(count)], axis=1) + jitter


def _heap(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    spread = 0.018 + 0.009 * count
    places = rng.normal(0, spread, (count, 2))
    return np.column_stack([places, rng.uniform(-np.pi, np.pi, count)])


_WAYS: Final[dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]]] = {
    "fan": _fan,
    "row": _row,
    "cascade": _cascade,
    "heap": _heap,
}
_TURNS: Final = ("fan", "row", "fan", "heap", "fan", "cascade")


def _long_side(camera: Camera, pose: CardPose) -> float:
    quad = quad_of(camera, pose)
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())


_EXPOSURES: Final = {
    "usual": ((0.8, 1.1), (1.0, 1.0, 1.0)),
    "dim": ((0.3, 0.5), (1.0, 0.97, 0.92)),
    "bright": ((1.2, 1.45), (1.0, 1.0, 1.0)),
    "warm": ((0.75, 1.0), (1.08, 0.94, 0.70)),
    "cool": ((0.75, 1.0), (0.84, 0.97, 1.12)),
    "shadow": ((0.9, 1.15), (1.0, 1.0, 1.0)),
}


def _photographed(picture: Image, rng: np.random.Generator, light: str, noise: float) -> Image:
    """The picture as a webcam stores it: exposure, colour of the light, blur, noise and JPEG."""
    range_, tint = _EXPOSURES[light]
    level = float(rng.uniform(*range_))
    blur = float(rng.uniform(0.0, 0.9))
    soft = cv2.GaussianBlur(picture, (0, 0), blur) if blur > 0.25 else picture
    exposed = soft.astype(np.float32) * level * np.asarray(tint, np.float32)
    exposed *= rng.uniform(0.97, 1.03, 3).astype(np.float32)
    if light == "shadow":
        exposed *= _cast_shadow(rng, picture.shape[1], picture.shape[0])[..., None]
    exposed += rng.normal(0, noise * (1.5 if light == "dim" else 1.0), exposed.shape).astype(np.float32)
    stored = np.clip(exposed, 0, 255).astype(np.uint8)
    quality = int(rng.integers(60, 96))
    _, data = cv2.imencode(
        ".jpg", cv2.cvtColor(stored, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality]
    )
    return np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR_RGB), dtype=np.uint8)


def _cast_shadow(rng: np.random.Generator, width: int, height: int) -> NDArray[np.float32]:
    """Brightness (h, w): a sharp-edged shadow over one side of the picture's middle."""
    angle, depth = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.35, 0.6))
    offset, softness = float(rng.normal(0, 0.04)) * width, float(rng.uniform(1.0, 5.0))
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    across = (xs - width / 2) * np.cos(angle) + (ys - height / 2) * np.sin(angle) - offset
    return np.asarray(depth + (1 - depth) * np.clip(0.5 + across / (2 * softness), 0, 1), np.float32)
