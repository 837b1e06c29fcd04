"""Clips watched with the ``table.toml`` that calibrate makes of them, against the one of their makers.

Both runs watch the same clip with the same calls. What must be the same is each event of the centre: what was
turned, taken, laid and swept, and by which seat. Times may differ by a frame and are not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from kemps_rules.events import CardLaid, CardTaken, CentreSwept, CentreTurned, Event
from kemps_server.bench.calibration_tables import overlap
from kemps_server.bench.people_shares import share
from kemps_server.calibrating import Wishes, calibrated, table_looks
from kemps_server.called import read_calls
from kemps_server.doctoring.looks import see
from kemps_vision.calibration.finding import FindsHands
from kemps_vision.calibration.writing import toml_text
from kemps_vision.cards.reading import CardReader
from kemps_vision.pipeline import observe
from kemps_vision.sources import open_source
from kemps_vision.zones import TableConfig, load_config, parse_config

FIRST_SEED: Final = 58_401
LOOKED_MS: Final = 12_000

Told = tuple[str, str | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipFiles:
    """A clip with the configuration that its maker knows to be right, and the calls in it, if any."""

    clip: Path
    table: Path
    calls: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """One clip: events that both runs tell, and those that only one does, as lines."""

    name: str
    both: int
    only_given: tuple[str, ...]
    only_found: tuple[str, ...]
    seats_right: int
    seats: int
    overlap: float

    @property
    def is_same(self) -> bool:
        """Whether both tell the same."""
        return not self.only_given and not self.only_found


def compare_games(
    clips: Sequence[ClipFiles],
    reader: CardReader,
    hands: FindsHands | None,
    on_result: Callable[[GameResult], None] | None = None,
) -> list[GameResult]:
    """All clips, watched twice each."""
    results = []
    for files in clips:
        results.append(_compared(files, reader, hands))
        if on_result is not None:
            on_result(results[-1])
    return results


def summary(results: Sequence[GameResult]) -> dict[str, Any]:
    """The figures of the report."""
    both = sum(result.both for result in results)
    every = both + sum(len(result.only_given) + len(result.only_found) for result in results)
    return {
        "clips_alike": share(sum(result.is_same for result in results), len(results)),
        "events_alike": share(both, every),
        "seats_right": share(
            sum(result.seats_right for result in results), sum(one.seats for one in results)
        ),
    }


def clip_files(folder: Path) -> list[ClipFiles]:
    """The clips of a folder that have their ``table.toml`` beside them, by name."""
    files = []
    for clip in sorted(folder.glob("*.mp4")):
        table, calls = (clip.with_suffix(end) for end in (".table.toml", ".calls.jsonl"))
        if table.is_file():
            files.append(ClipFiles(clip=clip, table=table, calls=calls if calls.is_file() else None))
    return files


def made_up_clips(count: int) -> list[ClipFiles]:
    """Short games rendered into the user's cache, every other one with the camera tilted or turned."""
    from kemps_scenes.clips import cached_clip  # noqa: PLC0415 - the wheel has no samples
    from kemps_scenes.spec import SURFACES, SceneSpec  # noqa: PLC0415
    from kemps_scenes.trials import TRIAL_DECKS, short_game  # noqa: PLC0415

    clips = []
    for number in range(count):
        spec = SceneSpec(
            seed=FIRST_SEED + number,
            camera=("arm", "oblique", "above", "corner", "wide")[number % 5],
            surface=SURFACES[number % len(SURFACES)],
            deck=TRIAL_DECKS[number % len(TRIAL_DECKS)],
            packets=("held", "lying")[number % 2],
        )
        paths = cached_clip(short_game(spec.seed), spec, f"calibration-{number}")
        clips.append(ClipFiles(clip=paths.clip, table=paths.table, calls=paths.calls))
    return clips


def told_of(events: Sequence[Event]) -> list[Told]:
    """Of each event of the centre its kind, seat and cards, in their order."""
    told: list[Told] = []
    for event in events:
        match event:
            case CardTaken() | CardLaid():
                told.append((event.kind, event.seat, str(event.card)))
            case CentreTurned():
                told += [(event.kind, None, str(card)) for card in event.cards]
            case CentreSwept():
                told.append((event.kind, event.seat, ""))
            case _:
                pass
    return told


def _compared(files: ClipFiles, reader: CardReader, hands: FindsHands | None) -> GameResult:
    given = load_config(files.table)
    with open_source(str(files.clip)) as source:
        size = (source.info.width, source.info.height)
        looks = table_looks(see(source, reader, most_ms=LOOKED_MS), hands)
    found = calibrated(looks, Wishes(seats=len(given.seats)), source=None)
    config = parse_config(toml_text(found.draft))
    first, second = (Counter(_watched(files, reader, one)) for one in (given, config))
    both = sum((first & second).values())
    zones, mine = given.zones(*size), config.zones(*size)
    places = {seat: np.asarray(at) for seat, at in zones.seats.items()}
    right = 0
    for seat, at in mine.seats.items():
        right += min(places, key=lambda one: float(np.linalg.norm(places[one] - np.asarray(at)))) == seat
    return GameResult(
        name=files.clip.stem,
        both=both,
        only_given=tuple(_line(told) for told in (first - second).elements()),
        only_found=tuple(_line(told) for told in (second - first).elements()),
        seats_right=right,
        seats=len(places),
        overlap=0.0 if zones.centre is None or mine.centre is None else overlap(zones.centre, mine.centre),
    )


def _watched(files: ClipFiles, reader: CardReader, config: TableConfig) -> list[Told]:
    calls = () if files.calls is None else read_calls(files.calls, config.seat_names)
    with open_source(str(files.clip)) as source:
        return told_of(list(observe(source, reader, config, calls=calls)))


def _line(told: Told) -> str:
    kind, seat, card = told
    return " ".join(part for part in (kind, seat or "-", card) if part)
