"""How far apart the clocks of two cameras are, by the light that both of them see.

A lamp that is switched changes nearly all of a picture within one frame. Where two cameras see such a step,
the difference of its times is the skew. It is measured each time that happens and costs next to nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Frame, Image
from kemps_vision.sources.frames_index import Gap
from kemps_vision.sources.live import clock_text

GRID: Final = (18, 32)  # pixels looked at
RATIO: Final = 1.06  # brighter or darker by so much in one frame; exposure control is slower
SHARE: Final = 0.7  # of the pixels; a hand or a body changes fewer
DARK: Final = 8.0  # grey levels added, so that black does not become "twice as bright"
APART_MS: Final = 300  # a step seen over two frames counts once
LONGEST_MS: Final = 400  # between the frames before and after: later ones tell nothing of the time
MATCH_MS: Final = 1500  # the largest skew that is looked for
NEEDED: Final = 2  # measurements that agree: off and on again


@dataclass(frozen=True, slots=True)
class LightStep:
    """The light changed between two frames of a camera: at ``at_ms`` ± half of ``frame_ms``."""

    at_ms: float
    frame_ms: int
    is_brighter: bool


class LightSteps:
    """Finds the steps in one camera's pictures."""

    def __init__(self) -> None:
        self._before: NDArray[np.float32] | None = None
        self._before_ms = 0
        self._last_ms = -APART_MS

    def see(self, at_ms: int, pixels: Image) -> LightStep | None:
        """The step that this frame shows."""
        height, width = pixels.shape[:2]
        thin = pixels[:: max(1, height // GRID[0]), :: max(1, width // GRID[1])]
        small = np.asarray(thin.mean(axis=2) + DARK, np.float32)
        before, before_ms = self._before, self._before_ms
        self._before, self._before_ms = small, at_ms
        frame_ms = at_ms - before_ms
        if before is None or frame_ms > LONGEST_MS or at_ms - self._last_ms < APART_MS:
            return None
        ratio = small / before
        brighter, darker = float((ratio > RATIO).mean()), float((ratio < 1 / RATIO).mean())
        if max(brighter, darker) < SHARE:
            return None
        self._last_ms = at_ms
        return LightStep((at_ms + before_ms) / 2, frame_ms, brighter > darker)


class SkewGuard:
    """Keeps frames of a camera whose clock is more than one frame from the table camera's out of the game.

    Args:
        table: The table camera's name.
        ahead_ms: What is taken off the other cameras' times already, by name.
    """

    def __init__(self, table: str, ahead_ms: dict[str, int]) -> None:
        self._table = table
        self._ahead_ms = ahead_ms
        self._eyes = {name: LightSteps() for name in (table, *ahead_ms)}
        self._steps: dict[str, deque[LightStep]] = {name: deque(maxlen=8) for name in self._eyes}
        self._seen: dict[str, list[float]] = {name: [] for name in ahead_ms}
        self._refused: dict[str, int] = {}
        self.notes: list[str] = []

    @property
    def measured(self) -> dict[str, int]:
        """By how many ms each camera was last measured to be behind the table's; those it is known of."""
        return {name: round(seen[-1]) for name, seen in self._seen.items() if seen}

    def admits(self, frame: Frame) -> bool:
        """Whether the frame, given with the common clock's time, may be joined with the others."""
        eyes = self._eyes.get(frame.camera)
        if eyes is None or not self._ahead_ms:
            return True
        step = eyes.see(frame.at_ms, frame.pixels)
        if step is not None:
            self._steps[frame.camera].append(step)
            for name in self._ahead_ms if frame.camera == self._table else (frame.camera,):
                self._measure(name, step, frame.at_ms, is_table=frame.camera == self._table)
        return frame.camera not in self._refused

    def gaps(self, until_ms: int) -> list[Gap]:
        """The spans in which cameras were kept out, up to the end of the game."""
        return [Gap(name, since, max(since, until_ms)) for name, since in sorted(self._refused.items())]

    def _measure(self, name: str, step: LightStep, now_ms: int, *, is_table: bool) -> None:
        partners = self._steps[name if is_table else self._table]
        near = [
            one
            for one in partners
            if one.is_brighter == step.is_brighter and abs(one.at_ms - step.at_ms) <= MATCH_MS
        ]
        if len(near) != 1:
            return
        behind_ms = (near[0].at_ms - step.at_ms) * (1 if is_table else -1)
        frame_ms = max(near[0].frame_ms, step.frame_ms)
        seen = self._seen[name]
        seen.append(behind_ms)
        last = seen[-NEEDED:]
        if len(last) == NEEDED and max(last) - min(last) <= frame_ms and min(map(abs, last)) > frame_ms:
            self._refuse(name, round(sum(last) / NEEDED), frame_ms, now_ms)

    def _refuse(self, name: str, behind_ms: int, frame_ms: int, now_ms: int) -> None:
        if name in self._refused:
            return
        self._refused[name] = now_ms
        where = "behind" if behind_ms > 0 else "ahead of"
        self.notes.append(
            f"camera {name} is {abs(behind_ms)} ms {where} the table's, more than one frame ({frame_ms} ms): "
            f"from {clock_text(now_ms)} on it is left out of the game; "
            f"give it offset_ms = {self._ahead_ms[name] + behind_ms} in table.toml"
        )
