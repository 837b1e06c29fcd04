"""What is to be seen in each frame of a clip: faces, hands, contacts and hidden hands, measured."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from kemps_scenes.bodies.acts import Act
from kemps_scenes.bodies.hand_shapes import (
    CONTACT_M,
    NEAR_M,
    HandShape,
    gap_m,
    hidden_by_body,
    hidden_by_table,
)
from kemps_scenes.bodies.lens import Lens
from kemps_scenes.bodies.painter import Placed
from kemps_scenes.bodies.players import Player
from kemps_scenes.bodies.posture import Posture
from kemps_scenes.bodies.skeleton import Array

_HIDDEN_SHARE: Final = 0.9  # of a hand's landmarks, for it to count as hidden
_LEAST_HIDDEN_MS: Final = 200
_FACE_ABOVE_DM: Final = 6.2
_CENTRE_M: Final = 0.2  # half the side of the square that counts as the centre
_BEND_MS: Final = 80  # gaps in a contact that are shorter belong to it


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """A player in one frame: the posture, the surface, and the transforms of the bones."""

    posture: Posture
    placed: Placed
    posed: Array


class Witness:
    """Watches the hands of a clip from frame to frame."""

    def __init__(self, lens: Lens, players: list[Player], acts: list[Act]) -> None:
        self._lens = lens
        self._players = {player.seat: player for player in players}
        self._acts = acts
        self._touching: dict[tuple[str, str], list[tuple[int, float, float, float]]] = {}
        self._hidden: dict[tuple[str, str], list[tuple[int, str]]] = {}
        self._over: dict[str, list[int]] = {}

    def watch(self, at_ms: int, hands: list[HandShape]) -> list[dict[str, Any]]:
        """Takes the hands of a frame in; gives their rows for the truth."""
        for one, two in combinations(hands, 2):
            if one.seat != two.seat:
                self._compare(at_ms, one, two)
        return [self._look_at(at_ms, hand) for hand in hands]

    def spans(self, step_ms: float) -> dict[str, list[dict[str, Any]]]:
        """Contacts, near misses, hidden hands and hands over the centre as spans of time."""
        return {
            "contacts": self._contacts(step_ms),
            "near": [
                {"hands": list(pair), "min_mm": round(1000 * min(gap for _, gap, _, _ in rows), 1)}
                for pair, rows in sorted(self._touching.items())
            ],
            "hidden": self._hidden_spans(step_ms),
            "over_centre": [
                {"hand": hand, "at_ms": start, "until_ms": end}
                for hand, times in sorted(self._over.items())
                for start, end in _runs(times, step_ms)
            ],
        }

    def _compare(self, at_ms: int, one: HandShape, two: HandShape) -> None:
        gap = gap_m(one, two)
        if gap <= NEAR_M:
            middle = (one.landmarks.mean(axis=0) + two.landmarks.mean(axis=0)) / 2
            pair = (one.seat + one.side, two.seat + two.side)
            centre_m = float(np.abs(middle[:2]).max())
            self._touching.setdefault(pair, []).append((at_ms, gap, float(middle[2]), centre_m))

    def _look_at(self, at_ms: int, hand: HandShape) -> dict[str, Any]:
        seen = self._lens.project(hand.landmarks)
        inside = _inside(seen, self._lens)
        below = hidden_by_table(hand.landmarks, self._lens)
        behind = hidden_by_body(hand.landmarks, self._players[hand.seat], self._lens)
        if (below | behind).mean() >= _HIDDEN_SHARE and inside.mean() > 0.5:
            why = "below_table" if below.mean() >= behind.mean() else "behind_body"
            self._hidden.setdefault((hand.seat, hand.side), []).append((at_ms, why))
        tips = hand.landmarks[[4, 8, 12, 16, 20]]
        if ((np.abs(tips[:, :2]) < _CENTRE_M).all(axis=1) & (tips[:, 2] > -0.02)).any():
            self._over.setdefault(hand.seat + hand.side, []).append(at_ms)
        return hand_truth(hand, seen, float(inside.mean()), float((below | behind).mean()))

    def _contacts(self, step_ms: float) -> list[dict[str, Any]]:
        found = []
        for pair, rows in self._touching.items():
            close = {at: (gap, up, off) for at, gap, up, off in rows if gap <= CONTACT_M}
            for start, end in _runs(list(close), step_ms + _BEND_MS):
                inside = [value for at, value in close.items() if start <= at <= end]
                up, off = (float(np.median([value[i] for value in inside])) for i in (1, 2))
                where = "below_table" if up < -0.01 else "centre" if off < _CENTRE_M * 0.8 else "over_table"
                found.append(
                    {
                        "seats": [pair[0][0], pair[1][0]],
                        "hands": list(pair),
                        "at_ms": start,
                        "until_ms": round(end + step_ms),
                        "where": where,
                        "min_mm": round(1000 * min(value[0] for value in inside), 1),
                    }
                )
        return sorted(found, key=lambda row: (row["at_ms"], row["hands"]))

    def _hidden_spans(self, step_ms: float) -> list[dict[str, Any]]:
        found = []
        for (seat, side), rows in self._hidden.items():
            why = dict(rows)
            for start, end in _runs(list(why), step_ms):
                if end + step_ms - start >= _LEAST_HIDDEN_MS:
                    until = round(end + step_ms)
                    row = {"seat": seat, "side": side, "at_ms": start, "until_ms": until, "why": why[start]}
                    found.append(row)
        return sorted(found, key=lambda row: (row["at_ms"], row["seat"]))


def hand_truth(hand: HandShape, seen: np.ndarray[Any, Any], inside: float, hidden: float) -> dict[str, Any]:
    """A hand's row in a frame: its box and landmarks in pixels, its shares in the picture and hidden."""
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    return {
        "seat": hand.seat,
        "side": hand.side,
        "box": [round(float(v)) for v in (*low, *high)],
        "in_frame": round(inside, 2),
        "hidden": round(hidden, 2),
        "points": [[round(float(x), 1), round(float(y), 1)] for x, y, _ in seen],
    }


def face_truth(player: Player, view: Seen, lens: Lens) -> dict[str, Any] | None:
    """A face's row in a frame; None when nothing of it is in the picture or it shows the back of the head.

    ``yaw`` and ``pitch`` say how far the face is turned away from the camera: to the person's left, and down.
    """
    figure = player.sitter.figure
    is_face = (figure.front > 0.5) & (figure.base[:, 1] > _FACE_ABOVE_DM) & (figure.colours[:, 3] == 0)
    points = player.sitter.to_world(view.placed.points[is_face])
    seen = lens.project(points)
    inside = _inside(seen, lens)
    head = view.posed[figure.skeleton.index["head"], :, :3]
    way = player.sitter.axes @ head @ np.array([0.0, 0.0, 1.0])
    to_eye = np.asarray(lens.eye) - points.mean(axis=0)
    to_eye /= np.linalg.norm(to_eye)
    facing = float(way @ to_eye)
    if inside.mean() < 0.3 or facing < 0:
        return None
    body = player.sitter.axes.T
    own, camera = body @ way, body @ to_eye
    turned = np.arctan2(own[0], own[2]) - np.arctan2(camera[0], camera[2])
    lowered = np.arcsin(np.clip(camera[1], -1, 1)) - np.arcsin(np.clip(own[1], -1, 1))
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    return {
        "seat": player.seat,
        "box": [round(float(v)) for v in (*low, *high)],
        "in_frame": round(float(inside.mean()), 2),
        "yaw": round(float(np.degrees(turned)), 1),
        "pitch": round(float(np.degrees(lowered)), 1),
        "roll": round(view.posture.roll, 1),
        "units": {name: round(value, 3) for name, value in view.posture.units.items() if value > 0.005},
    }


def _inside(seen: np.ndarray[Any, Any], lens: Lens) -> np.ndarray[Any, Any]:
    x, y, depth = seen.T
    return np.asarray((x >= 0) & (x < lens.width) & (y >= 0) & (y < lens.height) & (depth > 0))


def _runs(times: list[int], step_ms: float) -> list[tuple[int, int]]:
    """Spans of times that follow each other within a step (and a little)."""
    runs: list[tuple[int, int]] = []
    for at in sorted(times):
        if runs and at - runs[-1][1] <= step_ms * 1.5:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    return runs
