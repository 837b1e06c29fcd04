"""Cameras that look at people beside the table's: opened by role, placed by seat, missed without harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pytest

from kemps_rules.events import Event, GameOpened, Gesture
from kemps_server.errors import KempsServerError
from kemps_server.people import OtherCamera, PeopleWatch, people_watch
from kemps_server.watching import watch
from kemps_vision.cards.reading import Reading
from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.people.landmarks import Box
from kemps_vision.people.table_watch import TableWatch
from kemps_vision.zones import parse_config

PIXELS: Image = np.full((90, 160, 3), 90, np.uint8)
CONFIG = parse_config(
    """
[[camera]]
name = "table"
[[camera]]
name = "front"
role = "faces"
size = [320, 180]
[[seat]]
id = "A"
face = { camera = "front", box = [100, 40, 80, 100] }
[[seat]]
id = "B"
[[seat]]
id = "C"
[[seat]]
id = "D"
"""
)


class Source:
    """Frames 66 ms apart; fails at the end if it has an error."""

    dropped = skipped = 0
    notes: tuple[str, ...] = ()
    state = SourceState.OPEN

    def __init__(self, camera: str, frames: int, *, error: str = "") -> None:
        self.info = SourceInfo(name=camera, where=camera, kind="file", width=160, height=90, fps=15)
        self.lost_spans: tuple[tuple[int, int | None], ...] = ()
        self._frames, self._error = frames, error

    def __iter__(self) -> Iterator[Frame]:
        for index in range(self._frames):
            yield Frame(self.info.name, index, 66 * index, PIXELS)
        if self._error:
            raise SourceError(self._error)

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Nothing:
    """A landmarker that finds nothing, and keeps count of where it was to look."""

    def __init__(self) -> None:
        self.boxes: list[Box | None] = []

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[Any]:
        assert pixels.shape == PIXELS.shape
        assert at_ms is not None
        self.boxes.append(box)
        return []


class NoCards:
    """A card reader that finds none."""

    def read(
        self, pixels: Image, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        del pixels, card_length_px, alphabet
        return Reading((), unread=0, face_down=0, alphabet="international", ms=0.0)


@pytest.fixture
def without_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Landmarkers that need no files."""
    monkeypatch.setattr("kemps_server.people.HandReader", lambda **_: Nothing())
    monkeypatch.setattr("kemps_server.people.FaceReader", lambda **_: Nothing())


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


@pytest.mark.usefixtures("without_files")
def test_boxes_are_scaled_to_the_pictures() -> None:
    made = people_watch(CONFIG, [(CONFIG.cameras[1], Source("front", 1))])
    assert set(made.faces) == {"front"}
    assert CONFIG.face_boxes(CONFIG.cameras[1], 160, 90) == {"A": (50, 20, 90, 70)}


@pytest.mark.usefixtures("without_files")
def test_a_face_camera_without_any_seat_says_what_to_write() -> None:
    bare = parse_config('[[camera]]\nname = "table"\n[[camera]]\nname = "front"\nrole = "faces"\n')
    with pytest.raises(KempsServerError, match=r"box = \[x, y, width, height\]"):
        people_watch(bare, [(bare.cameras[1], Source("front", 1))])


def watch_of(front: Source) -> tuple[PeopleWatch, Nothing]:
    faces = Nothing()
    watched = FaceWatch({"A": Box(50, 20, 90, 70)}, lambda: faces, camera="front")
    return PeopleWatch(TableWatch(Nothing()), {"front": watched}, [OtherCamera("front", front)]), faces


def test_the_header_says_that_people_are_followed_and_who_agreed() -> None:
    made, _ = watch_of(Source("front", 1))
    header = GameOpened(at_ms=0, rules="leaflet", seats={"A": "Anna"}, extra={"place": "club"})
    (noted,) = made.noted([header])
    assert set(noted.extra) == {"place", "people"}
    made.consent = "all four, on paper"
    (noted,) = made.noted([header])
    assert noted.extra["consent"] == "all four, on paper"


def test_frames_of_a_camera_that_nobody_asked_for_are_nothing() -> None:
    made, faces = watch_of(Source("front", 1))
    assert made.see_faces(Frame("side", 0, 0, PIXELS)) == []
    assert faces.boxes == []


def test_what_was_going_on_is_told_at_the_end_by_time() -> None:
    made, _ = watch_of(Source("front", 1))
    for i in range(30):
        made.see_faces(Frame("front", i, 66 * i, PIXELS))
    told = made.finish()
    assert kinds(told) == ["not_measurable"]
    assert not any(isinstance(event, Gesture) for event in told)


@pytest.mark.parametrize(("frames", "error"), [(30, ""), (12, "camera front: it vanished")])
def test_a_game_is_watched_to_its_end_whatever_becomes_of_the_face_camera(
    tmp_path: Path, frames: int, error: str
) -> None:
    made, faces = watch_of(Source("front", frames, error=error))
    summary = watch(Source("table", 30), tmp_path / "game", CONFIG, reader=NoCards(), people=made)
    assert summary.frames == 30
    assert summary.is_whole
    assert len(faces.boxes) == frames
    assert summary.notes == ((error,) if error else ())
    assert '"kind":"not_measurable"' in (tmp_path / "game" / "game.jsonl").read_text(encoding="utf-8")
