"""What a calibration left beside its ``table.toml``: which values are its own, and how each camera stood.

``table.toml`` has ``table.calibration.json`` beside it. By it a value that a person wrote is told from one
that was found, and a camera that was moved since from one that was not. It holds no picture, only the small
patches of ``anchors``; it may be deleted, then nothing is known of either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kemps_vision.calibration.anchors import Anchors
from kemps_vision.errors import CalibrationError

VERSION: Final = 1
_AGAIN: Final = "delete it, or run kemps calibrate again"


@dataclass(frozen=True, slots=True, eq=False)
class CameraRecord:
    """How a camera stood: the size of its pictures, and what stays in them."""

    size: tuple[int, int]
    anchors: Anchors

    def anchors_for(self, width: int, height: int) -> Anchors | None:
        """The anchors, for pictures of this size; None when they have another shape than those looked at."""
        return self.anchors if _is_same_shape(self.size, (width, height)) else None


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationRecord:
    """The values that were found, by names as ``camera.table.centre``, and the cameras by name."""

    found: Mapping[str, Any] = field(default_factory=dict)
    cameras: Mapping[str, CameraRecord] = field(default_factory=dict)


def record_path(config: Path) -> Path:
    """Where the record of a ``table.toml`` lies.

    >>> record_path(Path("club/table.toml")).as_posix()
    'club/table.calibration.json'
    """
    return config.with_suffix(".calibration.json")


def record_text(record: CalibrationRecord) -> str:
    """A record as one line of JSON."""
    cameras = {
        name: {"size": list(camera.size), **camera.anchors.as_json()}
        for name, camera in record.cameras.items()
    }
    told = {"version": VERSION, "found": dict(record.found), "cameras": cameras}
    return json.dumps(told, ensure_ascii=False)


def save_record(path: Path, record: CalibrationRecord) -> None:
    """Writes a record.

    Raises:
        OSError: It cannot be written.
    """
    path.write_text(record_text(record) + "\n", encoding="utf-8")


def load_record(path: Path) -> CalibrationRecord | None:
    """The record at this path; None when there is none.

    Raises:
        CalibrationError: There is something else.
    """
    if not path.exists():
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CalibrationError(f"{path}: is no record of a calibration ({error}); {_AGAIN}") from None
    return parse_record(text, where=str(path))


def parse_record(text: str, *, where: str) -> CalibrationRecord:
    """The record that a text is; ``where`` it stands.

    Raises:
        CalibrationError: It is none.
    """
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise CalibrationError(f"{where}: was written by another version of kemps; {_AGAIN}")
        cameras = {
            str(name): CameraRecord((int(one["size"][0]), int(one["size"][1])), Anchors.of_json(one))
            for name, one in data["cameras"].items()
        }
        return CalibrationRecord(dict(data["found"]), cameras)
    except CalibrationError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise CalibrationError(f"{where}: is no record of a calibration ({error}); {_AGAIN}") from None


def _is_same_shape(one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Whether pictures of two sizes show the same, larger or smaller."""
    return abs(one[0] * two[1] - two[0] * one[1]) <= max(one[0] * two[1], two[0] * one[1]) / 100
