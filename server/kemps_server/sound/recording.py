"""The sound of a live game, recorded beside its pictures as short AAC files in MP4."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import av.error
import numpy as np

from kemps_server.recording.disk import Disk
from kemps_server.sound.passed_sound import PassedSound
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.joined import JoinedSound
from kemps_vision.hearing.sources import SoundBlock
from kemps_vision.sources.segments import VIDEO, Segment, segment_name

SOUND: Final = "+sound"  # beside the cameras' folders; no camera's folder can be called so
PIECE_S: Final = 5  # of a run that is killed so much is lost at most
BIT_RATE: Final = 48_000  # a voice stays as it was; 21 MB an hour
_FRAME: Final = 1024  # samples, of AAC

_log = logging.getLogger(__name__)


def sound_folder(folder: Path) -> Path:
    """Where the recorded sound of a game lies; retention and forgetting treat it as the cameras' folders."""
    return folder / VIDEO / SOUND


class SoundRecorder:
    """Writes sound into files of five seconds, each whole; what goes wrong is told once and stops no game.

    Args:
        folder: The game's.
        disk: Says whether it may grow; sound and pictures share one budget.
    """

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder = sound_folder(folder)
        self._disk = disk
        self._parts: list[Sound] = []
        self._held = 0
        self._at_ms = 0.0
        self._is_told = False
        disk.watch_over(self._folder)

    def add(self, at_ms: float, samples: Sound) -> None:
        """Mono samples at 16 kHz, on the game's clock."""
        if not self._parts:
            self._at_ms = at_ms
        self._parts.append(samples)
        self._held += len(samples)
        if self._held >= PIECE_S * RATE:
            self.close()

    def close(self) -> None:
        """Write what is held; may be called at any time."""
        parts, self._parts, self._held = self._parts, [], 0
        if not parts or not self._disk.may_write():
            return
        sound = np.concatenate(parts)
        begin = max(0, round(self._at_ms))
        path = self._folder / segment_name(begin, begin + round(1000 * len(sound) / RATE))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{path.name}.new")
            new.write_bytes(coded(sound))
            new.replace(path)
            self._disk.keep(Segment(begin, begin + round(1000 * len(sound) / RATE), path))
        except (OSError, av.error.FFmpegError) as error:
            if not self._is_told:
                self._is_told = True
                _log.warning("the sound is not recorded: %s; the game goes on", error)


def coded(sound: Sound) -> bytes:
    """Mono sound at 16 kHz as AAC in MP4."""
    made = io.BytesIO()
    with av.open(made, "w", format="mp4") as writer:
        stream = writer.add_stream("aac", rate=RATE, layout="mono")
        stream.bit_rate = BIT_RATE
        for at in range(0, len(sound), _FRAME):
            part = np.ascontiguousarray(np.clip(sound[None, at : at + _FRAME], -1, 1), np.float32)
            frame = av.AudioFrame.from_ndarray(part, "fltp", "mono")
            frame.sample_rate, frame.pts, frame.time_base = RATE, at, Fraction(1, RATE)
            for packet in stream.encode(frame):
                writer.mux(packet)
        for packet in stream.encode(None):
            writer.mux(packet)
    return made.getvalue()


class TappedSound(PassedSound):
    """A sound that somebody takes down as it is heard, all of its channels mixed."""

    def __init__(self, source: JoinedSound, take: Callable[[float, Sound], None]) -> None:
        super().__init__(source)
        self._take = take

    def __iter__(self) -> Iterator[SoundBlock]:
        """The blocks, each once it was taken down."""
        for block in self._source:
            self._take(block.at_ms, np.ascontiguousarray(block.samples.mean(axis=1)))
            yield block
