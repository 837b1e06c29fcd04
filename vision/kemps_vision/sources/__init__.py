"""Where frames come from: video files, streams, webcams, folders of stills, and games that were recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kemps_vision.errors import SourceError
from kemps_vision.frame import FrameSource
from kemps_vision.sources.files import VideoFile
from kemps_vision.sources.recorded import RECORDING, RecordedGame, is_recorded_game
from kemps_vision.sources.stills import StillFolder
from kemps_vision.sources.stream import StreamCamera, is_endless
from kemps_vision.sources.webcam import Webcam

__all__ = [
    "RecordedGame",
    "StillFolder",
    "StreamCamera",
    "VideoFile",
    "Webcam",
    "kind_of",
    "open_source",
]

_WEBCAM_PREFIX: Final = "/dev/video"


def kind_of(text: str) -> str:
    """What a source text names: ``webcam``, ``stream``, ``recording``, ``stills`` or ``file``."""
    if text.isdigit() or text.startswith(_WEBCAM_PREFIX):
        return "webcam"
    if "://" in text and not text.startswith("file://"):
        return "stream"
    if not Path(text).is_dir():
        return "file"
    return "recording" if is_recorded_game(Path(text)) else "stills"


def open_source(text: str, *, camera: str = "table") -> FrameSource:
    """The frames of a file, a folder of stills, a recorded game, a camera's number, or a stream URL.

    Of a recorded game it is the camera of this name, or the table's when there is none.

    Raises:
        SourceError: It cannot be opened, or there is no picture in it.
    """
    if not text.strip():
        raise SourceError(
            "the source is empty; give a video file, a folder of stills, a camera's number or a URL"
        )
    kind = kind_of(text)
    if kind == "webcam":
        return Webcam(text, camera=camera)
    if kind == "stills":
        _refuse_game(Path(text))
        return StillFolder(Path(text), camera=camera)
    if kind == "recording":
        game = RecordedGame(Path(text))
        return game.cameras.get(camera, game.table)
    if kind == "stream" and is_endless(text):
        return StreamCamera(text, camera=camera)
    return VideoFile(text.removeprefix("file://"), camera=camera, is_stream=kind == "stream")


def _refuse_game(folder: Path) -> None:
    """Nothing, when this is no game; one that was watched from a file has no pictures of its own."""
    if (folder / RECORDING).is_file():
        raise SourceError(
            f"{folder}: is a game without recorded cameras; give the recording that it was watched from, "
            f"which its {RECORDING} names"
        )
