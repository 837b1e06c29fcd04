"""A camera tried, or a table found in its pictures: in a process that lives only for it.

``python -m kemps_server.observers.looking`` reads what to do as JSON on standard input and answers with JSON.
A driver that hangs takes that process with it and nothing else (``look_apart``).
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kemps_rules.errors import KempsRulesError
from kemps_server.errors import KempsServerError
from kemps_server.observers.supervised import kill_group
from kemps_vision.errors import KempsVisionError
from kemps_vision.frame import Frame, FrameSource, Image
from kemps_vision.sources import kind_of, open_source

TRY_S: Final = 20.0
FIND_S: Final = 90.0
FIRST_FRAMES: Final = 5  # of a camera, whose first pictures are dark
LONGEST_PX: Final = 1280
DEVICES: Final = Path("/sys/class/video4linux")


@dataclass(frozen=True, slots=True)
class ListedCamera:
    """A camera that may be there."""

    source: str
    name: str


def listed_cameras(devices: Path = DEVICES) -> list[ListedCamera]:
    """The cameras that the system lists; where it lists none, the first numbers, which may lead to one."""
    if not devices.parent.is_dir():
        return [ListedCamera(str(number), "") for number in range(4)]
    found = [
        (int(device.name.removeprefix("video")), _text(device / "name"))
        for device in devices.glob("video*")
        # A webcam has further nodes for its metadata; its pictures come from the one with index 0.
        if device.name.removeprefix("video").isdigit() and _text(device / "index") in {"", "0"}
    ]
    return [ListedCamera(str(number), name) for number, name in sorted(found)]


def look_apart(request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
    """What a process of its own answers to the request.

    Raises:
        KempsServerError: It cannot be done, or took longer than that; the text says what to do.
    """
    process = subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-m", __spec__.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        answer, _ = process.communicate(json.dumps(request).encode(), timeout_s)
    except subprocess.TimeoutExpired:
        raise KempsServerError(
            f"{request.get('source', 'the camera')}: nothing came within {timeout_s:.0f} s; plug it in "
            "again, or close the program that uses it"
        ) from None
    finally:
        _end(process)
    try:
        told: dict[str, Any] = json.loads(answer)
    except ValueError:
        raise KempsServerError(
            f"{request.get('source', 'the camera')}: looking at it crashed (exit code {process.returncode})"
        ) from None
    if "problem" in told:
        raise KempsServerError(str(told["problem"]))
    return told


def answer_to(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer.

    Raises:
        KempsServerError: It cannot be done.
        KempsVisionError: A camera gives no picture, or nothing is found in it.
    """
    if request["do"] == "try":
        return try_camera(str(request["source"]))
    # Large, and only this process needs it: the server does not load it, and a camera is tried without it.
    from kemps_server.observers.finding import find_at  # noqa: PLC0415

    return find_at(request)


def try_camera(where: str) -> dict[str, Any]:
    """Size, rate and a picture of a camera, a stream, or a video file.

    Raises:
        KempsServerError: There are no pictures of this kind.
        SourceError: It cannot be opened.
    """
    if kind_of(where) not in {"webcam", "stream", "file"}:
        raise KempsServerError(f"{where} is neither a camera nor a video file")
    with open_source(where) as source:
        frame = _settled_frame(source)
        if frame is None:
            raise KempsServerError(f"{where} gives no picture")
        height, width = frame.pixels.shape[:2]
        fps = round(source.info.fps, 1)
        return {"size": [width, height], "fps": fps, "picture": jpeg_text(frame.pixels)}


def jpeg_text(pixels: Image) -> str:
    """A picture as the address of an image in a page."""
    scale = min(1.0, LONGEST_PX / max(pixels.shape[:2]))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", cv2.cvtColor(np.asarray(small, np.uint8), cv2.COLOR_RGB2BGR))
    return f"data:image/jpeg;base64,{base64.b64encode(data.tobytes()).decode()}"


def _settled_frame(source: FrameSource) -> Frame | None:
    """A picture that is as the next ones will be; of a film one from its middle."""
    middle_ms = min(15_000, (source.info.duration_ms or 0) // 2)
    last: Frame | None = None
    frame: Frame
    for frame in source:
        last = frame
        if frame.index >= FIRST_FRAMES and frame.at_ms >= middle_ms:
            break
    return last


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    kill_group(process)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


def main() -> None:
    """Answer the request on standard input."""
    try:
        told = answer_to(json.loads(sys.stdin.read()))
    except (KempsServerError, KempsVisionError, KempsRulesError) as error:
        told = {"problem": str(error)}
    print(json.dumps(told))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
