"""Landmarkers that remember: the same clip watched again by changed code need not be looked at again.

Landmarks are nine tenths of the work of watching people, and what is done with them changes ten times as
often. A landmarker that follows what it found answers the same only when it is asked the same from the
clip's beginning on, so each reader's questions are kept in their order with the answers; code that asks
anything else is told so, and then the clip is looked at anew.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image
from kemps_vision.people.landmarks import BLENDSHAPES, FACE_POINTS, HAND_POINTS, Box, FacePose, HandPose

Pose = TypeVar("Pose")
_Found_co = TypeVar("_Found_co", covariant=True)
_Question: TypeAlias = tuple[float, ...]

_FACE_ROW: Final = 3 * FACE_POINTS + len(BLENDSHAPES) + 16
_HAND_ROW: Final = 3 * HAND_POINTS + 2
_NOWHERE: Final = (np.nan,) * 4


class OutOfStepError(Exception):
    """A reader was asked something else than the time before."""


class Reads(Protocol[_Found_co]):
    """A landmarker, as those of ``kemps_vision.people.tasks``."""

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> Sequence[_Found_co]:
        """What is found in the picture or a part of it."""
        ...


@dataclass(slots=True)
class Memory:
    """The questions and answers of all readers of one watching, in the order in which they were made.

    Attributes:
        path: The file that they are kept in.
        is_known: Whether they come from the file; else they are being gathered.
    """

    path: Path
    is_known: bool = False
    _readers: list[Remembering[Any]] = field(default_factory=list)
    _kept: dict[str, NDArray[np.float64 | np.float32]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> Memory:
        """What the file holds; a memory to be filled where it is missing or damaged."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
                return cls(path, is_known=True, _kept={name: kept[name] for name in kept.files})
        except (OSError, ValueError, zipfile.BadZipFile):
            return cls(path)

    def forgotten(self) -> Memory:
        """An empty one for the same file."""
        return Memory(self.path)

    def faces(self, make: Callable[[], Reads[FacePose]]) -> Remembering[FacePose]:
        """A reader of faces; the landmarker is made when something is not known."""
        return self._reader(make, _face_rows, _faces)

    def hands(self, make: Callable[[], Reads[HandPose]]) -> Remembering[HandPose]:
        """A reader of hands."""
        return self._reader(make, _hand_rows, _hands)

    def keep(self) -> None:
        """Writes what was gathered.

        Raises:
            OSError: It cannot be written.
        """
        if self.is_known:
            return
        arrays: dict[str, NDArray[Any]] = {}
        for number, reader in enumerate(self._readers):
            arrays[f"{number}.questions"] = np.array(reader.questions, np.float64).reshape(-1, 5)
            arrays[f"{number}.counts"] = np.array([len(rows) for rows in reader.answers], np.int32)
            arrays[f"{number}.rows"] = (
                np.concatenate(reader.answers) if reader.answers else np.zeros((0, 0), np.float32)
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.path.parent) as aside:
            made = Path(aside) / "memory.npz"
            np.savez_compressed(made, allow_pickle=False, **arrays)
            made.replace(self.path)

    def _reader(
        self,
        make: Callable[[], Reads[Pose]],
        rows_of: Callable[[Sequence[Pose]], NDArray[np.float32]],
        poses_of: Callable[[NDArray[np.float32]], list[Pose]],
    ) -> Remembering[Pose]:
        reader = Remembering(make, rows_of, poses_of)
        if self.is_known:
            number = len(self._readers)
            if f"{number}.questions" not in self._kept:
                raise OutOfStepError
            reader.remember(*(self._kept[f"{number}.{name}"] for name in ("questions", "counts", "rows")))
        self._readers.append(reader)
        return reader


class Remembering(Generic[Pose]):
    """One reader: answers from memory, or asks the landmarker and takes note."""

    def __init__(
        self,
        make: Callable[[], Reads[Pose]],
        rows_of: Callable[[Sequence[Pose]], NDArray[np.float32]],
        poses_of: Callable[[NDArray[np.float32]], list[Pose]],
    ) -> None:
        self._make = make
        self._rows_of = rows_of
        self._poses_of = poses_of
        self._reader: Reads[Pose] | None = None
        self._is_known = False
        self._next = 0
        self.questions: list[_Question] = []
        self.answers: list[NDArray[np.float32]] = []

    def remember(self, questions: NDArray[Any], counts: NDArray[Any], rows: NDArray[Any]) -> None:
        """Takes over what was asked and answered before."""
        ends = np.cumsum(counts)
        self.questions = [tuple(row) for row in questions.tolist()]
        self.answers = [rows[end - count : end] for count, end in zip(counts, ends, strict=True)]
        self._is_known = True

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[Pose]:
        """What is found, as the landmarker says.

        Raises:
            OutOfStepError: The time before something else was asked here.
        """
        question = (*(_NOWHERE if box is None else box), -1.0 if at_ms is None else float(at_ms))
        if not self._is_known:
            if self._reader is None:
                self._reader = self._make()
            rows = self._rows_of(self._reader.read(pixels, box, at_ms))
            self.questions.append(question)
            self.answers.append(rows)
            return self._poses_of(rows)
        here = self._next
        self._next += 1
        if here >= len(self.questions) or not _is_same(self.questions[here], question):
            raise OutOfStepError
        return self._poses_of(self.answers[here])


def _is_same(one: Iterable[float], other: Iterable[float]) -> bool:
    # A box that is not there is not a number, which is not even equal to itself.
    return np.array_equal(np.array(tuple(one)), np.array(tuple(other)), equal_nan=True)


def _face_rows(faces: Sequence[FacePose]) -> NDArray[np.float32]:
    """(n, 1502): landmarks, blendshapes, the head's matrix, which is not a number where it is not known."""
    rows = [
        np.concatenate(
            [
                face.landmarks.ravel(),
                face.blendshapes,
                np.full(16, np.nan) if face.head is None else face.head.ravel(),
            ]
        )
        for face in faces
    ]
    return np.array(rows, np.float32).reshape(len(rows), _FACE_ROW)


def _faces(rows: NDArray[np.float32]) -> list[FacePose]:
    end = 3 * FACE_POINTS
    return [
        FacePose(
            row[:end].reshape(FACE_POINTS, 3),
            row[end:-16],
            None if np.isnan(row[-16:]).any() else row[-16:].reshape(4, 4),
        )
        for row in rows
    ]


def _hand_rows(hands: Sequence[HandPose]) -> NDArray[np.float32]:
    """(n, 65): landmarks, score, whether it is a left hand."""
    rows = [np.append(hand.landmarks.ravel(), [hand.score, hand.is_left]) for hand in hands]
    return np.array(rows, np.float32).reshape(len(rows), _HAND_ROW)


def _hands(rows: NDArray[np.float32]) -> list[HandPose]:
    end = 3 * HAND_POINTS
    return [HandPose(row[:end].reshape(HAND_POINTS, 3), float(row[end]), bool(row[end + 1])) for row in rows]
