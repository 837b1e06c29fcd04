"""Notices that a camera was moved in the middle of a game, and says how its zones lie now.

::

    drift = CameraDrift((info.width, info.height))
    for frame in source:
        change = drift.watch(frame.at_ms, frame.pixels)
        if change is not None and change.is_aligned:
            zones = change.step.zones(zones)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.calibration.alignment import (
    Alignment,
    Look,
    View,
    compare,
    farthest,
    in_pictures,
    staying,
    taken_back,
)
from kemps_vision.calibration.anchors import (
    HALF,
    MOST,
    WIDTH,
    Anchors,
    Floats,
    Grey,
    find_anchors,
    small_view,
)
from kemps_vision.frame import Image

EVERY_MS: Final = 1000
LEARNT_FROM: Final = 5  # looks, whose anchors are those that stayed
CONFIRMED_BY: Final = 2  # looks in a row that tell the same move
SAME_PX: Final = 1.0  # of the small view: moves that are no farther apart are one
LOST_MS: Final = 15_000  # without a clear look, from which it is told
RENEWED_EVERY: Final = 15  # clear looks
FEW: Final = 60  # anchors, below which new ones are looked for
PROVEN: Final = 5  # looks that a new anchor must have stayed in before it has a say
FORGOTTEN: Final = 60  # looks since an anchor was last where it was, a card that is gone


@dataclass(frozen=True, slots=True)
class Change:
    """What has become known of the camera.

    Attributes:
        at_ms: The time of the look that settled it.
        since_ms: The last time that the camera was seen to stand as before; in between nothing is sure.
        step: From the view as it was last known to that of now: what zones and cards have moved by. It moves
            nothing when the camera is lost or back.
        alignment: The same from the view at first, or of the calibration; the last known when it is lost.
        is_aligned: Whether it is known how the zones lie now.
        is_back: Whether a view that was lost is clear again, the camera standing as it last did.
    """

    at_ms: int
    since_ms: int
    step: Alignment
    alignment: Alignment
    is_aligned: bool
    is_back: bool = False

    @property
    def shift_px(self) -> float:
        """By how many px the view has moved against how it was last known."""
        return self.step.shift_px

    def says(self, camera: str) -> str:
        """One line for a person."""
        if not self.is_aligned:
            seconds = (self.at_ms - self.since_ms) / 1000
            return (
                f"camera {camera} shows nothing that stayed where it was for {seconds:.0f} s: it was moved "
                "far, or is covered, or the light is off; put it back, or run kemps calibrate --update"
            )
        if self.is_back:
            return f"camera {camera} is clear again and stands as it did"
        return f"camera {camera} was moved by {self.shift_px:.0f} px; centre and seats follow it"


def standing(anchors: Anchors, pictures: Sequence[Image]) -> Alignment | None:
    """How a camera stands now against when the anchors were found, by the median of pictures (h, w, 3).

    None when too little of what was there is seen.
    """
    view = np.asarray(np.median(np.stack([small_view(pixels) for pixels in pictures]), axis=0), np.uint8)
    look = compare(anchors, view, np.eye(3))
    if look.view is View.UNCLEAR:
        return None
    return in_pictures(look.move, (pictures[0].shape[1], pictures[0].shape[0]))


class CameraDrift:
    """Watches whether one camera stands still; deterministic: the same frames give the same changes.

    It looks at a frame each second, for about 5 ms, and lets the others pass; a look that finds the camera
    moved takes about 30 ms.

    Args:
        size: Width and height of the pictures.
        anchors: Those of the calibration, so that a move since then is told too; else the first seconds are
            how the camera stands. When nothing of the calibration's view is found, that is told once, and
            from then on the camera is taken to stand right as it does.
    """

    def __init__(self, size: tuple[int, int], anchors: Anchors | None = None) -> None:
        self._size = size
        self._anchors = anchors
        self._firsts: list[Grey] = []
        self._move: Floats = np.eye(3)
        self._stayed = np.full(0 if anchors is None else len(anchors), PROVEN)
        self._missed = np.zeros(len(self._stayed), np.intp)
        self._next_ms: int | None = None
        self._sure_ms: int | None = None
        self._tried: list[Floats] = []
        self._is_lost = False
        self._is_known_view = anchors is None
        self._steady = 0

    @property
    def alignment(self) -> Alignment:
        """How the view lies now against that of the calibration, or at first."""
        return in_pictures(self._move, self._size)

    @property
    def _still(self) -> Alignment:
        return Alignment.still(self._size)

    def watch(self, at_ms: int, pixels: Image) -> Change | None:
        """What this frame makes known of the camera, mostly nothing; times must rise."""
        if self._next_ms is not None and at_ms < self._next_ms:
            return None
        self._next_ms = at_ms + EVERY_MS
        if self._sure_ms is None:
            self._sure_ms = at_ms
        view = small_view(pixels)
        if self._anchors is None:
            self._learn(view)
            return None
        has_say = self._stayed >= PROVEN
        look = compare(self._anchors.chosen(has_say), view, self._move)
        match look.view:
            case View.STEADY:
                return self._see_steady(at_ms, view, look, has_say)
            case View.MOVED:
                return self._see_moved(at_ms, look)
            case View.UNCLEAR:
                return self._see_unclear(at_ms)

    def _learn(self, view: Grey) -> None:
        self._firsts.append(view)
        if len(self._firsts) >= LEARNT_FROM:
            self._anchors = find_anchors(self._firsts)
            self._stayed = np.full(len(self._anchors), PROVEN)
            self._missed = np.zeros(len(self._anchors), np.intp)
            self._firsts = []

    def _see_steady(self, at_ms: int, view: Grey, look: Look, has_say: NDArray[np.bool_]) -> Change | None:
        since, self._sure_ms = self._sure_ms or 0, at_ms
        self._is_known_view = True
        was_lost, self._is_lost, self._tried = self._is_lost, False, []
        self._missed[has_say] = np.where(look.agrees, 0, self._missed[has_say] + 1)
        self._steady += 1
        if not has_say.all():
            self._prove(view, ~has_say)
        if self._steady % RENEWED_EVERY == 0:
            self._renew(view)
        if not was_lost:
            return None
        return Change(at_ms, since, self._still, self.alignment, is_aligned=True, is_back=True)

    def _see_moved(self, at_ms: int, look: Look) -> Change | None:
        self._tried.append(look.move)
        last = self._tried[-CONFIRMED_BY:]
        if len(last) < CONFIRMED_BY or any(farthest(one, look.move) > SAME_PX for one in last):
            return self._see_unclear(at_ms, is_seen=True)
        self._is_known_view = True
        before, since = self._move, self._sure_ms or 0
        self._move, self._sure_ms, self._tried, self._is_lost = look.move, at_ms, [], False
        step = in_pictures(look.move @ np.linalg.inv(before), self._size)
        return Change(at_ms, since, step, self.alignment, is_aligned=True)

    def _see_unclear(self, at_ms: int, *, is_seen: bool = False) -> Change | None:
        if not is_seen:
            self._tried = []
        since = self._sure_ms or 0
        if self._is_lost or at_ms - since < LOST_MS:
            return None
        if self._is_known_view:
            self._is_lost = True
        else:
            self._anchors, self._sure_ms, self._is_known_view = None, at_ms, True
        return Change(at_ms, since, self._still, self.alignment, is_aligned=False)

    def _prove(self, view: Grey, is_new: NDArray[np.bool_]) -> None:
        """Counts for the new anchors in how many looks in a row they were where they should be."""
        if self._anchors is None:
            return
        stays = staying(self._anchors.chosen(is_new), view, self._move)
        self._stayed[is_new] = np.where(stays, self._stayed[is_new] + 1, 0)
        self._missed[is_new] = np.where(stays, 0, self._missed[is_new] + 1)

    def _renew(self, view: Grey) -> None:
        """Forgets what is gone for good, and learns what came and may stay."""
        if self._anchors is None:
            return
        keeps = self._missed < np.where(self._stayed >= PROVEN, FORGOTTEN, RENEWED_EVERY)
        self._anchors = self._anchors.chosen(keeps)
        self._stayed, self._missed = self._stayed[keeps], self._missed[keeps]
        active = max(int((self._missed == 0).sum()), len(self._anchors) - MOST // 3)
        if active >= FEW:
            return
        new = find_anchors([taken_back(view, self._move)], self._anchors, most=MOST - active)
        now = Alignment(self._move, (WIDTH, view.shape[0])).moved(new.places)
        far = np.array([view.shape[1], view.shape[0]]) - 1 - 2 * HALF
        is_inside = (now >= 2 * HALF) & (now <= far)
        new = new.chosen(is_inside[:, 0] & is_inside[:, 1])
        self._anchors = self._anchors.joined(new)
        self._stayed = np.concatenate([self._stayed, np.zeros(len(new), np.intp)])
        self._missed = np.concatenate([self._missed, np.zeros(len(new), np.intp)])
