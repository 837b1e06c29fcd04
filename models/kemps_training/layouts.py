"""How cards lie on the table: alone, in a fan, in a row, in a column, in a heap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kemps_training.cameras import Floats, project


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: its middle in table mm and its turn in radians."""

    x: float
    y: float
    turn: float


def choose_layout(
    rng: np.random.Generator, side: int, homography: Floats, card_length_px: float
) -> list[Pose]:
    """Cards of one picture in the order in which they were laid."""
    to_table = np.linalg.inv(homography)
    room = max(1.0, (side / (card_length_px * 1.35)) ** 2)
    groups = int(min(5, max(1, rng.poisson(room * 0.5) + 1)))
    poses: list[Pose] = []
    for _ in range(groups):
        middle = project(np.asarray(to_table, np.float64), rng.uniform(-0.02 * side, 1.02 * side, (1, 2)))[0]
        turn = rng.uniform(0, 2 * np.pi)
        for x, y, own_turn in _group(rng):
            cosine, sine = np.cos(turn), np.sin(turn)
            poses.append(
                Pose(middle[0] + cosine * x - sine * y, middle[1] + sine * x + cosine * y, turn + own_turn)
            )
    return poses


def _group(rng: np.random.Generator) -> list[tuple[float, float, float]]:
    kind = rng.choice(["lone", "fan", "row", "column", "heap"], p=[0.38, 0.34, 0.15, 0.06, 0.07])
    count = int(rng.integers(2, 7))
    if kind == "lone":
        return [(0.0, 0.0, 0.0)]
    if kind == "fan":
        return _fan(rng, count)
    if kind == "heap":
        return [
            (rng.normal(0, 28), rng.normal(0, 28), rng.uniform(0, 2 * np.pi)) for _ in range(min(count, 4))
        ]
    step = rng.uniform(11, 45) if kind == "row" else rng.uniform(18, 60)
    places = [(number - (count - 1) / 2) * step for number in range(count)]
    if kind == "row":
        return [(place, rng.normal(0, 3), rng.normal(0, 0.05)) for place in places]
    return [(rng.normal(0, 2), place, rng.normal(0, 0.05)) for place in places]


def _fan(rng: np.random.Generator, count: int) -> list[tuple[float, float, float]]:
    """Cards about a pivot below them; one fan in five is tight, one in ten is laid from the right."""
    radius = rng.uniform(60, 200)
    step = np.radians(rng.uniform(4, 24) if rng.random() < 0.8 else rng.uniform(2.5, 6))
    angles = [(number - (count - 1) / 2) * step * rng.uniform(0.75, 1.25) for number in range(count)]
    if rng.random() < 0.1:
        angles.reverse()
    return [(radius * np.sin(angle), radius - radius * np.cos(angle), angle) for angle in angles]
