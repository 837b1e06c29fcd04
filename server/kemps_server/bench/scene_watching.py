"""A trial clip watched by the observer, and its result kept on disk until clip, weights or code change."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import platformdirs

import kemps_rules
import kemps_vision
from kemps_models.registry import load_manifest
from kemps_rules.events import Called, CardLaid, CardTaken, CentreSwept, CentreTurned, Event
from kemps_rules.journal import parse_line
from kemps_server.bench import scene_marks
from kemps_server.bench.scene_marks import Mark, Track, marks_of
from kemps_server.errors import WorkFailedError
from kemps_vision.cards.reading import CardReader
from kemps_vision.pipeline import Observer
from kemps_vision.sources import open_source
from kemps_vision.zones import parse_config

if TYPE_CHECKING:
    from kemps_scenes.trials import Trial

MOMENT_MS: Final = 100
NEAR_CHANGE_MS: Final = 400


@dataclass(frozen=True, slots=True)
class ClipResult:
    """How one clip went.

    Attributes:
        marks: One for each card at rest.
        made_up: The names of settled cards where none lay.
        centre_moments: Moments at which the centre was compared.
        centre_right: At how many of them it was right.
        centre_px: The length of the shortest card that lay in the centre.
        told: Takes, lays and conflicts as the journal has them, in the order of their times.
    """

    clip: Trial
    marks: tuple[Mark, ...]
    made_up: tuple[str, ...]
    centre_moments: int
    centre_right: int
    centre_px: float
    told: tuple[str, ...] = ()

    @property
    def is_kept(self) -> bool:
        """Whether a promise was kept: what must be told was, nothing else, and no card was given up."""
        is_steady = not self.made_up and not any(mark.is_lost or mark.wrong for mark in self.marks)
        return self.told == self.clip.promised and is_steady


def default_work() -> Path:
    """The folder for clips and results: in the one that ``KEMPS_CACHE`` names, or the user's cache folder."""
    own = os.environ.get("KEMPS_CACHE")
    return (Path(own) if own else Path(platformdirs.user_cache_dir("kemps"))) / "trials"


def watched(trial: Trial, work: Path, reader: CardReader, *, is_kept: bool = True) -> ClipResult:
    """The result of a trial: read from ``work`` when it is known, else rendered, watched and kept.

    Raises:
        WorkFailedError: The folder cannot be written.
    """
    from kemps_scenes.trials import render_trial, trials_version  # noqa: PLC0415 - the wheel has no samples

    kept = work / "results" / f"{trial.name}-{trials_version()}-{_own_version()}.json"
    try:
        if is_kept and kept.is_file():
            return _result(trial, json.loads(kept.read_text("utf-8")))
        paths = render_trial(trial, work / "clips")
        truth = json.loads(paths.truth.read_text("utf-8"))
        row = _scored(truth, *_observed(paths.clip, truth, reader))
        if is_kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(row) + "\n", "utf-8")
    except OSError as error:
        raise WorkFailedError(
            f"{work}: cannot be written ({error.strerror}); choose another folder"
        ) from None
    return _result(trial, row)


def _observed(clip: Path, truth: Mapping[str, Any], reader: CardReader) -> tuple[list[Event], list[Track]]:
    """The events, and all settled cards with the span in which they were held."""
    calls = [parse_line(line, number) for number, line in enumerate(truth["calls"], 1)]
    spans: dict[int, Track] = {}
    with open_source(str(clip)) as source:
        observer = Observer(
            source.info,
            reader,
            parse_config(truth["table"]),
            calls=[call for call in calls if isinstance(call, Called)],
        )
        events: list[Event] = []
        for frame in source:
            events += observer.step(frame)
            for spot in observer.tracker.settled:
                card = None if spot.card is None else str(spot.card)
                known = spans.get(spot.id)
                x, y = spot.centre.tolist()
                spans[spot.id] = Track(card, (x, y), known.from_ms if known else frame.at_ms, frame.at_ms)
        events += observer.finish()
    return events, list(spans.values())


def _scored(truth: Mapping[str, Any], events: Sequence[Event], tracks: Sequence[Track]) -> dict[str, Any]:
    frame_ms = 1000 / truth["fps"]
    marks, made_up = marks_of(truth["stays"], tracks, frame_ms)
    end_ms = max((stay["until_ms"] for stay in truth["stays"]), default=0)
    right, moments = centre_moments(truth["centre"], events, end_ms)
    return {
        "marks": [mark.as_json() for mark in marks],
        "made_up": [track.card for track in made_up],
        "centre": [right, moments],
        "told": list(_told(events)),
        "centre_px": min(
            (stay["length_px"] for stay in truth["stays"] if stay["place"].startswith("slot")), default=0.0
        ),
    }


def centre_moments(
    rows: Sequence[Mapping[str, Any]], events: Sequence[Event], end_ms: int
) -> tuple[int, int]:
    """At how many moments the journal has exactly the cards in the centre, and of how many."""
    told = _told_centres(events)
    right = moments = 0
    for at_ms in range(NEAR_CHANGE_MS, end_ms, MOMENT_MS):
        if any(row["t_ms"] > 0 and abs(row["t_ms"] - at_ms) < NEAR_CHANGE_MS for row in rows):
            continue
        truth = [row for row in rows if row["t_ms"] <= at_ms][-1]
        there = sorted(card for card in truth["slots"] if card)
        moments += 1
        right += there == [cards for since, cards in told if since <= at_ms][-1]
    return right, moments


def _told_centres(events: Sequence[Event]) -> list[tuple[int, list[str]]]:
    """The centre as the journal has it from each time on."""
    centre: list[str] = []
    told: list[tuple[int, list[str]]] = [(-1, [])]
    for event in sorted(events, key=lambda event: event.at_ms):
        match event:
            case CentreTurned(cards=cards, first_sight=is_first):
                centre = [*(() if is_first else centre), *map(str, cards)]
            case CardLaid(card=card):
                centre = [*centre, str(card)]
            case CardTaken(card=card):
                centre = [one for one in centre if one != str(card)]
            case CentreSwept():
                centre = []
            case _:
                continue
        told.append((event.at_ms, sorted(centre)))
    return told


def _result(trial: Trial, row: Mapping[str, Any]) -> ClipResult:
    marks = tuple(Mark(**{**mark, "centre": tuple(mark["centre"])}) for mark in row["marks"])
    right, moments = row["centre"]
    made_up, told = tuple(row["made_up"]), tuple(row["told"])
    return ClipResult(trial, marks, made_up, moments, right, row["centre_px"], told)


def _told(events: Sequence[Event]) -> Iterator[str]:
    for event in sorted(events, key=lambda event: event.at_ms):
        if isinstance(event, CardTaken | CardLaid):
            yield f"{event.kind} {event.card}"
        elif event.kind == "card_conflict":
            yield event.kind


@lru_cache(maxsize=1)
def _own_version() -> str:
    """A hash of what a result depends on beside the clip: weights, observer and scoring."""
    digest = hashlib.sha256(json.dumps([entry.sha256 for entry in load_manifest().values()]).encode())
    folders = [Path(module.__file__).parent for module in (kemps_vision, kemps_rules) if module.__file__]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    for file in [*files, Path(__file__), Path(scene_marks.__file__)]:
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]
