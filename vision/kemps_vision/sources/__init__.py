"""Where frames come from: video files, stream URLs, webcams and folders of stills."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kemps_vision.errors import SourceError
from kemps_vision.frame import FrameSource
from kemps_vision.sources.files import VideoFile
from kemps_vision.sources.stills import StillFolder
from kemps_vision.sources.webcam import Webcam

__all__ = ["StillFolder", "VideoFile", "Webcam", "kind_of", "open_source"]

_WEBCAM_PREFIX: Final = "/dev/video"


def kind_of(text: str) -> str:
    """What a source text names: ``webcam``, ``stream``, ``stills`` or ``file``."""
    if text.isdigit() or text.startswith(_WEBCAM_PREFIX):
        return "webcam"
    if "://" in text and not text.startswith("file://"):
        return "stream"
    return "stills" if Path(text).is_dir() else "file"


def open_source(text: str, *, camera: str = "table") -> FrameSource:
    """The frames of a file, a folder of stills, a camera's number, or a stream URL.

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
        return StillFolder(Path(text), camera=camera)
    return VideoFile(text.removeprefix("file://"), camera=camera, is_stream=kind == "stream")
