"""Table clips made, watched and scored: the made-up table's, made-up people's, and another renderer's."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import cv2

from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.bench.table_scores import ClipScore, score_clip
from kemps_server.bench.table_watching import Recording, kept_watched
from kemps_server.errors import KempsServerError, WorkFailedError

if TYPE_CHECKING:
    from kemps_scenes.table_clips import TableClip

FOULS: Final = "fouls"
SHARED: Final = "shared"
_HEX: Final = 12
_BODIES: Final = "kemps_scenes.bodies.scripts"
_CENTRE_MARGIN_PX: Final = 40
_SEAT_BEYOND: Final = 1.5  # where a seat is, against where its hands are, from the middle of the centre


@dataclass(frozen=True, slots=True)
class TableResult:
    """How one clip went.

    Attributes:
        group: ``game``, ``restless``, ``call``, ``speed``, ``fouls`` or ``shared``.
        kind: What sort of clip of its group.
        seed: It can be made again from; None for recordings that are only read.
        look: ``deck``, ``surface``, ``camera``, ``style`` and more, where that is known.
        cpu_s: The processor's time that watching took.
        video_s: How long the clip is.
        clip: Its file.
    """

    name: str
    group: str
    kind: str
    seed: int | None
    look: dict[str, str]
    score: ClipScore
    cpu_s: float
    video_s: float
    has_people: bool
    clip: Path


class Source(Protocol):
    """A clip to be had: it makes its recording when it is asked for it, perhaps in another process."""

    @property
    def group(self) -> str:
        """See :class:`TableResult`."""

    @property
    def kind(self) -> str:
        """See :class:`TableResult`."""

    @property
    def seed(self) -> int | None:
        """See :class:`TableResult`."""

    @property
    def look(self) -> dict[str, str]:
        """See :class:`TableResult`."""

    def recording(self, work: Path) -> tuple[Recording, dict[str, Any]]:
        """The clip and its truth."""


@dataclass(frozen=True, slots=True)
class RenderedSource:
    """A clip of the made-up table."""

    clip: TableClip
    group: str
    kind: str
    seed: int | None
    look: dict[str, str]

    @classmethod
    def of(cls, clip: TableClip) -> RenderedSource:
        """The source of a clip to be."""
        spec = clip.spec
        light = next(
            (
                name
                for name in ("relit", "nudges", "shake_px", "light_change", "flicker")
                if getattr(spec, name)
            ),
            "noisy" if spec.noise > 3 else "steady",
        )
        look = {
            "deck": spec.deck,
            "surface": spec.surface,
            "camera": spec.camera,
            "light": light,
            "style": spec.shows[0],
            "centre": spec.centre,
        }
        return cls(clip, clip.group, clip.kind, spec.seed, look)

    def recording(self, work: Path) -> tuple[Recording, dict[str, Any]]:
        """See :class:`Source`."""
        from kemps_scenes.table_clips import render  # noqa: PLC0415 - the wheel has no samples

        paths = render(self.clip, work / "clips")
        truth = json.loads(paths.truth.read_text("utf-8"))
        print_, calls = self.clip.fingerprint, tuple(truth["calls"])
        return Recording(self.clip.name, paths.clip, print_, calls, truth["table"]), truth


@dataclass(frozen=True, slots=True)
class BodySource:
    """A clip of made-up people who touch, pass cards and hide their hands; ``kind`` is its script's name."""

    kind: str
    seed: int
    seconds: int = 30
    group: str = FOULS
    look: dict[str, str] = field(default_factory=dict)

    def recording(self, work: Path) -> tuple[Recording, dict[str, Any]]:
        """See :class:`Source`."""
        from kemps_scenes.bodies.errors import BodiesError  # noqa: PLC0415 - the wheel has no samples
        from kemps_scenes.bodies.scripts import Setting, sitting  # noqa: PLC0415

        name, version = f"{self.kind}-{self.seed}", code_fingerprint(_BODIES)[:_HEX]
        clip = work / "clips" / f"{name}-{version}" / "clip.mp4"
        if not clip.is_file():
            clip.parent.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=clip.parent.parent) as aside:
                made = Path(aside) / "made"
                try:
                    sitting(self.kind, Setting(seed=self.seed, seconds=self.seconds)).write(made / clip.name)
                except BodiesError as error:
                    raise KempsServerError(str(error)) from None
                made.rename(clip.parent)
        truth = json.loads(clip.with_suffix(".json").read_text("utf-8"))
        table = clip.with_suffix(".table.toml").read_text("utf-8")
        return Recording(name, clip, version, (), table), truth


@dataclass(frozen=True, slots=True)
class SharedSource:
    """A clip of another renderer, with its truth beside it."""

    path: Path
    group: str = SHARED
    kind: str = "recording"
    seed: int | None = None
    look: dict[str, str] = field(default_factory=dict)

    def recording(self, work: Path) -> tuple[Recording, dict[str, Any]]:
        """See :class:`Source`; centre and seats are told as the scorer of these clips tells them."""
        del work
        truth = json.loads(self.path.read_text("utf-8"))
        clip = self.path.with_suffix(".mp4")
        calls = tuple(json.dumps(line) for line in _calls(truth))
        print_ = hashlib.sha256((_hash_of(clip) + _hash_of(self.path)).encode()).hexdigest()[:_HEX]
        return Recording(self.path.stem, clip, print_, calls, shared_table(truth)), truth


def shared_sources(folder: Path) -> list[SharedSource]:
    """The table clips of a folder that holds clips with their truth beside them.

    Raises:
        KempsServerError: There is none.
    """
    found = [
        path
        for path in sorted(folder.glob("*.json"))
        if path.with_suffix(".mp4").is_file() and "slots" in json.loads(path.read_text("utf-8"))
    ]
    if not found:
        raise KempsServerError(f"{folder}: no table clip with its truth (CLIP.mp4 and CLIP.json) is there")
    return [SharedSource(path) for path in found]


def _calls(truth: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for row in truth["events"]:
        if row["type"] == "call":
            call = "kemps" if row.get("word") == "kemps" else "stop"
            line = {"kind": "called", "at_ms": row["t0_ms"], "seat": row["seat"], "call": call}
            against = {"against": row["against"][0]} if row.get("against") else {}
            yield line | {"uncertainty_ms": 60} | against


def shared_table(truth: dict[str, Any]) -> str:
    """A table.toml: the centre with some room round it, each seat behind where its hands are at first."""
    corners = [corner for slot in truth["slots"] for corner in slot["nominal_quad"]]
    xs, ys = zip(*corners, strict=True)
    middle = (sum(xs) / len(xs), sum(ys) / len(ys))
    left, top = min(xs) - _CENTRE_MARGIN_PX, min(ys) - _CENTRE_MARGIN_PX
    right, bottom = max(xs) + _CENTRE_MARGIN_PX, max(ys) + _CENTRE_MARGIN_PX
    box = ((left, top), (right, top), (right, bottom), (left, bottom))
    centre = ", ".join(f"[{x:.0f}, {y:.0f}]" for x, y in box)
    lines = ['rules = "leaflet"', "[[camera]]", 'name = "table"', 'role = "table"', f"centre = [{centre}]"]
    hands: dict[str, list[tuple[float, float]]] = {}
    for frame in truth["frames"][:30]:
        for hand in frame["hands"]:
            x0, y0, x1, y1 = hand["box"]
            hands.setdefault(hand["seat"], []).append(((x0 + x1) / 2, (y0 + y1) / 2))
    for seat, places in sorted(hands.items()):
        x, y = (sum(place[axis] for place in places) / len(places) for axis in (0, 1))
        at = [middle[0] + (x - middle[0]) * _SEAT_BEYOND, middle[1] + (y - middle[1]) * _SEAT_BEYOND]
        lines += ["[[seat]]", f'id = "{seat}"', f"at = [{at[0]:.0f}, {at[1]:.0f}]"]
    return "\n".join(lines) + "\n"


def results(
    sources: Sequence[Source], work: Path, *, jobs: int = 1, with_people: bool = True
) -> Iterator[TableResult]:
    """The result of each clip, in their order; what is known from an earlier run is not made again.

    Raises:
        WorkFailedError: The folder cannot be written.
        KempsServerError: A clip cannot be made here.
    """
    make = partial(_result, work, with_people)
    if jobs <= 1:
        yield from map(make, sources)
        return
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=cv2.setNumThreads, initargs=(1,)
    ) as pool:
        yield from pool.map(make, sources)


def _result(work: Path, with_people: bool, source: Source) -> TableResult:
    try:
        recording, truth = source.recording(work)
    except OSError as error:
        raise WorkFailedError(
            f"{work}: cannot be written ({error.strerror}); choose another by --work"
        ) from None
    watched = kept_watched(recording, work, with_people=with_people)
    return TableResult(
        name=recording.name,
        group=source.group,
        kind=source.kind,
        seed=source.seed,
        look=source.look,
        score=score_clip(truth, watched.events),
        cpu_s=watched.cpu_s,
        video_s=watched.video_s,
        has_people=watched.has_people,
        clip=recording.clip,
    )


def _hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_HEX]
