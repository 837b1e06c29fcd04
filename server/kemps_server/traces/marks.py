"""What was seen as lines and texts for a script to draw over a video: as the frames' own marks look."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kemps_server.traces.drawing import reading_of
from kemps_server.traces.trace import Trace
from kemps_vision.draw.people import DOUBTFUL_FACE, HAND, HAND_BONES
from kemps_vision.draw.reading import LINES, standing_of, texts_of
from kemps_vision.draw.text import Colour
from kemps_vision.people.landmarks import Box

STYLE: Final[dict[str, Any]] = {
    "hand": [*HAND],
    "face": [*DOUBTFUL_FACE],
    "bones": [list(one) for one in HAND_BONES],
}
"""Colours of hands and faces, and which points of a hand are joined."""


def marks_of(trace: Trace, *, with_people: bool) -> dict[str, Any]:
    """What is drawn for one frame: px of the picture, and for those who judge hands and faces, too."""
    reading = reading_of(trace)
    doubles = frozenset(str(card) for card in reading.duplicates)
    told: dict[str, Any] = {"at_ms": trace.at_ms, "cards": []}
    for card in reading.cards:
        colour, dash, gap = LINES[standing_of(card, doubles)]
        name, note = texts_of(card, doubles)
        told["cards"].append(
            {
                "name": name,
                "note": note,
                "quad": _points(card.quad),
                "colour": _rgb(colour),
                "dash": [dash, gap],
            }
        )
    if with_people:
        told["hands"] = [_points(hand.points) for hand in trace.hands]
        told["faces"] = [_rectangle(face.box) for face in trace.faces]
    return told


def _points(points: Any) -> list[list[int]]:  # noqa: ANN401 - an array of any kind
    return np.rint(np.asarray(points)[:, :2]).astype(int).tolist()  # type: ignore[no-any-return]


def _rectangle(box: Box) -> list[int]:
    return [round(float(one)) for one in (box.left, box.top, box.width, box.bottom - box.top)]


def _rgb(colour: Colour) -> list[int]:
    return [int(part) for part in colour]
