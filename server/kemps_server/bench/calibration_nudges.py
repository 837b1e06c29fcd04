"""Made-up games whose camera is nudged: how soon it is noticed, how well zones follow, and false alarms.

A game is rendered wider than the camera's picture; what the camera sees is a part of it, turned, shifted and
zoomed as after a knock at its arm. Once a minute somebody switches a lamp, and the arm trembles throughout.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_server.bench.people_shares import rate, share
from kemps_vision.calibration.drift import CameraDrift
from kemps_vision.frame import Image

FIRST_SEED: Final = 58_301
CALM_SHARE: Final = 0.5  # of a game before the first nudge: there every alarm is a false one
NUDGES: Final = 5
SIZE: Final = (1280, 720)
WIDE: Final = (1600, 900)
LATE_S: Final = 10
GAINS: Final = (0.45, 0.7, 1.0, 1.25)
_LOOKS: Final = (
    ("arm", "felt", "none", "held"),
    ("above", "wood", "some", "lying"),
    ("corner", "gingham", "much", "held"),
    ("above", "felt", "none", "lying"),
    ("oblique", "cloth", "some", "held"),
    ("wide", "slate", "none", "lying"),
)

Floats = NDArray[np.float64]


@dataclass(slots=True)
class NudgeResult:
    """One game.

    Attributes:
        names: What it looks like.
        calm_s: Seconds before the first nudge, and how often something was told in them.
        nudges: Of each: by how many px, after how many seconds it was told (None: never), and how many px
            off the centre's corners then were.
        lost: How often the view was said to be lost.
        look_ms: Milliseconds of the processor that a look takes, in the mean.
    """

    names: str
    calm_s: int
    false_alarms: int = 0
    nudges: list[tuple[float, int | None, float | None]] = field(default_factory=list)
    lost: int = 0
    look_ms: float = 0.0


def nudged_games(
    count: int, minutes: float, on_result: Callable[[NudgeResult], None] | None = None
) -> list[NudgeResult]:
    """The first ``count`` games of so many minutes."""
    results = []
    for number in range(count):
        results.append(_played(number, round(minutes * 60)))
        if on_result is not None:
            on_result(results[-1])
    return results


def summary(results: Sequence[NudgeResult]) -> dict[str, Any]:
    """The figures of the report."""
    nudges = [nudge for result in results for nudge in result.nudges]
    told = [nudge for nudge in nudges if nudge[1] is not None and nudge[1] <= LATE_S]
    offs = [off for _, _, off in told if off is not None]
    return {
        "noticed_in_10_s": share(len(told), len(nudges)),
        "delay_s_median": float(np.median([late for _, late, _ in told if late is not None]))
        if told
        else None,
        "off_px_median": round(float(np.median(offs)), 1) if offs else None,
        "off_px_worst": round(max(offs), 1) if offs else None,
        "false_alarms": rate(
            sum(result.false_alarms for result in results), sum(result.calm_s for result in results) / 60
        ),
        "lost": sum(result.lost for result in results),
        "look_ms": round(float(np.mean([result.look_ms for result in results])), 1) if results else None,
    }


def nudge(dx: float, dy: float, turn_deg: float, zoom: float) -> Floats:
    """(3, 3) px to px of the pictures: turned and zoomed about their middle, then shifted."""
    turn = np.radians(turn_deg)
    middle = np.array([[1, 0, (SIZE[0] - 1) / 2], [0, 1, (SIZE[1] - 1) / 2], [0, 0, 1]])
    c, s = zoom * np.cos(turn), zoom * np.sin(turn)
    about = np.array([[c, -s, dx], [s, c, dy], [0, 0, 1]])
    return np.asarray(middle @ about @ np.linalg.inv(middle), np.float64)


def seen_through(wide: Image, move: Floats, gain: float = 1.0) -> Image:
    """What the camera sees of the wider picture after a move, in light that is so many times as strong."""
    crop = np.array([[1, 0, (WIDE[0] - SIZE[0]) / 2], [0, 1, (WIDE[1] - SIZE[1]) / 2], [0, 0, 1]])
    seen = cv2.warpPerspective(wide, move @ np.linalg.inv(crop), SIZE, flags=cv2.INTER_LINEAR)
    return np.asarray(seen if gain == 1.0 else cv2.convertScaleAbs(seen, alpha=gain), np.uint8)


def _played(number: int, seconds: int) -> NudgeResult:
    seed = FIRST_SEED + number
    rng = np.random.default_rng([seed, 60])
    looks = _LOOKS[number % len(_LOOKS)]
    stage, fps = _stage(seed, looks)
    length = min(seconds, stage.frame_count // fps)
    calm = round(CALM_SHARE * length)
    at = [calm + n * (length - calm) // NUDGES for n in range(NUDGES)]
    result = NudgeResult(" ".join(looks), calm)
    drift, move, gain, spent = CameraDrift(SIZE), np.eye(3), 1.0, 0.0
    for second in range(length):
        if second % 60 == 30:
            gain = float(rng.choice(GAINS))
        if second in at:
            move = _lot(rng, at.index(second))
            result.nudges.append((_shift_of(move), None, None))
        pixels = seen_through(stage.frame(second * fps).pixels, move, gain)
        before = time.process_time()
        change = drift.watch(second * 1000, pixels)
        spent += time.process_time() - before
        if change is None:
            continue
        result.lost += not change.is_aligned
        if not result.nudges:
            result.false_alarms += 1
        elif change.is_aligned and result.nudges[-1][1] is None:
            late = second - at[len(result.nudges) - 1]
            off = float(np.linalg.norm(change.alignment.moved(_CENTRE) - _moved(move, _CENTRE), axis=1).max())
            result.nudges[-1] = (result.nudges[-1][0], late, off)
        elif change.is_aligned and not change.is_back:
            result.false_alarms += 1
    result.look_ms = 1000 * spent / max(1, length)
    return result


_CENTRE: Final = np.array([[440.0, 260.0], [840.0, 260.0], [840.0, 460.0], [440.0, 460.0]])


def _lot(rng: np.random.Generator, number: int) -> Floats:
    """A nudge by lot; the first of a game is the smallest that must be noticed."""
    if number == 0:
        turn = rng.uniform(0, 2 * np.pi)
        return nudge(5.0 * float(np.cos(turn)), 5.0 * float(np.sin(turn)), 0.0, 1.0)
    far, turn = rng.uniform(8, 80), rng.uniform(0, 2 * np.pi)
    return nudge(
        float(far * np.cos(turn)),
        float(far * np.sin(turn)),
        float(rng.uniform(-5, 5)),
        float(rng.uniform(0.95, 1.05)),
    )


def _moved(move: Floats, points: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(points[None], move)[0], np.float64)


def _shift_of(move: Floats) -> float:
    return round(float(np.linalg.norm(_moved(move, _CENTRE) - _CENTRE, axis=1).max()), 1)


def _stage(seed: int, looks: tuple[str, str, str, str]) -> tuple[Any, int]:
    from kemps_scenes.pacing import paced  # noqa: PLC0415 - the wheel has no samples
    from kemps_scenes.script import plan_scene  # noqa: PLC0415
    from kemps_scenes.simulate import simulate_game  # noqa: PLC0415
    from kemps_scenes.spec import SceneSpec  # noqa: PLC0415
    from kemps_scenes.stage import Stage  # noqa: PLC0415

    camera, surface, clutter, packets = looks
    spec = SceneSpec(
        seed=seed,
        width=WIDE[0],
        height=WIDE[1],
        camera=camera,
        surface=surface,
        clutter=clutter,
        packets=packets,
        shake_px=1.0,
    )
    return Stage(plan_scene(paced(simulate_game(seed, 4, deals=8)), spec)), spec.fps
