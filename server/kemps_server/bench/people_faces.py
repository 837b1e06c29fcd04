"""Clips of made-up faces, watched as ``kemps observe`` watches a camera that looks at players."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from kemps_rules.events import Event, Gesture
from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.bench.people_clips import BodyClip, DrawnClip, drawn
from kemps_server.bench.people_kept import Answer, content_hash, watcher_version
from kemps_server.bench.people_memory import Memory, OutOfStepError
from kemps_server.bench.people_stills import width_class
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.people.landmarks import Box, FacePose
from kemps_vision.people.tasks import FaceReader, HandReader
from kemps_vision.sources import open_source

MOST_TURNED: Final = 40.0  # degrees; a face turned away further is not measured
_IN_PICTURE: Final = 0.95
_CAMERA: Final = "faces"


@dataclass(frozen=True, slots=True)
class FaceTask:
    """A clip of made-up people before a camera for faces."""

    clip: BodyClip

    @property
    def key(self) -> str:
        """The clip, the code that draws it and the code that watches."""
        code = watcher_version("kemps_vision.people.face_watch", "kemps_vision.people.tasks", own=__file__)
        return f"faces {self.clip} {code} {code_fingerprint('kemps_scenes.bodies.scripts')}"

    def run(self, work: Path) -> Answer:
        """What was told, and which faces were found; the clip is drawn when it is not there."""
        made = drawn(self.clip, work / "clips")
        version = watcher_version("kemps_vision.people.tasks")
        memory = Memory.of(work / "landmarks" / f"faces-{content_hash(made.video)}-{version}.npz")
        try:
            answer = _look(made, memory)
        except OutOfStepError:
            memory = memory.forgotten()
            answer = _look(made, memory)
        memory.keep()
        return answer


@dataclass(slots=True)
class FaceSights:
    """Which of the faces that can be seen were found, by their width, and at whose place another's was.

    Attributes:
        by_width: For each class of widths how many were found, and of how many.
        other: Sights of a seat's face where another seat's face is.
    """

    by_width: dict[str, list[int]] = field(default_factory=dict)
    other: int = 0

    def see(self, faces: Mapping[str, FacePose], there: Iterable[Mapping[str, Any]]) -> None:
        """Takes one frame in; ``there`` are its rows of faces."""
        rows = {row["seat"]: row for row in there}
        for seat, row in rows.items():
            is_asked = row["in_frame"] >= _IN_PICTURE and abs(row["yaw"]) <= MOST_TURNED
            found = faces.get(seat)
            if is_asked:
                counts = self.by_width.setdefault(width_class(row["box"][2] - row["box"][0]), [0, 0])
                counts[0] += found is not None and _is_at(found, row)
                counts[1] += 1
            if found is not None and not _is_at(found, row):
                self.other += any(_is_at(found, other) for name, other in rows.items() if name != seat)

    def as_json(self) -> Answer:
        """The counts as plain values."""
        return {"by_width": self.by_width, "other": self.other}


def _look(made: DrawnClip, memory: Memory) -> Answer:
    truth = made.truth()
    frames: Sequence[Mapping[str, Any]] = truth["frames"]
    times = np.array([frame["at_ms"] for frame in frames])
    # A table.toml is for four seats or more; these clips have one, two or four.
    boxes = {row["seat"]: Box(*map(float, row["box"])) for row in frames[0]["faces"]}
    sights, events, start = FaceSights(), list[Event](), time.process_time()
    with open_source(str(made.video), camera=_CAMERA) as source:
        watch = FaceWatch(
            boxes,
            lambda: memory.faces(lambda: FaceReader(is_video=True)),
            hands=memory.hands(lambda: HandReader(is_video=True, most=2 * len(boxes))),
            camera=_CAMERA,
        )
        for frame in source:
            events += watch.step(frame.at_ms, frame.pixels)
            sights.see(watch.faces, frames[int(np.abs(times - frame.at_ms).argmin())]["faces"])
    events += watch.finish()
    return {
        "duration_ms": truth["duration_ms"],
        "seats": len(boxes),
        "want": _wanted(truth),
        "told": [row for event in events if (row := _told(event)) is not None],
        "sights": sights.as_json(),
        "cpu_s": round(time.process_time() - start, 2),
        "is_remembered": memory.is_known,
    }


def _wanted(truth: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the faces truly do; a hand is on a face while it rests there."""
    hands = [
        {
            "seat": act["hands"][0][0],
            "gesture": act["kind"],
            "at_ms": act["core_ms"][0],
            "until_ms": act["core_ms"][1],
        }
        for act in truth["acts"]
        if act["kind"].startswith("hand_to_")
    ]
    return [*truth["gestures"], *hands]


def _told(event: Event) -> dict[str, Any] | None:
    if not isinstance(event, Gesture):
        return None
    return {
        "seat": event.seat,
        "gesture": event.gesture,
        "at_ms": event.at_ms,
        "until_ms": event.until_ms,
        "strength": event.strength,
        "confidence": event.confidence,
    }


def _is_at(face: FacePose, row: Mapping[str, Any]) -> bool:
    """Whether a found face lies where a true one does: its middle in the true one's box."""
    x, y = face.box.centre
    x0, y0, x1, y1 = row["box"]
    return bool(x0 <= x <= x1 and y0 <= y <= y1)
