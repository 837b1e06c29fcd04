"""Pictures and strips of frames of what went wrong with people, to see what kind it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kemps_server.bench.card_sheet import write_sheet
from kemps_server.bench.people_kept import Answer
from kemps_server.bench.people_labels import Scene
from kemps_server.bench.people_stills import ON_FACE, TOUCH, best_score
from kemps_server.cli.look_lines import LEAST_TOLD
from kemps_vision.cards.reading import Pixels
from kemps_vision.cards.stills import load_still
from kemps_vision.frame import Image
from kemps_vision.people.face_search import widened
from kemps_vision.people.landmarks import Box
from kemps_vision.sources import open_source

MOST: Final = 90
FRAMES: Final = 4
BEFORE_MS: Final = 200  # of a strip, before what went wrong
_TILE: Final = (640, 520)
_CAPTION_PX: Final = 44
_PAPER: Final = 245
_INK: Final = (20, 20, 20)
_FOUND: Final = (20, 160, 60)
_ROUND_FACE: Final = 2.0  # times the face


def write_people_sheet(path: Path, stills: Sequence[tuple[Scene, Answer]], strips: Sequence[Pixels]) -> None:
    """Writes a sheet of the photos in which something was wrong, and of strips of clips; at most ninety each.

    Raises:
        WorkFailedError: The file cannot be written.
    """
    tiles = [_still(scene, answer, what) for scene, answer in stills if (what := wrong_in(scene, answer))]
    write_sheet(path, [*tiles[:MOST], *strips[:MOST]])


def wrong_in(scene: Scene, answer: Answer) -> str:
    """What was wrong in a photo, in words; nothing when all was right."""
    said = []
    if scene.counts_faces and scene.faces != len(answer["faces"]):
        said.append(f"{len(answer['faces'])} faces of {scene.faces}")
    for kind, label in ((ON_FACE, scene.hand_on_face), (TOUCH, _touching(scene))):
        score = best_score(answer, kind)
        if label is not None and (score >= LEAST_TOLD) != label:
            said.append(f"{kind} {'missed' if label else 'made up'}, {score:.2f}")
    return "; ".join(said)


def strips_of(
    failures: Sequence[Mapping[str, Any]], video: Path, truth: Mapping[str, Any], most: int
) -> Iterator[Pixels]:
    """A strip for each of some failures of one clip."""
    if not failures or most <= 0:
        return
    with open_source(str(video)) as source:
        frames = [(frame.at_ms, frame.pixels) for frame in source]
    for failure in failures[:most]:
        yield strip(frames, failure, truth)


def strip(
    frames: Sequence[tuple[int, Image]], failure: Mapping[str, Any], truth: Mapping[str, Any]
) -> Pixels:
    """Four moments of a failure: the face that it is about, or the whole picture, under what went wrong."""
    title = "; ".join(f"{name} {value}" for name, value in failure.items() if not name.endswith("_ms"))
    times = f"{failure['at_ms']}-{failure['until_ms']} ms"
    canvas = _canvas(title, times)
    half = (_TILE[0] // 2, (_TILE[1] - _CAPTION_PX) // 2)
    moments = np.linspace(failure["at_ms"] - BEFORE_MS, failure["until_ms"], FRAMES)
    for place, moment in enumerate(moments.tolist()):
        at_ms, pixels = min(frames, key=lambda frame: abs(frame[0] - moment))
        part = _cut(pixels, _face_of(failure, truth, at_ms))
        _paste(canvas, part, (place % 2 * half[0], _CAPTION_PX + place // 2 * half[1]), half)
    return canvas


def _still(scene: Scene, answer: Answer, what: str) -> Pixels:
    pixels = np.array(load_still(scene.path))
    width = max(1, round(max(pixels.shape[:2]) / 300))
    for x, y, w, h in answer["faces"]:
        cv2.rectangle(pixels, (round(x), round(y)), (round(x + w), round(y + h)), _FOUND, width)
    reasons = "; ".join(f"{one['kind']} {one['score']:.2f} {one['reason']}" for one in answer["contacts"][:2])
    canvas = _canvas(f"{scene.path.name[-50:]}: {what}", reasons)
    _paste(canvas, pixels, (0, _CAPTION_PX), (_TILE[0], _TILE[1] - _CAPTION_PX))
    return canvas


def _touching(scene: Scene) -> bool | None:
    return scene.hands_touch if scene.counts_touching else None


def _face_of(failure: Mapping[str, Any], truth: Mapping[str, Any], at_ms: int) -> Box | None:
    """Where the face of a failure truly is at a time; None for what is not about a face."""
    frame = min(truth["frames"], key=lambda row: abs(row.get("at_ms", row.get("t_ms", 0)) - at_ms))
    rows = [] if truth.get("slots") or truth.get("over_centre") else frame.get("faces", [])
    boxes = [row["box"] for row in rows if row["seat"] == failure.get("who")]
    return widened(Box(*map(float, boxes[0])), _ROUND_FACE) if boxes else None


def _cut(pixels: Image, box: Box | None) -> Image:
    if box is None:
        return pixels
    height, width = pixels.shape[:2]
    left, top = max(0, int(box.left)), max(0, int(box.top))
    return pixels[
        top : max(top + 1, min(height, int(box.bottom))), left : max(left + 1, min(width, int(box.right)))
    ]


def _canvas(*lines: str) -> Pixels:
    canvas = np.full((_TILE[1], _TILE[0], 3), _PAPER, np.uint8)
    for row, text in enumerate(lines):
        cv2.putText(
            canvas, text[:92], (6, 16 + 18 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA
        )
    return canvas


def _paste(canvas: Pixels, picture: Image, place: tuple[int, int], size: tuple[int, int]) -> None:
    """Puts a picture into a field of the canvas, as large as it fits."""
    factor = min(size[0] / picture.shape[1], size[1] / picture.shape[0])
    width, height = max(1, int(picture.shape[1] * factor)), max(1, int(picture.shape[0] * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    x, y = place
    canvas[y : y + height, x : x + width] = cv2.resize(picture, (width, height), interpolation=method)
