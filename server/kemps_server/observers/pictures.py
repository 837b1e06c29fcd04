"""What each camera of a running game shows now, as JPEG files for whoever asks for them.

A picture is written once a second, and only while somebody looks: the server touches ``wanted`` when it is
asked for one. ``raw`` is the picture as it came, ``seen`` has the cards and zones of the observer on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kemps_vision.sources.recorded import folder_name

PICTURES: Final = "now"
WANTED: Final = "wanted"
WANTED_FOR_S: Final = 8.0


def picture_path(folder: Path, camera: str, *, is_marked: bool) -> Path:
    """Where the latest picture of a camera lies in a game's folder."""
    return folder / PICTURES / f"{folder_name(camera)}-{'seen' if is_marked else 'raw'}.jpg"


def want_pictures(folder: Path) -> None:
    """Ask for pictures for the next seconds.

    Raises:
        OSError: The folder cannot be written.
    """
    place = folder / PICTURES
    place.mkdir(parents=True, exist_ok=True)
    (place / WANTED).touch()


def latest_picture(folder: Path, camera: str, *, is_marked: bool, since_s: float) -> bytes | None:
    """The picture, when one was written since that time of day; None when there is none yet."""
    path = picture_path(folder, camera, is_marked=is_marked)
    try:
        return path.read_bytes() if path.stat().st_mtime >= since_s else None
    except OSError:
        return None
