"""Clocks of several cameras, told by a lamp that both see."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np
import pytest

from kemps_server.doctoring.findings import Level
from kemps_server.doctoring.skew import check_skew, told_skew
from kemps_vision.frame import Frame, FrameSource, SourceInfo, SourceState
from kemps_vision.zones import CameraZones

TABLE, FACES = CameraZones(name="table"), CameraZones(name="faces", role="faces")
SWITCHED_MS = (1000, 2500)


class Lamp:
    """A recording of 4 s in which a lamp goes off and on; its clock is behind by so many ms."""

    def __init__(self, camera: str, behind_ms: int = 0, *, is_switched: bool = True) -> None:
        self._camera, self._behind_ms, self._is_switched = camera, behind_ms, is_switched
        self.info = SourceInfo(name=camera, where=camera, kind="file", width=64, height=36, fps=25.0)
        self.state, self.dropped, self.skipped = SourceState.OPEN, 0, 0
        self.notes: tuple[str, ...] = ()
        self.lost_spans: tuple[tuple[int, int | None], ...] = ()

    def __iter__(self) -> Iterator[Frame]:
        for n in range(100):
            at_ms = 40 * n
            is_off = SWITCHED_MS[0] <= at_ms - self._behind_ms < SWITCHED_MS[1]
            level = 60 if is_off and self._is_switched else 180
            yield Frame(self._camera, n, at_ms, np.full((36, 64, 3), level, np.uint8))

    def close(self) -> None:
        self.state = SourceState.CLOSED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def checked(behind_ms: int, camera: CameraZones = FACES, *, is_switched: bool = True) -> str:
    def open_named(where: str, name: str) -> FrameSource:
        return Lamp(name, behind_ms if where == "1" else 0, is_switched=is_switched)

    (finding,) = check_skew([(TABLE, "0"), (camera, "1")], open_named)
    return f"{finding.level}: {finding.says}; {finding.todo}"


def test_clocks_that_agree_are_fine() -> None:
    assert checked(0).startswith("ok: it is 0 ms")


@pytest.mark.parametrize(("behind", "where"), [(200, "behind"), (-120, "ahead of")])
def test_a_clock_that_is_off_says_the_offset_to_set(behind: int, where: str) -> None:
    told = checked(behind)
    assert told.startswith(f"fix: it is {abs(behind)} ms {where} the table camera's, a frame is 40 ms")
    assert f"offset_ms = {behind} for faces" in told


def test_an_offset_that_was_set_is_taken_into_account() -> None:
    camera = CameraZones(name="faces", role="faces", offset_ms=200)
    assert checked(200, camera).startswith("ok")


def test_without_a_lamp_it_says_what_to_do() -> None:
    assert "switch the lamp off and on" in checked(0, is_switched=False)


def test_one_camera_has_no_skew() -> None:
    assert check_skew([(TABLE, "0")], lambda where, name: Lamp(where or name)) == []


def test_a_skew_of_a_frame_is_no_matter() -> None:
    assert told_skew(FACES, 33, 33.4).level is Level.OK


def test_a_skew_that_is_in_the_file_already_is_no_matter() -> None:
    finding = told_skew(FACES, 200, 40.0, is_written=True)
    assert finding.level is Level.OK
    assert finding.says.endswith("written as its offset_ms")
