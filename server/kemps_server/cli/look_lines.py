"""What ``kemps look --json`` says of one picture, as the contract of the command has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kemps_vision.frame import Image
from kemps_vision.people.contact.spans import ContactSpan
from kemps_vision.people.contact.stills import StillReading
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.landmarks import BLENDSHAPES, BodyPose, Box, HandPose, Landmarks

LEAST_TOLD: Final = 0.5  # a contact of this score is a claim
LEAST_LISTED: Final = 0.05  # in JSON, for who wants another threshold


def still_line(
    path: Path,
    pixels: Image,
    seen: StillReading,
    ms: float,
    *,
    everything: bool = False,
    at_ms: int | None = None,
) -> dict[str, Any]:
    """One picture; boxes are left, top, width, height, and all lengths are px of the picture.

    ``everything`` adds the landmarks of faces and bodies; ``at_ms`` is there for pictures of a video.
    """
    return {
        "image": str(path),
        **({} if at_ms is None else {"at_ms": at_ms}),
        "size": [pixels.shape[1], pixels.shape[0]],
        "faces": [_face(face, everything=everything) for face in seen.faces],
        "hands": [_hand(hand) for hand in seen.hands],
        "bodies": [_body(body, everything=everything) for body in seen.bodies],
        "contacts": contacts_of(seen, LEAST_LISTED),
        "ms": round(ms, 1),
    }


def spans_line(path: Path, spans: Sequence[ContactSpan]) -> dict[str, Any]:
    """The contacts of a whole video, in the order they began."""
    return {
        "video": str(path),
        "spans": [
            {
                "kind": span.kind,
                "at_ms": span.at_ms,
                "until_ms": span.until_ms,
                "score": round(span.score, 3),
                "reason": span.reason,
                "at": [round(value, 1) for value in span.at],
            }
            for span in spans
        ],
    }


def claims_of(seen: StillReading) -> list[dict[str, Any]]:
    """The contacts that are claimed, the surest first."""
    return contacts_of(seen, LEAST_TOLD)


def contacts_of(seen: StillReading, least_score: float) -> list[dict[str, Any]]:
    """Contacts of at least that score, the surest first; ``at`` is a place, ``face`` counts faces from 0."""
    hands: list[dict[str, Any]] = [
        {
            "kind": "hands_touched",
            "score": round(touch.score, 3),
            "reason": touch.reason,
            "at": [round(value, 1) for value in touch.at],
        }
        for touch in seen.touches
        if touch.score >= least_score
    ]
    faces: list[dict[str, Any]] = [
        {
            "kind": "hand_on_face",
            "score": round(touch.score, 3),
            "reason": touch.reason,
            "face": touch.face,
            "place": touch.place,
        }
        for touch in seen.face_touches
        if touch.score >= least_score
    ]
    return sorted([*hands, *faces], key=lambda contact: -float(contact["score"]))


def _face(face: FoundFace, *, everything: bool) -> dict[str, Any]:
    angles = face.angles
    line: dict[str, Any] = {
        "box": _box(face.box),
        "score": round(face.score, 3),
        "angles": None
        if angles is None
        else {name: round(value, 1) for name, value in angles._asdict().items()},
        "blendshapes": None
        if face.pose is None
        else {
            name: round(float(value), 3)
            for name, value in zip(BLENDSHAPES, face.pose.blendshapes, strict=True)
        },
    }
    if everything:
        line["landmarks"] = None if face.pose is None else _points(face.pose.landmarks)
    return line


def _hand(hand: HandPose) -> dict[str, Any]:
    return {
        "box": _box(hand.box),
        "landmarks": _points(hand.landmarks),
        "score": round(hand.score, 3),
        "is_left": hand.is_left,
    }


def _body(body: BodyPose, *, everything: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"box": _box(body.box)}
    if everything:
        line["landmarks"] = _points(body.landmarks)
        line["visibility"] = [round(float(value), 3) for value in body.visibility]
    return line


def _box(box: Box) -> list[float]:
    return [round(value, 1) for value in (box.left, box.top, box.width, box.height)]


def _points(landmarks: Landmarks) -> list[list[float]]:
    return [[round(float(value), 1) for value in point] for point in landmarks]
