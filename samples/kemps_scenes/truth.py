"""The truth beside a clip, in the format of `samples/README.md`, and files to give to `kemps observe`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.events import Called, Event, GameOpened
from kemps_rules.journal import format_event
from kemps_scenes.camera import Camera
from kemps_scenes.layout import CARD_M, Layout
from kemps_scenes.motion import CardPose
from kemps_scenes.script import Scene
from kemps_scenes.things import quad_of

FORMAT: Final = 1
_SIDES: Final = {
    4: "A south, B west, C north, D east",
    6: "A south, then clockwise",
    8: "A south, then clockwise",
}


@dataclass(frozen=True, slots=True)
class ClipPaths:
    """A clip ``demo.mp4`` and what lies beside it: ``demo.json``, ``demo.game.jsonl`` and so on."""

    clip: Path
    truth: Path
    journal: Path
    calls: Path
    table: Path

    @classmethod
    def of(cls, clip: Path) -> ClipPaths:
        """The files beside a clip of that name."""
        stem = clip.with_suffix("")
        beside = [
            stem.with_name(stem.name + end) for end in (".json", ".game.jsonl", ".calls.jsonl", ".table.toml")
        ]
        return cls(clip, *beside)

    def all_there(self) -> bool:
        """Whether every file exists."""
        return all(path.is_file() for path in (self.clip, self.truth, self.journal, self.calls, self.table))


@dataclass(frozen=True, slots=True)
class Truth:
    """What a clip shows, exactly.

    Attributes:
        document: What is written as JSON.
    """

    document: dict[str, Any]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Takes, lays, shows and so on, sorted by their beginning."""
        return list(self.document["events"])

    @property
    def centre(self) -> list[dict[str, Any]]:
        """The centre after each change."""
        return list(self.document["centre"])

    @property
    def frames(self) -> list[dict[str, Any]]:
        """Hands and cards of each frame."""
        return list(self.document["frames"])


def truth_of(scene: Scene, camera: Camera, name: str, frames: Sequence[dict[str, Any]]) -> Truth:
    """The truth document of a rendered scene."""
    spec, layout = scene.spec, scene.layout
    count = len(layout.seats)
    pairs = ", ".join("/".join((layout.seats[i], layout.seats[i + count // 2])) for i in range(count // 2))
    return Truth(
        {
            "clip": name,
            "format": FORMAT,
            "fps": spec.fps,
            "size": [spec.width, spec.height],
            "duration_ms": scene.duration_ms,
            "seats": f"{_SIDES[count]} (clockwise from above); partners {pairs}",
            "seats_at": {seat: _seat_at(layout, camera, seat) for seat in layout.seats},
            "camera": {
                "preset": spec.camera,
                "eye_m": [round(float(v), 3) for v in camera.eye],
                "k1": camera.view.k1,
            },
            "table_half_m": list(layout.table_half),
            "card_m": list(CARD_M),
            "spec": spec.as_json(),
            "slots": _slots(layout, camera),
            "centre": list(scene.centre),
            "events": list(scene.happenings),
            "measured_contacts": [],
            "frames": list(frames),
        }
    )


def _slots(layout: Layout, camera: Camera) -> list[dict[str, Any]]:
    return [
        {
            "slot": index,
            "table_m": [round(place.x, 4), round(place.y, 4)],
            "yaw_deg": round(float(np.degrees(place.yaw)), 1),
            "is_spare": index >= layout.own_slots,
            "nominal_quad": _rounded(quad_of(camera, CardPose(place.x, place.y, 0.0, place.yaw))),
        }
        for index, place in enumerate(layout.slots[: layout.near_slots])
    ]


def _rounded(points: NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def _seat_at(layout: Layout, camera: Camera, seat: str) -> list[int]:
    """Where a seat's player sits, in pixels; may lie outside the picture."""
    half_x, half_y = layout.packet_ring
    x, y = layout.at(seat, (half_x + 0.12, half_y + 0.12))
    return [round(float(v)) for v in camera.project(np.array([x, y, 0.0]))]


def table_toml(scene: Scene, camera: Camera, *, is_close: bool = False) -> str:
    """A `table.toml` for the scene: the centre and where everyone sits, in pixels of the clip.

    The centre is an upright box, or with ``is_close`` one that is turned as the cards are: seen from a corner
    of the table an upright box holds places of shown hands too.
    """
    quads = np.array([slot["nominal_quad"] for slot in _slots(scene.layout, camera)]).reshape(-1, 2)
    (x0, y0), (x1, y1) = quads.min(axis=0) - 14, quads.max(axis=0) + 14
    box = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    if is_close:
        middle, (width, height), turn = cv2.minAreaRect(quads.astype(np.float32))
        box = cv2.boxPoints((middle, (width + 28, height + 28), turn))
    corners = ", ".join(f"[{x:.0f}, {y:.0f}]" for x, y in box)
    names = next((event.seats for event in scene.events if isinstance(event, GameOpened)), {})
    lines = [
        'rules = "leaflet"',
        'deck = "any"',
        "",
        "[[camera]]",
        'name = "table"',
        'role = "table"',
        f"size = [{camera.width}, {camera.height}]",
        f"centre = [{corners}]",
    ]
    for seat in scene.layout.seats:
        x, y = _seat_at(scene.layout, camera, seat)
        name = json.dumps(names.get(seat, f"Player {seat}"), ensure_ascii=False)
        lines += ["", "[[seat]]", f'id = "{seat}"', f"name = {name}", f"at = [{x}, {y}]"]
    return "\n".join(lines) + "\n"


def write_beside(paths: ClipPaths, scene: Scene, camera: Camera, truth: Truth) -> None:
    """Writes truth, journal, calls and table.toml beside a clip."""
    paths.truth.write_text(_compact(truth.document), "utf-8")
    paths.journal.write_text(_lines(scene.events), "utf-8")
    paths.calls.write_text(_lines([event for event in scene.events if isinstance(event, Called)]), "utf-8")
    paths.table.write_text(table_toml(scene, camera), "utf-8")


def _lines(events: Sequence[Event]) -> str:
    return "".join(format_event(event) + "\n" for event in events)


def _compact(document: dict[str, Any]) -> str:
    """JSON with a line a frame, which can be looked at and compared."""
    head = {key: value for key, value in document.items() if key != "frames"}
    body = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    rows = ",\n".join(
        json.dumps(frame, ensure_ascii=False, separators=(",", ":")) for frame in document["frames"]
    )
    return f'{body[:-1]},"frames":[\n{rows}\n]}}\n'
