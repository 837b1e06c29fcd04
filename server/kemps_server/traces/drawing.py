"""What was seen, drawn on its frame by the code that draws live ones."""

from __future__ import annotations

from typing import Final

import numpy as np

from kemps_server.traces.trace import Trace
from kemps_vision.cards.reading import CardReading, Reading
from kemps_vision.draw.layout import LabelPlacer
from kemps_vision.draw.people import draw_people
from kemps_vision.draw.reading import mark_cards
from kemps_vision.frame import Image
from kemps_vision.people.contact.stills import StillReading
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.landmarks import FaceSpot, HandPose

_ALPHABET: Final = "international"
_CLAIMED: Final = 0.5


def draw_trace(pixels: Image, trace: Trace, *, with_people: bool, placer: LabelPlacer | None = None) -> Image:
    """A copy of the picture with its cards marked and, for those who judge, hands and faces."""
    drawn = pixels.copy()
    if with_people and (trace.hands or trace.faces):
        drawn = draw_people(drawn, _people(trace), least_score=_CLAIMED)
    factor = drawn.shape[1] / pixels.shape[1]  # a small picture is enlarged for people
    mark_cards(drawn, _reading(trace), factor=factor, placer=placer or LabelPlacer())
    return drawn


def _reading(trace: Trace) -> Reading:
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
