"""Labelled photos and clips of people: what is to be seen in each."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError

D6: Final = "d6"
"""The clip of odd, asymmetric grimaces; it stands apart in every figure of gestures."""

HANDSHAKES: Final = "handshakes, squeezed into a square"
_COLUMNS: Final = {"file", "kind", "faces", "people_hands_touch", "hand_on_face", "events", "confidence"}
_EVENT: Final = re.compile(r"(\w+)@(\d+)-(\d+)")
_NOT_ALL_LABELLED: Final = re.compile(r"(^|[_-])(d6|d11|d12|d19|d20)\.|source__s")
_YES_OR_NO: Final = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class LabelledEvent:
    """Something that a clip shows, from one frame to another; both counted from 0."""

    what: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Scene:
    """One labelled photo or clip.

    Attributes:
        path: Where it is.
        is_clip: Whether it moves.
        faces: How many there are, None when that is not labelled.
        hands_touch: Whether hands of two people touch, None when that is not known.
        hand_on_face: Whether a hand lies on a face, None when that is not known.
        events: What a clip shows.
        kind: What kind of picture it is, see ``_kind_of``.
    """

    path: Path
    is_clip: bool
    faces: int | None
    hands_touch: bool | None
    hand_on_face: bool | None
    events: tuple[LabelledEvent, ...]
    kind: str

    @property
    def is_all_labelled(self) -> bool:
        """Whether every blink, wink and raised brow of the clip is labelled, so that others are false."""
        return not _NOT_ALL_LABELLED.search(self.path.name)

    @property
    def is_d6(self) -> bool:
        """Whether it is the clip of odd grimaces."""
        return re.search(rf"(^|[_-]){D6}\.", self.path.name) is not None

    @property
    def counts_faces(self) -> bool:
        """Whether its faces are counted: labelled ones that are not all of a handshake."""
        return self.faces is not None and self.kind != HANDSHAKES

    @property
    def counts_touching(self) -> bool:
        """Whether it says anything of hands that touch: two people, and a label."""
        return self.hands_touch is not None and ((self.faces or 0) >= 2 or self.hands_touch)


def load_scenes(folder: Path) -> list[Scene]:
    """All that ``labels.csv`` in the folder lists and that is there, except labels of low confidence.

    Raises:
        KempsServerError: The folder has no such list, or the list cannot be used.
    """
    labels = folder / "labels.csv"
    try:
        with labels.open(newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            rows = list(table)
    except (OSError, UnicodeDecodeError, csv.Error):
        message = f"{labels}: not there or not readable; --data names the folder of photos and clips"
        raise KempsServerError(message) from None
    if missing := _COLUMNS - set(table.fieldnames or ()):
        raise KempsServerError(f"{labels}: lacks the columns {', '.join(sorted(missing))}")
    scenes = [_scene(folder, row) for row in rows if row["confidence"] != "low"]
    return [scene for scene in scenes if scene.path.is_file()]


def _scene(folder: Path, row: dict[str, str]) -> Scene:
    faces = int(row["faces"]) if row["faces"].isdigit() else None
    return Scene(
        path=folder / row["file"],
        is_clip=row["kind"] == "video",
        faces=faces,
        hands_touch=_YES_OR_NO.get(row["people_hands_touch"]),
        hand_on_face=_YES_OR_NO.get(row["hand_on_face"]),
        events=tuple(
            LabelledEvent(name, int(first), int(last)) for name, first, last in _EVENT.findall(row["events"])
        ),
        kind=_kind_of(row, faces),
    )


def _kind_of(row: dict[str, str], faces: int | None) -> str:
    """What kind of picture it is, told from its labels."""
    notes = row.get("notes") or ""
    if "handshake" in row["file"].lower() or "handshake" in notes.lower():
        return HANDSHAKES
    if "HaGRID call" in notes:
        return "one person, thumb and little finger held out"
    if "HaGRID" in notes:
        return "one person, a hand held up"
    if faces is None or faces >= 2:
        return "two people or more"
    return "one person" if faces else "no face"
