"""Since when a card lies where it was found: hands, arms and look-alikes before it are no card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

from kemps_vision.appearance import HEIGHT, WIDTH, Look
from kemps_vision.frame import Image
from kemps_vision.history import GreyHistory
from kemps_vision.spots import Spot

QUAD: Final = np.array([[10.0, 10.0], [50.0, 10.0], [50.0, 66.0], [10.0, 66.0]])
FRAME_MS: Final = 66


def picture(seed: int, *, share: float = 1.0) -> Image:
    """A card of this seed's pattern; an arm lies over all but its upper ``share``."""
    card = np.random.default_rng(seed).integers(20, 236, (HEIGHT // 4, WIDTH // 4))
    canvas = np.full((80, 64), 60, np.uint8)
    canvas[10:66, 10:50] = np.kron(card, np.ones((4, 4)))
    if share < 1:
        from_row = 10 + round(share * HEIGHT) if share else 0
        canvas[from_row:] = np.random.default_rng(99).integers(90, 140, canvas[from_row:].shape)
    return np.repeat(canvas[:, :, None], 3, axis=2)


def rest_after(frames: Sequence[Image], before: Sequence[Spot] = (), read: int | None = None) -> int:
    """The frame from which the card of the last one lies there."""
    history = GreyHistory()
    for i, frame in enumerate(frames):
        history.add(frame, i * FRAME_MS)
    look = Look.of(history.patch(QUAD))
    rest_ms, _ = history.rest_from(look, QUAD, before, None if read is None else read * FRAME_MS)
    return round(rest_ms / FRAME_MS)


@pytest.mark.parametrize(
    ("covered", "first"),
    [(0, 30), (5, 25), (25, 30)],  # an arm at rest keeps some of many a look
)
def test_a_card_lies_there_while_it_shows_in_part_but_not_for_long(covered: int, first: int) -> None:
    arm = [picture(1, share=0.0)] * (30 - covered)
    frames = [*arm, *[picture(1, share=0.35)] * covered, *[picture(1)] * 10]
    assert rest_after(frames) == first


@pytest.mark.parametrize(("read", "first"), [(None, 30), (24, 24)])
def test_a_card_that_looks_like_the_old_one_lies_there_since_it_was_read(
    read: int | None, first: int
) -> None:
    frames = [*[picture(2)] * 20, *[picture(1)] * 10, *[picture(1)] * 10]
    old = Spot(id=1, quad=QUAD, first_read_ms=0)
    old.timeline.extend((i * FRAME_MS, 0.95 if i < 30 else 0.1) for i in range(40))
    assert rest_after(frames, [old], read) == first
