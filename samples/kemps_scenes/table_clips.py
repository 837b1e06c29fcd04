"""The clips that understanding a table is measured on: looks drawn by lot, rendered once, with their truth.

Nothing here is used in training. The clip of a seed is always the same, seeds from ``FIRST_SEED`` on are for
figures and those from ``DEVELOPMENT_SEED`` on to work with.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from kemps_rules.events import Called
from kemps_rules.journal import format_event
from kemps_scenes.backs import BACKS
from kemps_scenes.call_scripts import KINDS, LONGEST_MS, call_script
from kemps_scenes.camera import VIEWS
from kemps_scenes.clips import code_version
from kemps_scenes.crossings import Crossings, ShownCards
from kemps_scenes.looks import DECKS
from kemps_scenes.script import plan_scene
from kemps_scenes.spec import PACKETS, SHOW_STYLES, SURFACES, SceneSpec
from kemps_scenes.stage import Stage
from kemps_scenes.table_scripts import RESTLESS, Script, game, restless
from kemps_scenes.truth import table_toml, truth_of
from kemps_scenes.video import ClipWriter

FIRST_SEED: Final = 60_001
DEVELOPMENT_SEED: Final = 59_001
GROUPS: Final = ("game", "restless", "call")
GAME_S: Final = 60
_CALLS_FROM: Final = 200  # seeds after the first one
_RESTLESS_FROM: Final = 100
_TAIL_MS: Final = 1700
_LIGHTS: Final[tuple[dict[str, float], ...]] = (
    {},
    {"flicker": 0.04},
    {"light_change": 0.2},
    {"noise": 4.0},
    {"shake_px": 1.0},
)


@dataclass(frozen=True, slots=True)
class TableClip:
    """One clip to be: what happens and how it looks.

    ``group`` is one of ``GROUPS``; ``kind`` is the seats of a game, or one of ``RESTLESS`` or ``KINDS``.
    """

    name: str
    group: str
    kind: str
    script: Script
    spec: SceneSpec

    @property
    def fingerprint(self) -> str:
        """Changes with what happens in the clip, how it looks, and the code that draws it."""
        lines = [format_event(event) for event in self.script.events]
        text = json.dumps([lines, self.script.verdicts, self.spec.as_json(), code_version()])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class TableClipPaths:
    """A rendered clip, and its truth as JSON.

    The truth is as beside any clip (see the README of samples), without frames, and holds also ``verdicts``;
    ``shown``: for each reveal ``seat``, ``well_shown_ms`` and ``least_px``; ``crossings``: spans in which
    hands of two seats lie over each other in the picture; ``journal`` and ``calls`` as lines; ``table`` as
    TOML.
    """

    clip: Path
    truth: Path


def game_clips(count: int, first: int = FIRST_SEED) -> list[TableClip]:
    """Games of a minute: every third one has six seats; decks and surfaces are gone through evenly."""
    return [_game(first, number) for number in range(count)]


def restless_clips(count: int, first: int = FIRST_SEED) -> list[TableClip]:
    """Minutes without a swap, their kinds in turn."""
    return [_restless(first, number) for number in range(count)]


def call_clips(count: int, first: int = FIRST_SEED) -> list[TableClip]:
    """Calls with a shown hand, of at most eight seconds, their kinds and styles in turn."""
    return [_call(first, number) for number in range(count)]


def fast_clip(seed: int = FIRST_SEED, seconds: int = 20) -> TableClip:
    """A game of 1280x720 at 30 frames a second, to measure how long watching takes."""
    spec = SceneSpec(seed=seed, fps=30, deck="club", surface="wood", tail_ms=1500)
    return TableClip(f"speed-{seed}", "speed", "720p30", game(seed, "ABCD", seconds), spec)


def _game(first: int, number: int) -> TableClip:
    seed = first + number
    seats = "ABCDEF" if number % 3 == 2 else "ABCD"
    centre = "square" if number % 4 == 3 else "row"
    script = game(seed, seats, GAME_S, is_row=centre == "row")
    more = {"centre": centre, "shows": (SHOW_STYLES[number % 3],)}
    spec = _look(seed, number, seats=len(seats), more=more)
    return _named("game", f"{len(seats)} seats", script, spec)


def _restless(first: int, number: int) -> TableClip:
    seed, kind = first + _RESTLESS_FROM + number, RESTLESS[number % len(RESTLESS)]
    rng = np.random.default_rng([seed, 813])
    centre = "square" if number % 4 == 1 else "row"
    script = restless(kind, seed, "ABCD", GAME_S, is_row=centre == "row")
    more: dict[str, Any] = {
        "centre": centre,
        "tail_ms": max(500, GAME_S * 1000 - script.events[-1].at_ms),
        "fps": 10,
    }
    if kind == "shaken":
        more |= {"shake_px": 2.5, "nudges": _nudges(rng)}
    if kind == "relit":
        more |= {"relit": _levels(rng), "flicker": 0.03}
    return _named("restless", kind, script, _look(seed, number, seats=4, more=more))


def _call(first: int, number: int) -> TableClip:
    seed, kind = first + _CALLS_FROM + number, list(KINDS)[number % len(KINDS)]
    turn = number // len(KINDS)
    style = SHOW_STYLES[number % len(SHOW_STYLES)]
    seats = "ABCDEF" if (number + turn) % 4 == 3 else "ABCD"
    script = call_script(kind, seed, seats, style)
    tail = min(_TAIL_MS, LONGEST_MS - script.events[-1].at_ms)
    more = {"shows": (style,), "tail_ms": tail, "fps": 10}
    spec = _look(seed, number, seats=len(seats), more=more)
    return _named("call", kind, script, spec)


def _named(group: str, kind: str, script: Script, spec: SceneSpec) -> TableClip:
    what = kind.replace(" ", "-")
    name = f"{group}-{spec.seed}-{what}-{spec.deck}-{spec.surface}-{spec.camera}-{'-'.join(spec.shows)}"
    return TableClip(name, group, kind, script, spec)


def _look(seed: int, number: int, *, seats: int, more: dict[str, Any]) -> SceneSpec:
    """A look in which each deck meets each surface and light in time; from afar only few cards are large."""
    rng = np.random.default_rng([seed, 814])
    turn = number // len(DECKS)
    views = [view for view in VIEWS if view != "wide" or seats == 4]
    light = dict(_LIGHTS[(number + 2 * turn) % len(_LIGHTS)])
    settings: dict[str, Any] = {
        "noise": float(rng.uniform(0.8, 2.4)),
        "centre": str(rng.choice(["row", "row", "square"])),
        **light,
        **more,
    }
    return SceneSpec(
        seed=seed,
        deck=list(DECKS)[number % len(DECKS)],
        surface=SURFACES[(number + turn) % len(SURFACES)],
        back=str(rng.choice(list(BACKS))),
        camera=str(np.random.default_rng([seed, 815]).choice(views)),
        clutter=str(rng.choice(["none", "some", "much"])),
        packets=str(rng.choice(PACKETS)),
        **settings,
    )


def _nudges(rng: np.random.Generator) -> tuple[tuple[int, float, float], ...]:
    """Four nudges of the camera, of some pixels each, that more or less cancel out in the end."""
    sizes = rng.uniform(4, 14, 2).round(1)
    steps = ((sizes[0], sizes[1] / 2), (-sizes[0] / 2, -sizes[1]), (sizes[1], sizes[0] / 3), (-sizes[1], 0.0))
    times = range(9_000, 9_000 + 12_000 * len(steps), 12_000)
    return tuple((at_ms, float(dx), float(dy)) for at_ms, (dx, dy) in zip(times, steps, strict=True))


def _levels(rng: np.random.Generator) -> tuple[tuple[int, float], ...]:
    """A lamp is switched on or off, or a cloud passes, every few seconds."""
    times = range(5000, GAME_S * 1000 - 4000, 5500)
    return tuple((at_ms, float(round(rng.choice((0.62, 0.78, 1.0, 1.18)), 2))) for at_ms in times)


def render(clip: TableClip, folder: Path) -> TableClipPaths:
    """The clip's files in ``folder``, rendered unless they lie there, made by this version of the code.

    Raises:
        OSError: They cannot be written.
    """
    own = folder / f"{clip.name}-{clip.fingerprint}"
    paths = TableClipPaths(own / "clip.mp4", own / "truth.json")
    if paths.truth.is_file():
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        made = TableClipPaths(Path(aside) / "clip.mp4", Path(aside) / "truth.json")
        made.truth.write_text(json.dumps(_drawn(clip, made.clip)) + "\n", "utf-8")
        own.mkdir(exist_ok=True)
        shutil.move(str(made.clip), paths.clip)
        shutil.move(str(made.truth), paths.truth)  # last: who finds it finds all
    return paths


def _drawn(clip: TableClip, path: Path) -> dict[str, Any]:
    spec, scene = clip.spec, plan_scene(clip.script.events, clip.spec)
    stage = Stage(scene)
    shown, crossings = ShownCards(scene.happenings), Crossings()
    with ClipWriter(
        path, width=spec.width, height=spec.height, fps=spec.fps, quality=spec.quality, preset="veryfast"
    ) as writer:
        for frame in stage.frames():
            writer.write(frame.pixels)
            shown.look(frame.truth)
            crossings.look(frame.truth)
    document = truth_of(scene, stage.camera, clip.name, []).document
    return document | {
        "verdicts": list(clip.script.verdicts),
        "shown": shown.told(1000 / spec.fps),
        "crossings": crossings.spans,
        "journal": _lines(scene.events),
        "calls": _lines([event for event in scene.events if isinstance(event, Called)]),
        "table": table_toml(scene, stage.camera, is_close=True),
    }


def _lines(events: Sequence[Any]) -> list[str]:
    return [format_event(event) for event in events]
