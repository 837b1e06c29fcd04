"""Stills of a marked recording: the table at the verdict, and the moments that decided it in a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2

from kemps_server.errors import WorkFailedError
from kemps_server.marking import Album, Captions, Kept, ruled_at
from kemps_server.page.story import StepLook, Story, VerdictLook
from kemps_vision.draw.strip import draw_strip
from kemps_vision.draw.table import clock_text
from kemps_vision.frame import Image

AFTER_MS: Final = 600  # from the last hand shown to the picture of the verdict
_SWAPS: Final = frozenset({"card_taken", "card_laid"})
_MOST_SWAPS: Final = 2
_STRIP_FRAME_PX: Final = 560


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which frames of a recording to keep: of the verdict, and of the events that decided it."""

    picture_ms: int
    moments: tuple[tuple[int, StepLook], ...]

    @property
    def times(self) -> frozenset[int]:
        """All the times."""
        return frozenset({self.picture_ms, *(at_ms for at_ms, _ in self.moments)})


def wanted_stills(story: Story, album: Album) -> Wanted:
    """The last verdict, with the last swaps of the hands that were shown, the call and the hands.

    Shown hands are looked at when their cards have been read.
    """
    verdict = next((deal.verdict for deal in reversed(story.deals) if deal.verdict is not None), None)
    if verdict is None or verdict.step is None:
        return Wanted(story.duration_ms, tuple((step.at_ms, step) for step in story.steps[-1:]))
    at_ms = ruled_at(story, verdict)
    cards = {card for look in verdict.shown for card in look.cards if card is not None}
    read_ms = album.first_with(cards, at_ms) or story.duration_ms
    moments = [
        (read_ms if step.kind == "hand_shown" else step.at_ms, step)
        for step in _deciding(story, verdict, at_ms)
    ]
    return Wanted(max(read_ms, at_ms + AFTER_MS), tuple(moments))


def _deciding(story: Story, verdict: VerdictLook, at_ms: int) -> list[StepLook]:
    call = story.steps[verdict.step or 0]
    before = [step for step in story.steps[: call.index] if step.kind in _SWAPS and step.deal == call.deal]
    shown = {look.seat for look in verdict.shown}
    theirs = [step for step in before if shown & {*step.seats}] or before
    after = [step for step in story.steps if step.kind == "hand_shown" and call.at_ms <= step.at_ms <= at_ms]
    return [*theirs[-_MOST_SWAPS:], call, *after[:_MOST_SWAPS]]


def write_stills(out: Path, captions: Captions, wanted: Wanted, kept: Mapping[int, Kept]) -> None:
    """Write ``picture.png`` and ``moments.png`` into ``out``.

    Raises:
        WorkFailedError: They cannot be written.
    """
    picture = kept.get(wanted.picture_ms)
    if picture is not None:
        _write(out / "picture.png", picture.told)
    row = [
        (kept[at_ms].marked, f"{clock_text(step.at_ms)}  {captions.tell(step)}")
        for at_ms, step in wanted.moments
        if at_ms in kept
    ]
    if row:
        _write(out / "moments.png", draw_strip(row, frame_width=_STRIP_FRAME_PX))


def _write(path: Path, pixels: Image) -> None:
    _, data = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written: {error.strerror or error}") from None
