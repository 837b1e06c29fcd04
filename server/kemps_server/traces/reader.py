"""What was seen at a moment of a game."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from kemps_server.traces.chunks import TRACES, chunks_in, read_chunk
from kemps_server.traces.trace import Trace
from kemps_vision.sources.recorded import folder_name

LONGEST_MS: Final = 1000  # between two watched frames; older is not what was on show
HANDS_MS: Final = 400  # hands are not looked for in every frame; those of the last look stand so long
_OPEN_CHUNKS: Final = 6


class Traces:
    """The traces beside a game; what is not there is not told."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / TRACES
        self._chunks: OrderedDict[tuple[Path, int], tuple[Trace, ...]] = OrderedDict()

    @classmethod
    def beside(cls, folder: Path) -> Self:
        """Those in a game's folder."""
        return cls(folder)

    @property
    def are_there(self) -> bool:
        """Whether there are any."""
        return self._folder.is_dir()

    def at(self, camera: str, at_ms: int) -> Trace | None:
        """What was seen in the last frame of a camera watched until then, if that is not long ago."""
        files = chunks_in(self._folder / folder_name(camera))
        number = bisect_right(files, at_ms, key=lambda file: file[0]) - 1
        if number < 0:
            return None
        traces = self._read(files[number][1])
        place = bisect_right(traces, at_ms, key=lambda trace: trace.at_ms) - 1
        if place < 0 or at_ms - traces[place].at_ms > LONGEST_MS:
            return None
        found = traces[place]
        for trace in reversed(traces[: place + 1]):
            if trace.hands or at_ms - trace.at_ms > HANDS_MS:
                recent = trace.hands if at_ms - trace.at_ms <= HANDS_MS else ()
                return replace(found, hands=recent)
        return found

    def between(self, camera: str, from_ms: int, until_ms: int) -> list[Trace]:
        """What was seen in the watched frames of a camera in a span, by time; hands as ``at`` has them."""
        files = chunks_in(self._folder / folder_name(camera))
        first = max(0, bisect_right(files, from_ms, key=lambda file: file[0]) - 1)
        spanned = [path for begin, path in files[first:] if begin < until_ms]
        found = [one for path in spanned for one in self._read(path) if from_ms <= one.at_ms < until_ms]
        return [self.at(camera, one.at_ms) or one for one in found]

    def _read(self, path: Path) -> tuple[Trace, ...]:
        try:
            key = path, path.stat().st_mtime_ns
        except OSError:
            return ()
        if key not in self._chunks:
            self._chunks[key] = read_chunk(path)
            while len(self._chunks) > _OPEN_CHUNKS:
                self._chunks.popitem(last=False)
        return self._chunks.get(key, ())
