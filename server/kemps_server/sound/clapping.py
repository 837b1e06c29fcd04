"""How far a sound is from a camera's pictures, measured by a clap before the camera."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise
from typing import Final

import numpy as np

from kemps_vision.errors import CalibrationError
from kemps_vision.frame import FrameSource
from kemps_vision.hearing.claps import claps_heard, claps_seen, offset_ms
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.microphone import Microphone
from kemps_vision.hearing.sources import MICROPHONE, SoundSource, open_sound
from kemps_vision.people.landmarks import HandPose
from kemps_vision.people.table_watch import FindsHands
from kemps_vision.sources.live import LiveSource

LIVE_MS: Final = 8_000
FILE_MS: Final = 60_000
SHOULDERS: Final = 4.4  # palms, from wrist to knuckle, in the width of somebody's shoulders
NEAR: Final = 1.6  # shoulder widths between hands; two that vanish so near to each other have met
MET: Final = 0.1  # shoulder widths, where they cover each other and none is found
FORGOTTEN_MS: Final = 250


def measured_offset(pictures: FrameSource, sound: str, hands: FindsHands, *, most_ms: int = FILE_MS) -> int:
    """How many ms later the pictures stamp a moment than the sound, by claps that are heard and seen.

    Args:
        pictures: A camera or a recording; of a camera eight seconds are watched.
        sound: Its sound: a file, a stream or a microphone.
        hands: Finds hands in the pictures.
        most_ms: So much of a recording is watched.

    Raises:
        CalibrationError: No clap was both heard and seen.
        SourceError: The sound cannot be opened.
    """
    with ExitStack() as opened:
        is_live = isinstance(pictures, LiveSource)
        zero_s = time.monotonic()
        is_microphone = sound == MICROPHONE or sound.startswith(f"{MICROPHONE}:")
        source: SoundSource = (
            Microphone(sound.partition(":")[2], start_s=zero_s) if is_microphone else open_sound(sound)
        )
        opened.enter_context(source)
        if isinstance(pictures, LiveSource):
            pictures.begin(zero_s)
        heard = _Heard(source, LIVE_MS if is_live else most_ms)
        thread = threading.Thread(target=heard.listen, name="clap", daemon=True)
        thread.start()
        times, apart = hands_apart(pictures, hands, LIVE_MS if is_live else most_ms)
        thread.join(10.0)
        samples, first_ms = heard.whole
    return round(offset_ms(claps_heard(samples, first_ms), claps_seen(times, apart)))


def hands_apart(pictures: FrameSource, hands: FindsHands, most_ms: int) -> tuple[list[float], list[float]]:
    """How far the two nearest hands are from each other, in shoulder widths, at each time.

    Hands that meet cover each other, and then none is found: two that vanish near to each other have met.
    """
    seen: list[tuple[float, float | None]] = []
    for frame in pictures:
        seen.append((float(frame.at_ms), _gap(hands.read(frame.pixels, at_ms=frame.at_ms))))
        if frame.at_ms >= most_ms:
            break
    found = [place for place, (_, gap) in enumerate(seen) if gap is not None]
    for before, after in pairwise(found):
        if after - before > 1:
            _fill(seen, before, after)
    filled = [(at_ms, gap) for at_ms, gap in seen if gap is not None]
    return [at_ms for at_ms, _ in filled], [gap for _, gap in filled]


def _fill(seen: list[tuple[float, float | None]], before: int, after: int) -> None:
    """Hands that were near and went, and came back near: they met where their two ways meet."""
    (gone_ms, gone), (back_ms, back) = seen[before], seen[after]
    if gone is None or back is None or max(gone, back) > NEAR or back_ms - gone_ms > FORGOTTEN_MS:
        return
    met_ms = gone_ms + (back_ms - gone_ms) * gone / (gone + back)
    for place in range(before + 1, after):
        at_ms = seen[place][0]
        share = (
            (met_ms - at_ms) / (met_ms - gone_ms)
            if at_ms <= met_ms
            else (at_ms - met_ms) / (back_ms - met_ms)
        )
        seen[place] = at_ms, max(MET, share * (gone if at_ms <= met_ms else back))


def _gap(hands: Sequence[HandPose]) -> float | None:
    """The least distance between two hands in shoulder widths; None with fewer than two."""
    gaps = [
        float(np.linalg.norm(one.palm - other.palm))
        / (SHOULDERS * max(1.0, (one.size_px + other.size_px) / 2))
        for place, one in enumerate(hands)
        for other in hands[place + 1 :]
    ]
    return min(gaps, default=None)


class _Heard:
    """A sound taken down while the pictures are watched."""

    def __init__(self, source: SoundSource, most_ms: int) -> None:
        self._source, self._most_ms = source, most_ms
        self._parts: list[Sound] = []
        self._first_ms = 0.0

    def listen(self) -> None:
        for block in self._source:
            if not self._parts:
                self._first_ms = block.at_ms
            self._parts.append(block.samples.mean(axis=1))
            if block.end_ms >= self._most_ms:
                return

    @property
    def whole(self) -> tuple[Sound, float]:
        """All of it, and when it begins.

        Raises:
            CalibrationError: Nothing was heard.
        """
        if sum(map(len, self._parts)) < RATE // 2:
            raise CalibrationError("the sound is over before anybody clapped; clap once while this runs")
        return np.concatenate(self._parts), self._first_ms
