"""Several cameras are one row of frames by time; trouble with one of the others does not stop the table's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, SourceInfo, SourceState
from kemps_vision.sources.together import Together

PIXELS = np.zeros((2, 2, 3), np.uint8)


class Fake:
    """A source of frames at given times; it fails at its end if it has an error."""

    dropped = skipped = 0
    notes: tuple[str, ...] = ()
    lost_spans: tuple[tuple[int, int | None], ...] = ()
    state = SourceState.OPEN

    def __init__(
        self,
        name: str,
        times: Sequence[int],
        *,
        error: str = "",
    ) -> None:
        self.info = SourceInfo(name=name, where=name, kind="file", width=2, height=2, fps=15)
        self._times, self._error = times, error

    def __iter__(self) -> Iterator[Frame]:
        for index, at_ms in enumerate(self._times):
            yield Frame(self.info.name, index, at_ms, PIXELS)
        if self._error:
            raise SourceError(self._error)

    def close(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def row(together: Together) -> list[tuple[str, int]]:
    return [(frame.camera, frame.at_ms) for frame in together]


def test_recordings_are_merged_by_time_the_tables_frame_first() -> None:
    together = Together(Fake("table", [0, 66, 133]), [(Fake("faces", [0, 33, 66, 100, 133]), 0)])
    assert row(together) == [
        ("table", 0),
        ("faces", 0),
        ("faces", 33),
        ("table", 66),
        ("faces", 66),
        ("faces", 100),
        ("table", 133),
        ("faces", 133),
    ]


def test_a_camera_that_is_ahead_is_set_back_and_what_came_before_the_start_is_left_out() -> None:
    together = Together(Fake("table", [0, 100]), [(Fake("faces", [0, 100, 150]), 60)])
    assert row(together) == [("table", 0), ("faces", 40), ("faces", 90), ("table", 100)]


def test_another_camera_that_fails_or_ends_is_left_out_and_named() -> None:
    others = [(Fake("faces", [0, 10], error="it vanished"), 0), (Fake("side", [5]), 0)]
    together = Together(Fake("table", [0, 20, 40]), others)
    assert [at_ms for camera, at_ms in row(together) if camera == "table"] == [0, 20, 40]
    assert together.failed == {"faces": "it vanished"}


def test_the_table_cameras_error_is_an_error() -> None:
    with pytest.raises(SourceError, match="gone"):
        row(Together(Fake("table", [0], error="gone"), [(Fake("faces", [0, 10, 20]), 0)]))


@given(st.lists(st.integers(0, 500), max_size=20), st.lists(st.integers(0, 500), max_size=20))
def test_times_never_go_back_and_no_frame_of_the_table_is_lost(main: list[int], other: list[int]) -> None:
    table, faces = sorted(main), sorted(other)
    got = row(Together(Fake("table", table), [(Fake("faces", faces), 0)]))
    assert [at_ms for _, at_ms in got] == sorted(at_ms for _, at_ms in got)
    assert [at_ms for camera, at_ms in got if camera == "table"] == table
