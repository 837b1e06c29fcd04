"""One camera's H.264 pictures written as short files, each whole up to its last second if we are killed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import av
import av.error
from av.container import OutputContainer
from av.packet import Packet
from av.stream import Stream

from kemps_server.recording.disk import Disk
from kemps_server.recording.encoding import KEY_MS, MILLISECONDS
from kemps_vision.sources.live import LOST_AFTER_MS, Coded
from kemps_vision.sources.segments import Segment, segment_name

SEGMENT_MS: Final = 2000
# The head comes with the first fragment, because only a picture's own parameter sets tell what it must say.
MOVFLAGS: Final = "frag_keyframe+delay_moov+default_base_moof"
BINARY: Final = getattr(os, "O_BINARY", 0)  # Windows would write line ends its own way


class SegmentWriter:
    """Writes coded pictures into files of about ``SEGMENT_MS``, cut before key pictures.

    The muxer writes into memory and the bytes go to disk here, because FFmpeg does not survive a full disk.
    """

    def __init__(self, folder: Path, size: tuple[int, int], fps: float, disk: Disk) -> None:
        self.folder = folder
        self._size = size
        self._fps = fps
        self._disk = disk
        self._file: _File | None = None
        disk.watch_over(folder)

    def add(self, coded: Coded) -> None:
        """One more picture; pictures after which no key picture could be written are left out."""
        if self._file is not None and self._is_over(coded):
            self.close()
        if self._file is None and (not coded.is_key or not self._begin(coded.at_ms)):
            return
        if self._file is not None:
            self._try(lambda file: file.add(coded))

    def close(self) -> None:
        """Finish the file that is open."""
        self._try(lambda file: file.finish())
        if self._file is not None:
            done = self._file
            self._file = None
            self._disk.keep(done.named())

    def _is_over(self, coded: Coded) -> bool:
        file = self._file
        if file is None:
            return False
        is_long = coded.is_key and coded.at_ms - file.at_ms > SEGMENT_MS - KEY_MS / 2
        return is_long or coded.at_ms - file.last_ms > LOST_AFTER_MS

    def _begin(self, at_ms: int) -> bool:
        if not self._disk.may_write():
            return False
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = _File(self.folder, at_ms, self._size, self._fps)
        except OSError as error:
            self._disk.refused(error)
        return self._file is not None

    def _try(self, work: Callable[[_File], None]) -> None:
        if self._file is None:
            return
        try:
            work(self._file)
        except av.error.FFmpegError:  # of the muxer alone: its times went back, say
            self._abandon()
        except OSError as error:
            self._abandon()
            self._disk.refused(error)

    def _abandon(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            file.give_up()
            self._disk.keep(file.named())


class _File:
    """A file that is being written."""

    def __init__(self, folder: Path, at_ms: int, size: tuple[int, int], fps: float) -> None:
        self.at_ms = at_ms
        self.last_ms = at_ms
        self._dts = -(1 << 40)
        self._folder = folder
        self._path = folder / segment_name(at_ms)
        self._made = _Made()
        self._whole = 0
        self._output: OutputContainer = av.open(
            self._made, "w", format="mp4", options={"movflags": MOVFLAGS}, buffer_size=1 << 20
        )
        self._stream: Stream = self._output.add_mux_stream(
            "h264", rate=max(1, round(fps)), width=size[0], height=size[1]
        )
        self._stream.time_base = MILLISECONDS
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o644)

    def add(self, coded: Coded) -> None:
        packet = Packet(coded.data)
        self._dts = max(self._dts + 1, coded.dts_ms - self.at_ms)
        packet.pts, packet.dts, packet.time_base = coded.at_ms - self.at_ms, self._dts, MILLISECONDS
        packet.is_keyframe, packet.stream = coded.is_key, self._stream
        self._output.mux(packet)
        self.last_ms = max(self.last_ms, coded.at_ms)
        self._write()

    def finish(self) -> None:
        self._output.close()
        self._write()
        os.close(self._file)

    def give_up(self) -> None:
        """The file as far as it is whole; what the muxer still has goes nowhere."""
        self._made.clear()
        try:
            self._output.close()
            os.ftruncate(self._file, self._whole)
            os.close(self._file)
        except (OSError, av.error.FFmpegError):
            return

    def named(self) -> Segment:
        """The finished file under its full name."""
        path = self._path.with_name(segment_name(self.at_ms, self.last_ms))
        try:
            self._path.replace(path)
        except OSError:
            path = self._path
        return Segment(self.at_ms, self.last_ms, path)

    def _write(self) -> None:
        data = self._made.take()
        done = 0
        while done < len(data):
            done += os.write(self._file, data[done:])
        self._whole += len(data)


class _Made:
    """Where the muxer writes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        """For the muxer."""
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since."""
        parts, self._parts = self._parts, []
        return b"".join(parts)

    def clear(self) -> None:
        self._parts = []
