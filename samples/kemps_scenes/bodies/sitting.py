"""A clip of made-up people: who sits where, what they do, its frames one by one, and the exact truth.

The truth comes from the geometry that is drawn: where hands are, how near they come, what the table hides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kemps_scenes.bodies.acts import Act
from kemps_scenes.bodies.hand_shapes import HandReader, HandShape, visible_share
from kemps_scenes.bodies.lens import Lamp, Lens
from kemps_scenes.bodies.painter import Painter, Picture, Placed, Thing
from kemps_scenes.bodies.players import Player
from kemps_scenes.bodies.scenery import CENTRE_M, floor, held_card, held_fan, room
from kemps_scenes.bodies.witness import Seen, Witness, face_truth
from kemps_scenes.video import ClipWriter

FORMAT: Final = 1
_QUALITY: Final = 21


@dataclass(frozen=True, eq=False, slots=True)
class SittingFrame:
    """One frame: its time, its picture (h, w, 3) and what is in it."""

    index: int
    at_ms: int
    pixels: Picture
    truth: dict[str, Any]


@dataclass(eq=False, slots=True)
class Sitting:
    """A scripted clip.

    Attributes:
        name: Of the script.
        lens: The camera.
        lamp: The light.
        players: Who is there.
        acts: What hands do, in the order of time.
        things: Table and cards that lie still.
        duration_ms: How long it lasts.
        fps: Frames a second.
        seed: Of noise, table and room.
        samples: For smooth edges; see `painter.Painter`.
        noise: The camera's noise, in steps of 256.
    """

    name: str
    lens: Lens
    lamp: Lamp
    players: list[Player]
    acts: list[Act]
    things: list[Thing]
    duration_ms: int
    fps: int = 15
    seed: int = 0
    samples: int = 4
    noise: float = 2.5
    _witness: Witness | None = field(default=None, init=False)

    @property
    def frame_count(self) -> int:
        """How many frames it has."""
        return self.duration_ms * self.fps // 1000

    def frames(self) -> Iterator[SittingFrame]:
        """The frames, drawn as they are asked for.

        Raises:
            PaintError: There is no software OpenGL.
        """
        backdrop = self._backdrop()
        grain = np.random.default_rng([self.seed, 71])
        noise = grain.normal(0, self.noise, (self.lens.height + 32, self.lens.width + 32, 1))
        noise = np.asarray(noise + grain.normal(0, self.noise * 0.5, (*noise.shape[:2], 3)), np.int8)
        with Painter(self.lens.width, self.lens.height, self.samples) as painter:
            for index, (at_ms, people, hands, truth) in enumerate(self.watch()):
                things = self.things + self._carried(at_ms)
                pixels = painter.draw(self.lens, self.lamp, people, things, backdrop)
                if not self.samples:
                    depth = painter.depth_m()
                    for row, hand in zip(truth["hands"], hands, strict=True):
                        row["visible"] = round(visible_share(hand, self.lens, depth), 2)
                yield SittingFrame(index, at_ms, self._exposed(pixels, noise, grain), truth)

    def watch(self) -> Iterator[tuple[int, list[Placed], list[HandShape], dict[str, Any]]]:
        """The time, the posed people, their hands and the truth of each frame, without drawing any.

        Drawn table clips also know how much of each hand is ``visible``.
        """
        witness = Witness(self.lens, self.players, self.acts)
        readers = {player.seat: HandReader(player) for player in self.players}
        for index in range(self.frame_count):
            at_ms = round(index * 1000 / self.fps)
            seen = [self._see(player, at_ms) for player in self.players]
            together = list(zip(self.players, seen, strict=True))
            hands = [
                hand
                for player, view in together
                for hand in readers[player.seat].read(view.placed, view.posed)
            ]
            faces = [face_truth(player, view, self.lens) for player, view in together]
            truth = {
                "at_ms": at_ms,
                "faces": [face for face in faces if face],
                "hands": witness.watch(at_ms, hands),
            }
            yield at_ms, [view.placed for view in seen], hands, truth
        self._witness = witness

    def truth(self, frames: list[dict[str, Any]]) -> dict[str, Any]:
        """The truth document of a clip that was drawn or watched to its end; ``frames``: their truths."""
        if self._witness is None:
            raise RuntimeError("the truth of a clip is known when all its frames were drawn or watched")
        gestures = [
            {
                "seat": p.seat,
                "gesture": g.kind,
                "at_ms": g.at_ms,
                "until_ms": g.until_ms,
                "strength": g.strength,
            }
            for p in self.players
            for g in sorted([*p.gestures, *p.behaviour.gestures], key=lambda g: g.at_ms)
        ]
        return {
            "clip": self.name,
            "format": FORMAT,
            "fps": self.fps,
            "size": [self.lens.width, self.lens.height],
            "duration_ms": self.duration_ms,
            "seats": "".join(p.seat for p in self.players),
            "camera": {
                "eye_m": list(self.lens.eye),
                "at_m": list(self.lens.target),
                "fov": self.lens.fov_deg,
            },
            "seats_at": {p.seat: self._seat_at(p) for p in self.players},
            "gestures": gestures,
            "talks": [
                {"seat": p.seat, "at_ms": start, "until_ms": end}
                for p in self.players
                for start, end in p.behaviour.talking
            ],
            "acts": [_act_truth(act) for act in self.acts],
            **self._witness.spans(1000 / self.fps),
            "frames": frames,
        }

    def write(self, path: Path) -> dict[str, Any]:
        """Writes the clip as an MP4, its truth as JSON and a table.toml beside it; gives the truth."""
        rows = []
        path.parent.mkdir(parents=True, exist_ok=True)
        size = {"width": self.lens.width, "height": self.lens.height}
        with ClipWriter(path, **size, fps=self.fps, quality=_QUALITY, preset="veryfast") as writer:
            for frame in self.frames():
                writer.write(frame.pixels)
                rows.append(frame.truth)
        document = self.truth(rows)
        path.with_suffix(".table.toml").write_text(self.table_toml(rows), "utf-8")
        path.with_suffix(".json").write_text(json.dumps(document, separators=(",", ":")), "utf-8")
        return document

    def table_toml(self, frames: list[dict[str, Any]]) -> str:
        """A ``table.toml`` for the clip: centre and seats, or the faces of the first frame."""
        size = f"size = [{self.lens.width}, {self.lens.height}]"
        faces = {face["seat"]: face["box"] for face in frames[0]["faces"]} if frames else {}
        if self.is_of_table:
            corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            points = [(x * CENTRE_M[0], y * CENTRE_M[1], 0.0) for x, y in corners]
            seen = ", ".join(f"[{x:.0f}, {y:.0f}]" for x, y, _ in self.lens.project(np.array(points)))
            lines = ["[[camera]]", 'name = "table"', 'role = "table"', size, f"centre = [{seen}]"]
        else:
            lines = ["[[camera]]", 'name = "faces"', 'role = "faces"', size]
        for player in self.players:
            lines += ["", "[[seat]]", f'id = "{player.seat}"']
            if self.is_of_table:
                lines.append(f"at = {self._seat_at(player)}")
            elif player.seat in faces:
                x0, y0, x1, y1 = faces[player.seat]
                lines.append(f'face = {{ camera = "faces", box = [{x0}, {y0}, {x1 - x0}, {y1 - y0}] }}')
        return "\n".join(lines) + "\n"

    @property
    def is_of_table(self) -> bool:
        """Whether it is seen by a table camera from above, not by one for faces."""
        return self.lens.eye[2] - self.lens.target[2] > 0.8

    def _see(self, player: Player, at_ms: int) -> Seen:
        posture = player.posture(at_ms)
        sitter = player.sitter
        turns = sitter.turns(posture)
        placed = Placed(sitter.figure, *sitter.figure.posed(posture.units, turns), sitter.model)
        return Seen(posture, placed, sitter.figure.skeleton.pose(turns))

    def _carried(self, at_ms: int) -> list[Thing]:
        things = []
        for player in self.players:
            if player.fan:
                goal = player.paths["L"].goal(at_ms)
                things += held_fan(goal.wrist, goal.along, goal.palm)
        for act in self.acts:
            if "from" in act.more and act.at_ms <= at_ms < act.until_ms:
                is_given = at_ms > sum(act.core_ms) / 2
                hand = act.hands[1 if is_given else 0]
                player = next(player for player in self.players if player.seat == hand[0])
                goal = player.paths[hand[1]].goal(at_ms)
                things.append(held_card(goal.wrist, goal.along, goal.palm))
        return things

    def _backdrop(self) -> Picture:
        make = floor if self.is_of_table else room
        return make(self.lens.width, self.lens.height, self.seed)

    def _exposed(self, pixels: Picture, noise: np.ndarray[Any, Any], grain: np.random.Generator) -> Picture:
        x, y = (int(v) for v in grain.integers(0, 32, 2))
        part = noise[y : y + self.lens.height, x : x + self.lens.width]
        soft = cv2.GaussianBlur(pixels, (3, 3), 0.6 if self.samples else 0.8)
        return np.asarray(cv2.add(soft, part, dtype=cv2.CV_8U), np.uint8)

    def _seat_at(self, player: Player) -> list[int]:
        x, y, _ = self.lens.project(player.before(0.0, 0.0, 0.0))
        return [round(float(x)), round(float(y))]


def _act_truth(act: Act) -> dict[str, Any]:
    return {
        "kind": act.kind,
        "hands": list(act.hands),
        "at_ms": act.at_ms,
        "until_ms": act.until_ms,
        "core_ms": list(act.core_ms),
        **act.more,
    }
