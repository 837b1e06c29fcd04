"""Clips of a table with players round it, watched as ``kemps observe`` watches the hands."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from kemps_rules.events import Event, HandHidden, HandReached, HandsTouched
from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.bench.people_clips import BodyClip, drawn
from kemps_server.bench.people_kept import Answer, content_hash, watcher_version
from kemps_server.bench.people_memory import Memory, OutOfStepError
from kemps_server.bench.people_table_figures import TableResult
from kemps_server.bench.people_table_truth import SeenHand, TableTruth, own_truth, shared_table, shared_truth
from kemps_vision.people.hand_seats import SeatedHand
from kemps_vision.people.table_watch import TableWatch
from kemps_vision.people.tasks import HandReader
from kemps_vision.sources import open_source
from kemps_vision.zones import TableConfig, load_config, parse_config

SHARED: Final = ("calm_oblique", "fouls", "kemps")
SWAP_LOOKS: Final = 3  # in a row that say another's seat: an identity is swapped, not one sight misread
_NEAR: Final = 0.5  # box diagonals from a palm to the middle of its hand
_ALIKE: Final = 0.15  # box diagonals by which another hand may be farther and still be the one that is meant


@dataclass(frozen=True, slots=True)
class TableTask:
    """A clip of made-up people at a table."""

    clip: BodyClip

    @property
    def key(self) -> str:
        """The clip, the code that draws it and the code that watches."""
        return f"table {self.clip} {_code()} {code_fingerprint('kemps_scenes.bodies.scripts')}"

    def run(self, work: Path) -> Answer:
        """What was told, and how the hands' seats went; the clip is drawn when it is not there."""
        made = drawn(self.clip, work / "clips")
        return _watched(made.video, load_config(made.table), own_truth(made.truth()), work)


@dataclass(frozen=True, slots=True)
class SharedTask:
    """A clip of the other renderer, with its truth beside it as JSON."""

    video: Path

    @property
    def key(self) -> str:
        """The clip, its truth, and the code that watches."""
        files = f"{content_hash(self.video)} {content_hash(self.video.with_suffix('.json'))}"
        return f"shared {self.video.name} {files} {_code()}"

    def run(self, work: Path) -> Answer:
        """What was told, and how the hands' seats went."""
        truth = self.truth()
        return _watched(self.video, parse_config(shared_table(truth)), shared_truth(truth), work)

    def truth(self) -> dict[str, Any]:
        """What truly happens in it."""
        truth: dict[str, Any] = json.loads(self.video.with_suffix(".json").read_text("utf-8"))
        return truth


@dataclass(slots=True)
class Sights:
    """Whose each found hand was said to be, against the nearest hands that are there.

    Attributes:
        right: Sights with the right seat.
        unclear: Sights without a seat.
        wrong: Sights with another's seat.
        nobody: Sights where no hand is.
        swaps: For each row of wrong sights of one hand the time, the said and the true seat.
    """

    right: int = 0
    unclear: int = 0
    wrong: int = 0
    nobody: int = 0
    swaps: list[tuple[int, str, str]] = field(default_factory=list)
    _wrong_looks: dict[int, int] = field(default_factory=dict)

    def see(self, at_ms: int, hands: Iterable[SeatedHand], there: Sequence[SeenHand]) -> None:
        """Takes one look in."""
        for hand in hands:
            owners = _owners(hand, there)
            if not owners:
                self.nobody += 1
            elif hand.seat is None:
                self.unclear += 1
            elif hand.seat in owners:
                self.right += 1
                self._wrong_looks[hand.track] = 0
            else:
                self.wrong += 1
                looks = self._wrong_looks[hand.track] = self._wrong_looks.get(hand.track, 0) + 1
                if looks == SWAP_LOOKS:
                    self.swaps.append((at_ms, hand.seat, owners[0]))

    def as_json(self) -> Answer:
        """The counts as plain values."""
        counts = {name: getattr(self, name) for name in ("right", "unclear", "wrong", "nobody")}
        return {**counts, "swaps": [list(swap) for swap in self.swaps]}


def shared_tasks(folder: Path) -> list[SharedTask]:
    """The clips of the other renderer that lie in a folder."""
    videos = [folder / f"{name}.mp4" for name in SHARED]
    return [SharedTask(video) for video in videos if video.is_file() and video.with_suffix(".json").is_file()]


def own_result(clip: BodyClip, answer: Answer, work: Path) -> TableResult:
    """The answer to a clip of ours with its truth."""
    return TableResult(clip.name, clip.script, own_truth(drawn(clip, work / "clips").truth()), answer)


def shared_result(task: SharedTask, answer: Answer) -> TableResult:
    """The answer to a clip of the other renderer with its truth."""
    return TableResult(task.video.stem, task.video.stem, shared_truth(task.truth()), answer)


def _code() -> str:
    return watcher_version("kemps_vision.people.table_watch", "kemps_vision.people.tasks", own=__file__)


def _watched(video: Path, config: TableConfig, truth: TableTruth, work: Path) -> Answer:
    """Watches with the landmarks of the time before, as far as they are what is asked for now."""
    version = watcher_version("kemps_vision.people.tasks")
    memory = Memory.of(work / "landmarks" / f"hands-{content_hash(video)}-{version}.npz")
    try:
        answer = _look(video, config, truth, memory)
    except OutOfStepError:
        memory = memory.forgotten()
        answer = _look(video, config, truth, memory)
    memory.keep()
    return answer


def _look(video: Path, config: TableConfig, truth: TableTruth, memory: Memory) -> Answer:
    watch = TableWatch(memory.hands(lambda: HandReader(is_video=True)))
    times = np.array([at_ms for at_ms, _ in truth.hands])
    sights, events, start = Sights(), list[Event](), time.process_time()
    before: list[SeatedHand] | None = None
    with open_source(str(video), camera="table") as source:
        zones = config.zones(source.info.width, source.info.height)
        for frame in source:
            events += watch.step(frame.at_ms, frame.pixels, zones)
            if watch.hands is not before:
                before = watch.hands
                sights.see(frame.at_ms, before, truth.hands[int(np.abs(times - frame.at_ms).argmin())][1])
    events += watch.finish()
    return {
        "duration_ms": truth.duration_ms,
        "told": [_told(event) for event in events],
        "sights": sights.as_json(),
        "cpu_s": round(time.process_time() - start, 2),
        "is_remembered": memory.is_known,
    }


def _told(event: Event) -> Mapping[str, Any]:
    """An event of hands as plain values: kind, seats, span, score and why."""
    row: dict[str, Any] = {"kind": event.kind, "at_ms": event.at_ms, "score": event.confidence}
    row |= {name: value for name, value in event.extra.items() if name in ("reason", "where")}
    match event:
        case HandsTouched(seats=seats, until_ms=until_ms, where=where):
            row |= {"seats": list(seats), "until_ms": until_ms, "where": where}
        case HandReached(seat=seat, until_ms=until_ms) | HandHidden(seat=seat, until_ms=until_ms):
            row |= {"seats": [seat], "until_ms": until_ms}
    return row


def _owners(hand: SeatedHand, there: Sequence[SeenHand]) -> list[str]:
    """The seats whose hands lie where the found one does, the nearest first."""
    x, y = (float(value) for value in hand.pose.palm)
    ways = sorted((_away(x, y, one), one.seat) for one in there)
    if not ways or ways[0][0] >= _NEAR:
        return []
    return [seat for away, seat in ways if away <= ways[0][0] + _ALIKE]


def _away(x: float, y: float, hand: SeenHand) -> float:
    x0, y0, x1, y1 = hand.box
    diagonal = max(float(np.hypot(x1 - x0, y1 - y0)), 1.0)
    return float(np.hypot(x - (x0 + x1) / 2, y - (y0 + y1) / 2)) / diagonal
