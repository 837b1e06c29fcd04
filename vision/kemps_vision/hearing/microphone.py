"""Microphones by the optional library sounddevice."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from importlib import import_module
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from kemps_vision.errors import SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.sources import SampleClock, SoundBlock, SoundHealth

BLOCK: Final = RATE // 20  # 50 ms
SILENT_S: Final = 3.0  # after so long without a sample the microphone is gone
MOST_CHANNELS: Final = 8
INSTALL: Final = (
    "a microphone needs the library sounddevice: run pip install sounddevice, "
    "and on Debian apt-get install libportaudio2"
)


class Microphone:
    """What a microphone hears, with all of its channels; time counts from when it was opened.

    Times are the sound card's own, laid onto our monotonic clock when it was opened: samples are counted, and
    where the card says that some were lost, silence takes their place.

    Raises:
        SourceError: The library or the microphone is not there.
    """

    is_live = True

    def __init__(
        self,
        which: str = "",
        *,
        offset_ms: float = 0.0,
        library: Any = None,  # noqa: ANN401
        start_s: float | None = None,
    ) -> None:
        self._library = library or _library()
        self._offset_ms = offset_ms
        self.health = SoundHealth()
        self._notes: list[str] = []
        self._blocks: queue.Queue[tuple[float, NDArray[np.float32]]] = queue.Queue()
        self._is_open = True
        self._start_s = time.monotonic() if start_s is None else start_s
        device: int | str | None = int(which) if which.isdecimal() else which or None
        try:
            about = self._library.query_devices(device, "input")
            self.channels = max(1, min(MOST_CHANNELS, int(about["max_input_channels"])))
            self.name = str(about["name"])
            self._stream = self._library.InputStream(
                samplerate=RATE,
                blocksize=BLOCK,
                device=device,
                channels=self.channels,
                dtype="float32",
                callback=self._take,
            )
            self._stream.start()
        except (ValueError, OSError, self._library.PortAudioError) as error:
            what = f"microphone {which}" if which else "microphone"
            raise SourceError(f"{what}: cannot be opened: {' '.join(str(error).split())}") from None
        # What the card calls now, and what we do.
        self._card_s = float(self._stream.time) - (time.monotonic() - self._start_s)

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        return (*self._notes, *self.health.notes(self.name))

    def close(self) -> None:
        """Release the microphone; may be called twice."""
        if self._is_open:
            self._is_open = False
            self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[SoundBlock]:
        clock = SampleClock(self.health)
        while self._is_open:
            try:
                stamp_s, samples = self._blocks.get(timeout=SILENT_S)
            except queue.Empty:
                self._notes.append(f"{self.name}: stopped sending (unplugged?)")
                return
            begin_ms, samples = clock.placed(1000 * (stamp_s - self._card_s), samples)
            if len(samples):
                yield SoundBlock(begin_ms + self._offset_ms, samples, abs(self.health.off_ms))

    def _take(self, samples: Any, _count: int, times: Any, _status: Any) -> None:  # noqa: ANN401 - of C
        self._blocks.put((float(times.inputBufferAdcTime), np.array(samples, np.float32)))


def _library() -> Any:  # noqa: ANN401 - an optional library without types
    try:
        return import_module("sounddevice")
    except (ImportError, OSError):  # OSError: the library is there, PortAudio is not
        raise SourceError(INSTALL) from None
