"""What ``kemps gestures`` and ``kemps look`` say of labelled clips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from kemps_server.bench.people_episodes import (
    SIGNALS,
    Matched,
    Span,
    class_figures,
    lines,
    matched,
    onsets,
    spans_of,
)
from kemps_server.bench.people_kept import Answer, content_hash, watcher_version
from kemps_server.bench.people_labels import LabelledEvent, Scene
from kemps_server.bench.people_stills import ON_FACE, TOUCH, claims
from kemps_server.cli import gestures, look_lines
from kemps_server.cli.gestures import as_line, told_of
from kemps_server.cli.look_lines import spans_line
from kemps_vision.people.contact.clips import ClipReader
from kemps_vision.people.contact.stills import StillReader
from kemps_vision.sources import open_source

NAMES: Final = MappingProxyType(
    {
        "wink_imgL": "wink_right",  # the picture's left is the person's right
        "wink_imgR": "wink_left",
        "brow": "brow_raise",
        "brow_one_side": "brow_raise",
        "gaze_down": "look_down",
    }
)
"""What labels call otherwise than the journal does."""

EXHAUSTIVE: Final = frozenset({"blink", *SIGNALS})
"""Classes of which every one is labelled in clips that are all labelled; of others only some are."""

_LABELLED: Final = EXHAUSTIVE | {"eyes_closed", "smile", "mouth_open", "frown", "look_down", "tongue"}


@dataclass(frozen=True, slots=True)
class GestureTask:
    """A clip whose gestures are to be told."""

    path: Path

    @property
    def key(self) -> str:
        """The file, what is in it, and the code that watches."""
        code = watcher_version(
            "kemps_vision.people.gestures.following",
            "kemps_vision.people.face_search",
            "kemps_vision.people.tasks",
            own=gestures.__file__,
        )
        return f"gestures {self.path.name} {content_hash(self.path)} {code}"

    def run(self, work: Path) -> Answer:
        """Episodes as the command tells them."""
        del work
        return {"gestures": [as_line(number, one, {}) for number, one in told_of(str(self.path))]}


@dataclass(frozen=True, slots=True)
class ContactTask:
    """A clip whose contacts are to be told."""

    path: Path

    @property
    def key(self) -> str:
        """The file, what is in it, and the code that watches."""
        code = watcher_version("kemps_vision.people.contact.clips", own=look_lines.__file__)
        return f"contacts {self.path.name} {content_hash(self.path)} {code}"

    def run(self, work: Path) -> Answer:
        """Spans as the command tells them, and how many frames there are, and how many a second."""
        del work
        reader, frames = ClipReader(_reader()), 0
        with open_source(str(self.path)) as source:
            fps = source.info.fps
            for frame in source:
                reader.step(frame.at_ms, frame.pixels)
                frames += 1
        return {"fps": fps, "frames": frames, "contacts": spans_line(self.path, reader.finish())["spans"]}


def clip_figures(pairs: Sequence[tuple[Scene, Answer]]) -> dict[str, Any]:
    """The figures of all clips, with the clip of odd grimaces and without."""
    results = [(scene, answer, gestures_of(scene, answer)) for scene, answer in pairs]
    usual = [result for result in results if not result[0].is_d6]
    return {
        "clips": len(pairs),
        "minutes": round(sum(_minutes(answer) for _, answer in pairs), 2),
        "gestures": _gestures(usual),
        "gestures_in_d6": _gestures([result for result in results if result[0].is_d6]),
        "onset": onsets(pair for _, _, found in usual for pair in found.hits),
        ON_FACE: _spans_claims(pairs, ON_FACE),
        TOUCH: _spans_claims(pairs, TOUCH),
        "touch_minutes_without": _without_touching(pairs),
        "failures": [line for scene, _, found in results for line in lines(found, scene.path.name)],
    }


def gestures_of(scene: Scene, answer: Answer) -> Matched:
    """What was told of a clip against its labels; false ones only of classes that are all labelled."""
    want = [span for event in scene.events if (span := _true(event, answer["fps"])) is not None]
    told = [row for row in answer["gestures"] if row["kind"] == "gesture"]
    got = [span._replace(who="") for span in spans_of(told, "gesture", "face")]
    found = matched(want, got)
    if not scene.is_all_labelled:
        found.extra.clear()
    found.extra[:] = [span for span in found.extra if span.kind in EXHAUSTIVE]
    return found


def contact_score(answer: Mapping[str, Any], kind: str) -> float:
    """How sure the surest contact of a kind is in a clip, 0 without any."""
    return float(max((span["score"] for span in answer["contacts"] if span["kind"] == kind), default=0.0))


def _true(event: LabelledEvent, fps: float) -> Span | None:
    name = NAMES.get(event.what, event.what)
    if name not in _LABELLED:
        return None
    return Span("", name, event.first * 1000 / fps, event.last * 1000 / fps)


def _gestures(results: Sequence[tuple[Scene, Answer, Matched]]) -> dict[str, Any]:
    found = Matched()
    for _, _, one in results:
        found.add(one)
    minutes = sum(_minutes(answer) for scene, answer, _ in results if scene.is_all_labelled)
    return {"clips": len(results), "classes": class_figures(found, minutes)}


def _spans_claims(pairs: Sequence[tuple[Scene, Answer]], kind: str) -> dict[str, Any]:
    labelled = [
        (contact_score(answer, kind), is_so)
        for scene, answer in pairs
        if (is_so := scene.hand_on_face if kind == ON_FACE else scene.hands_touch) is not None
    ]
    scores = {scene.path.name: contact_score(answer, kind) for scene, answer in pairs}
    return {**claims(labelled), "scores": {name: score for name, score in scores.items() if score > 0}}


def _without_touching(pairs: Sequence[tuple[Scene, Answer]]) -> float:
    return round(sum(_minutes(answer) for scene, answer in pairs if scene.hands_touch is False), 2)


def _minutes(answer: Answer) -> float:
    return float(answer["frames"]) / float(answer["fps"]) / 60


@cache
def _reader() -> StillReader:
    return StillReader()
