"""Where sound comes from: the sound track of a file or stream, and microphones; in step with the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import av
import av.error
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from numpy.typing import NDArray

from kemps_vision.errors import SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.sources.files import OPEN_TIMEOUT_S, READ_TIMEOUT_S, reason_of
from kemps_vision.sources.stream import without_password

GAP_MS: Final = 40.0  # more than this between what was counted and what a stamp says is no jitter
DRIFT_PPM: Final = 50.0  # beyond it the offset of a clap does not hold for an evening
LONGEST_GAP_MS: Final = 600_000.0
PACKET_ERRORS: Final = 25
JITTER: Final = 0.1  # of a single stamp's difference is believed: a sound card's stamps tremble
MICROPHONE: Final = "mic"


@dataclass(frozen=True, slots=True)
class SoundBlock:
    """Samples (n, channels) at 16 kHz; ``at_ms`` is when the first one sounded, on the pictures' clock.

    That time is known to ``off_ms``: samples are counted, and stamps may have drifted away from the count.
    """

    at_ms: float
    samples: NDArray[np.float32]
    off_ms: float = 0.0

    @property
    def end_ms(self) -> float:
        """When the last sample has sounded."""
        return self.at_ms + 1000 * len(self.samples) / RATE


@dataclass(slots=True)
class SoundHealth:
    """What was measured of a source's time: gaps filled with silence, and how fast its clock goes."""

    gaps: int = 0
    missing_ms: float = 0.0
    off_ms: float = 0.0
    """By how much counted samples and stamps differ now."""
    drift_ppm: float | None = None
    """By how many millionths more samples came than the stamps say; None while that is not known."""

    def notes(self, name: str) -> tuple[str, ...]:
        """What of it a person should know, a line each."""
        lines = []
        if self.gaps:
            lines.append(f"{name}: {self.gaps} gaps in the sound, {self.missing_ms / 1000:.1f} s in all")
        if self.drift_ppm is not None and abs(self.drift_ppm) > DRIFT_PPM:
            an_hour = abs(self.drift_ppm) * 3.6
            lines.append(
                f"{name}: the sound's clock is off by {an_hour:.0f} ms an hour; clap at the end, too"
            )
        return tuple(lines)


class SoundSource(Protocol):
    """Sound in the order of its time, without holes: what is missing is silence, and told."""

    @property
    def name(self) -> str:
        """The file's name, the URL or the microphone."""
        ...

    @property
    def channels(self) -> int:
        """How many sounds there are side by side."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether the sound comes as fast as it happens."""
        ...

    @property
    def health(self) -> SoundHealth:
        """What was measured of its time up to now."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each, for people."""
        ...

    def __iter__(self) -> Iterator[SoundBlock]:
        """The sound from here on."""
        ...

    def close(self) -> None:
        """Release it; may be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_sound(text: str, *, offset_ms: float = 0.0) -> SoundSource:
    """The sound of a file or stream, or of a microphone: ``mic``, or ``mic:`` and its number or name.

    ``offset_ms`` is added to all times: how much later the pictures stamp a moment than the sound.

    Raises:
        SourceError: It cannot be opened, or there is no sound in it.
    """
    if text == MICROPHONE or text.startswith(f"{MICROPHONE}:"):
        from kemps_vision.hearing.microphone import Microphone  # noqa: PLC0415 - its library is optional

        return Microphone(text.partition(":")[2], offset_ms=offset_ms)
    return SoundTrack(text, offset_ms=offset_ms)


class SoundTrack:
    """The sound track of a file or stream, by FFmpeg; time counts from the first picture, or the first sound.

    Samples are counted from the first stamp. Where a later stamp says otherwise by more than 40 ms, sound is
    missing: silence takes its place.

    Raises:
        SourceError: It cannot be opened, or there is no sound in it.
    """

    def __init__(self, where: str, *, offset_ms: float = 0.0) -> None:
        self._where, self._offset_ms = where.removeprefix("file://"), offset_ms
        self.is_live = "://" in self._where
        self.name = without_password(self._where) if self.is_live else Path(self._where).name
        self.health = SoundHealth()
        self._notes: list[str] = []
        self._container = self._open()
        self._stream = self._sound_stream()
        self.channels = max(1, self._stream.codec_context.channels)
        self._zero_s = self._zero()

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        return (*self._notes, *self.health.notes(self.name))

    @property
    def duration_ms(self) -> float | None:
        """How long the file is, if it says."""
        return self._container.duration / 1000 if self._container.duration else None

    def close(self) -> None:
        """Release the file; may be called twice."""
        self._container.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[SoundBlock]:
        clock = SampleClock(self.health)
        resampler = av.AudioResampler("fltp", self._stream.codec_context.layout.name, RATE)
        for frame in self._frames():
            parts = [np.asarray(part.to_ndarray(), np.float32).T for part in resampler.resample(frame)]
            samples = np.concatenate(parts) if parts else np.zeros((0, self.channels), np.float32)
            begin_ms, samples = clock.placed(self._stamp_ms(frame), samples)
            if len(samples):
                whole = np.ascontiguousarray(samples, np.float32)
                yield SoundBlock(begin_ms + self._offset_ms, whole, abs(self.health.off_ms))

    def _stamp_ms(self, frame: AudioFrame) -> float | None:
        if frame.pts is None or frame.time_base is None:
            return None
        return 1000 * (float(frame.pts * frame.time_base) - self._zero_s)

    def _frames(self) -> Iterator[AudioFrame]:
        errors, packets = 0, self._container.demux(self._stream)
        while errors < PACKET_ERRORS:
            try:
                packet = next(packets, None)
                if packet is None:
                    return
                for frame in packet.decode():
                    errors = 0
                    if isinstance(frame, AudioFrame):
                        yield frame
            except av.error.EOFError:
                return
            except (av.error.FFmpegError, OSError) as error:
                if self.is_live:
                    self._notes.append(f"{self.name}: the stream stopped: {reason_of(error)}")
                    return
                errors += 1
        self._notes.append(f"{self.name}: the sound is broken from here on; the rest was not heard")

    def _open(self) -> av.container.InputContainer:
        path = Path(self._where)
        if not self.is_live and not path.exists():
            raise SourceError(
                f"{self._where}: there is no such file; give a recording with sound, a URL, or {MICROPHONE}"
            )
        if not self.is_live and path.is_dir():
            raise SourceError(
                f"{self._where}: is a folder; give a recording with sound, a URL, or {MICROPHONE}"
            )
        try:
            timeout = (OPEN_TIMEOUT_S, READ_TIMEOUT_S)
            return av.open(self._where, "r", timeout=timeout, metadata_errors="replace")
        except (av.error.FFmpegError, OSError) as error:
            raise SourceError(
                f"{without_password(self._where)}: the sound cannot be opened: {reason_of(error)}"
            ) from error

    def _sound_stream(self) -> AudioStream:
        for stream in self._container.streams.audio:
            return stream
        self._container.close()
        raise SourceError(
            f"{without_password(self._where)}: there is no sound in it; give a recording with sound"
        )

    def _zero(self) -> float:
        """The stamp of time 0 in seconds: the first picture's, as everywhere in the product."""
        for stream in (*self._container.streams.video, self._stream):
            is_cover = bool(getattr(stream, "disposition", 0) & av.stream.Disposition.attached_pic)
            if stream.start_time is not None and stream.time_base is not None and not is_cover:
                return float(Fraction(stream.start_time) * stream.time_base)
        return 0.0


class SampleClock:
    """Times by counting samples, held against stamps: small differences are drift, large ones are gaps."""

    def __init__(self, health: SoundHealth) -> None:
        self._health = health
        self._first_ms: float | None = None
        self._counted = 0
        self._stamps: list[tuple[float, float]] = []

    def placed(
        self, stamp_ms: float | None, samples: NDArray[np.float32]
    ) -> tuple[float, NDArray[np.float32]]:
        """When the samples begin, and the samples, after silence for what is missing before them."""
        if self._first_ms is None:
            self._first_ms = stamp_ms or 0.0
        begin_ms = self._first_ms + 1000 * self._counted / RATE
        if stamp_ms is not None:
            ahead_ms = stamp_ms - begin_ms
            if ahead_ms > GAP_MS:
                samples = self._filled(min(ahead_ms, LONGEST_GAP_MS), samples)
            elif ahead_ms < -GAP_MS:  # the same time twice: what was heard already is left out
                samples = samples[round(-ahead_ms * RATE / 1000) :]
            else:
                self._measure(stamp_ms, begin_ms)
        self._counted += len(samples)
        return begin_ms, samples

    def _filled(self, gap_ms: float, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        self._health.gaps += 1
        self._health.off_ms = 0.0  # what follows begins where its stamp says
        self._health.missing_ms += gap_ms
        self._stamps.clear()
        silence = np.zeros((round(gap_ms * RATE / 1000), samples.shape[1]), np.float32)
        return np.concatenate([silence, samples])

    def _measure(self, stamp_ms: float, begin_ms: float) -> None:
        """Drift over what was heard without a gap, once that is at least ten seconds."""
        self._health.off_ms += JITTER * (stamp_ms - begin_ms - self._health.off_ms)
        self._stamps.append((stamp_ms, begin_ms))
        (first_stamp, first_begin), span = self._stamps[0], stamp_ms - self._stamps[0][0]
        if span >= 10_000:
            self._health.drift_ppm = 1e6 * ((begin_ms - first_begin) / (stamp_ms - first_stamp) - 1)
        if len(self._stamps) > 1000:
            del self._stamps[1:-1]
