"""Several cameras are one row of frames by time; trouble with one of the others does not stop the table's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
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
    """A source of frames at given times, each waited for; it fails at its end if it has an error."""

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
        kind: str = "file",
        before: Callable[[int], object] = lambda _: None,
    ) -> None:
        self.info = SourceInfo(name=name, where=name, kind=kind, width=2, height=2, fps=15)
        self.is_closed = False
        self._times, self._error, self._before = times, error, before

    def __iter__(self) -> Iterator[Frame]:
        for index, at_ms in enumerate(self._times):
            self._before(index)
            yield Frame(self.info.name, index, at_ms, PIXELS)
        if self._error:
            raise SourceError(self._error)

    def close(self) -> None:
        self.is_closed = True

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


def test_a_live_camera_that_sends_nothing_does_not_hold_up_the_table() -> None:
    released = threading.Event()
    silent = Fake("faces", [0], kind="webcam", before=lambda _: released.wait(5))
    got = row(Together(Fake("table", [0, 66, 133], kind="webcam"), [(silent, 0)]))
    released.set()
    assert got == [("table", 0), ("table", 66), ("table", 133)]
    assert silent.is_closed


def test_live_frames_get_times_by_the_tables_clock() -> None:
    asked, sent = threading.Event(), threading.Event()

    def wait_for_the_second(index: int) -> None:
        if index == 1:
            asked.set()
            sent.wait(5)

    def clock() -> float:
        if threading.current_thread() is threading.main_thread():
            return 10.04 if asked.is_set() else 9.98
        sent.set()
        return 10.0

    # The other camera's one frame comes 40 ms before the table's second, whatever its own time says.
    faces = Fake("faces", [7000], kind="webcam", before=lambda _: asked.wait(5))
    table = Fake("table", [0, 66, 133], kind="webcam", before=wait_for_the_second)
    got = row(Together(table, [(faces, 0)], clock=clock))
    assert got in (
        [("table", 0), ("faces", 26), ("table", 66), ("table", 133)],
        # The clock was read, but the frame was not in the queue yet: it comes with the third.
        [("table", 0), ("table", 66), ("faces", 93), ("table", 133)],
    )
