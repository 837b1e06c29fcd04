"""A game as a BORIS project (format 7.0), to be read beside hand coding.

What lasts is a *state event* with a start and a stop, all else a *point event*. BORIS pairs starts and stops
by their order, so that spans of one subject and behaviour that overlap are told as one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kemps_rules.events import GameOpened
from kemps_rules.seats import Seat
from kemps_server.exports.material import Material, Recording
from kemps_server.exports.rows import EventRow

FORMAT: Final = "7.0"
_NO_DATE: Final = "1970-01-01T00:00:00"
_GESTURE: Final = "gesture"
_LASTING: Final = frozenset(
    {
        _GESTURE,
        "hand_reached",
        "hands_touched",
        "hand_hidden",
        "packet_hidden",
        "not_observed",
        "not_measurable",
    }
)
_NO_FRAME: Final = "NA"

BorisEvent = list[Any]
"""Seconds, subject, behaviour, modifier, comment, and for a recording the frame's number."""


def boris_of(rows: Sequence[EventRow], header: GameOpened, material: Material) -> bytes:
    """A project with one observation; what a person took out is left out.

    Args:
        rows: The events in the order of time.
        header: The journal's; it names the players.
        material: The game's title and recording.
    """
    shown = [row for row in rows if not row.is_retracted]
    subjects = {seat: f"{seat} {name}".strip() for seat, name in header.seats.items()}
    title = " ".join(material.title.split()) or "game"
    date = (header.opened_at or _NO_DATE)[:19]
    project = {
        "time_format": "hh:mm:ss",
        "project_date": date,
        "project_name": title,
        "project_description": "Made by kemps from the journal of a game; what was not seen is absent.",
        "project_format_version": FORMAT,
        "subjects_conf": _numbered(
            {"key": "", "name": name, "description": ""} for name in subjects.values()
        ),
        "behaviors_conf": _numbered(_behaviours(shown)),
        "observations": {title: _observation(_events(shown, subjects), date, material.recording)},
        "behavioral_categories": [],
        "independent_variables": {},
        "coding_map": {},
        "behaviors_coding_map": [],
        "converters": {},
    }
    return (json.dumps(project, ensure_ascii=False, indent=1) + "\n").encode()


def _numbered(entries: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(number): entry for number, entry in enumerate(entries)}


def _code(row: EventRow) -> str:
    """The behaviour's name: gestures by their own, since each is one to a coder."""
    return (row.value or row.kind) if row.kind == _GESTURE else row.kind


def _behaviours(rows: Iterable[EventRow]) -> Iterator[dict[str, Any]]:
    kinds = {_code(row): row.kind for row in rows}
    for code in sorted(kinds):
        yield {
            "type": "State event" if kinds[code] in _LASTING else "Point event",
            "key": "",
            "code": code,
            "description": "",
            "category": "",
            "modifiers": {},
            "excluded": "",
            "coding map": "",
        }


def _events(rows: Iterable[EventRow], subjects: Mapping[Seat, str]) -> list[BorisEvent]:
    """All events in the order of time."""
    events: list[BorisEvent] = []
    spans: defaultdict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
    for row in rows:
        subject = subjects.get(row.seat or "", "")
        if row.kind not in _LASTING:
            events.append([row.at_ms / 1000, subject, _code(row), "", _comment(row)])
            continue
        known = spans[subject, _code(row)]
        if known and row.at_ms <= known[-1][1]:
            start_ms, end_ms, comment = known.pop()
            known.append((start_ms, max(end_ms, row.until_ms), comment))
        else:
            known.append((row.at_ms, row.until_ms, _comment(row)))
    for (subject, code), known in spans.items():
        for start_ms, end_ms, comment in known:
            events.append([start_ms / 1000, subject, code, "", comment])
            events.append([end_ms / 1000, subject, code, "", ""])
    return sorted(events, key=lambda event: float(event[0]))


def _comment(row: EventRow) -> str:
    value = None if row.kind == _GESTURE else row.value
    return " ".join(part for part in (row.cards, value, row.other and f"({row.other})") if part)


def _observation(events: list[BorisEvent], date: str, recording: Recording | None) -> dict[str, Any]:
    observation: dict[str, Any] = {
        "file": {},
        "type": "LIVE",
        "date": date,
        "description": "",
        "time offset": 0.0,
        "events": events,
        "observation time interval": [0, 0],
        "independent_variables": {},
    }
    if recording is None:
        return observation
    path = str(recording.path)
    length_s = (recording.duration_ms or 0) / 1000 or max((float(event[0]) for event in events), default=0.0)
    return observation | {
        "type": "MEDIA",
        "file": {"1": [path], **{str(player): [] for player in range(2, 9)}},
        "events": [[*event, _NO_FRAME] for event in events],
        "media_info": {
            "length": {path: length_s},
            "fps": {path: recording.fps or 0},
            "hasVideo": {path: True},
            "hasAudio": {path: False},
        },
        "visualize_spectrogram": False,
        "visualize_waveform": False,
        "close_behaviors_between_videos": False,
    }
