"""What a moved or covered camera is in the journal: a span that was not observed, and a note of the move."""

from __future__ import annotations

from kemps_rules.events import Event, Json, NotObserved, UnknownEvent
from kemps_vision.calibration.drift import Change

MOVED, LOST = "camera_moved", "camera_lost_place"


def events_of(change: Change, camera: str) -> list[Event]:
    """The events of a change of the camera of that name.

    ``not_observed`` spans the time in which it was not known how the zones lay; it is told when it has ended.
    ``camera_moved`` has the move in px, degrees and zoom, ``camera_lost_place`` that zones fit no more.
    """
    if not change.is_aligned:
        return [UnknownEvent(kind=LOST, at_ms=change.at_ms, fields={"camera": camera})]
    told: list[Event] = [NotObserved(at_ms=change.since_ms, until_ms=change.at_ms, camera=camera)]
    if not change.is_back:
        fields: dict[str, Json] = {
            "camera": camera,
            "shift_px": round(change.step.shift_px, 1),
            "turn_deg": round(change.step.turn_deg, 2),
            "zoom": round(change.step.zoom, 3),
        }
        told.append(UnknownEvent(kind=MOVED, at_ms=change.at_ms, fields=fields))
    return told
