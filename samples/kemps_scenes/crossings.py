"""What is kept of a clip's frames: how well hands were shown, and which body-hands lay over each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np

WELL_VISIBLE: Final = 0.9
WELL_PX: Final = 70.0
_MERGED_MS: Final = 400  # a gap in a crossing that is none


@dataclass(slots=True)
class _Shown:
    """One reveal, while it is looked at."""

    seat: str
    cards: frozenset[str]
    since_ms: int
    well_frames: int = 0
    least_px: float = np.inf


class ShownCards:
    """Counts for each reveal the frames in which every card of the hand is large and in view."""

    def __init__(self, happenings: Iterable[Mapping[str, Any]]) -> None:
        self._shown = [
            _Shown(row["seat"], frozenset([*row["cards"], *row["under"]]), row["all_down_ms"])
            for row in happenings
            if row["type"] == "reveal"
        ]

    def look(self, frame: Mapping[str, Any]) -> None:
        """Takes in the truth of a frame."""
        for shown in self._shown:
            if frame["t_ms"] < shown.since_ms:
                continue
            cards = [card for card in frame["cards"] if card["card"] in shown.cards and _is_of(card, shown)]
            if len(cards) < len(shown.cards):
                continue
            shown.least_px = min(shown.least_px, *(_length(card) for card in cards))
            is_well = all(card["face_to_camera"] and card["visible"] >= WELL_VISIBLE for card in cards)
            shown.well_frames += is_well and shown.least_px >= WELL_PX

    def told(self, frame_ms: float) -> list[dict[str, Any]]:
        """A row for each reveal, in their order: ``seat``, ``well_shown_ms``, ``least_px``."""
        return [
            {
                "seat": shown.seat,
                "well_shown_ms": round(shown.well_frames * frame_ms),
                "least_px": round(float(shown.least_px), 1) if np.isfinite(shown.least_px) else 0.0,
            }
            for shown in self._shown
        ]


@dataclass(slots=True)
class Crossings:
    """Spans in which hands of two seats lie over each other in the picture."""

    spans: list[dict[str, Any]] = field(default_factory=list)

    def look(self, frame: Mapping[str, Any]) -> None:
        """Takes in the truth of a frame."""
        at_ms = frame["t_ms"]
        for one, other in combinations(frame["hands"], 2):
            if one["seat"] == other["seat"] or not _do_meet(one["box"], other["box"]):
                continue
            seats = sorted((one["seat"], other["seat"]))
            last = next((span for span in reversed(self.spans) if span["seats"] == seats), None)
            if last is not None and at_ms - last["t1_ms"] <= _MERGED_MS:
                last["t1_ms"] = at_ms
            else:
                self.spans.append({"t0_ms": at_ms, "t1_ms": at_ms, "seats": seats})


def _is_of(card: Mapping[str, Any], shown: _Shown) -> bool:
    return bool(card["place"].rpartition(":")[2] == shown.seat)


def _length(card: Mapping[str, Any]) -> float:
    quad = np.asarray(card["quad"], np.float64)
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())


def _do_meet(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
