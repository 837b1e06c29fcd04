"""What was seen, drawn on its frame by the code that draws live ones."""

from __future__ import annotations

from typing import Final

import numpy as np

from kemps_server.traces.reader import Traces
from kemps_server.traces.trace import Trace
from kemps_vision.cards.reading import CardReading, Reading
from kemps_vision.draw.layout import LabelPlacer
from kemps_vision.draw.people import draw_people
from kemps_vision.draw.reading import mark_cards
from kemps_vision.frame import Frame, Image
from kemps_vision.people.contact.stills import StillReading
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.landmarks import FaceSpot, HandPose

_ALPHABET: Final = "international"
_CLAIMED: Final = 0.5


def draw_trace(pixels: Image, trace: Trace, *, with_people: bool, placer: LabelPlacer | None = None) -> Image:
    """A copy of the picture with its cards marked and, for those who judge, hands and faces.

    A small picture is enlarged for people, whether there are any or not, so that all frames are of a size.
    """
    drawn = draw_people(pixels, _people(trace), least_score=_CLAIMED) if with_people else pixels.copy()
    factor = drawn.shape[1] / pixels.shape[1]
    mark_cards(drawn, reading_of(trace), factor=factor, placer=placer or LabelPlacer())
    return drawn


class TraceDrawer:
    """Draws what was seen on the frames of a span, labels staying where they are."""

    def __init__(self, traces: Traces, *, with_people: bool) -> None:
        self._traces = traces
        self._with_people = with_people
        self._placer = LabelPlacer()

    def draw(self, frame: Frame) -> Image:
        """The frame with what was seen in it; as it is, if nothing was kept."""
        trace = self._traces.at(frame.camera, frame.at_ms) or Trace(at_ms=frame.at_ms)
        return draw_trace(frame.pixels, trace, with_people=self._with_people, placer=self._placer)


def reading_of(trace: Trace) -> Reading:
    """What was read in a frame, as the drawing of readings takes it."""
    cards = tuple(
        CardReading(
            card=one.card,
            score=one.score,
            quad=np.asarray(one.quad, np.float64),
            log_p=np.zeros(52),
            indices=(),
        )
        for one in trace.cards
    )
    unread = sum(card.card is None for card in cards)
    return Reading(cards, unread=unread, face_down=0, alphabet=_ALPHABET, ms=0.0)


def _people(trace: Trace) -> StillReading:
    return StillReading(
        faces=[FoundFace(FaceSpot(face.box, 1.0, np.zeros((6, 2), np.float32))) for face in trace.faces],
        hands=[HandPose(hand.points, 1.0, is_left=False) for hand in trace.hands],
        bodies=[],
        touches=[],
        face_touches=[],
    )
