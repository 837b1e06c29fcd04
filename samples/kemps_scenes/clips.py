"""A journal in, a clip and its truth out."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

import platformdirs

from kemps_rules.events import Event
from kemps_rules.journal import format_event
from kemps_scenes.script import plan_scene
from kemps_scenes.spec import SceneSpec
from kemps_scenes.stage import RenderedFrame, Stage
from kemps_scenes.truth import ClipPaths, Truth, truth_of, write_beside
from kemps_scenes.video import ClipWriter

Progress = Callable[[int, int], None]
_ASIDE: Final = (
    "__main__",
    "bench",
    "call_scripts",
    "crossings",
    "odd_decks",
    "party",
    "sightings",
    "simulate",
    "stills",
    "sweep",
    "table_clips",
    "table_scripts",
    "tables",
    "trials",
)
"""Modules that no clip of a journal is made with."""


def render_scene(
    events: Iterable[Event], spec: SceneSpec | None = None
) -> tuple[Stage, Iterable[RenderedFrame]]:
    """The stage of a journal and its frames, rendered one by one as they are asked for.

    Raises:
        SceneError: The journal tells what cannot happen on a table.
    """
    stage = Stage(plan_scene(events, spec or SceneSpec()))
    return stage, stage.frames()


def render_clip(
    events: Iterable[Event], spec: SceneSpec, path: Path | str, on_frame: Progress | None = None
) -> Truth:
    """Renders a journal as an MP4 with its truth, journal, calls and table.toml beside it.

    Raises:
        SceneError: The journal tells what cannot happen on a table.
        OSError: The files cannot be written.
    """
    paths = ClipPaths.of(Path(path))
    scene = plan_scene(events, spec)
    stage = Stage(scene)
    frames = []
    paths.clip.parent.mkdir(parents=True, exist_ok=True)
    with ClipWriter(
        paths.clip, width=spec.width, height=spec.height, fps=spec.fps, quality=spec.quality
    ) as writer:
        for frame in stage.frames():
            writer.write(frame.pixels)
            frames.append(frame.truth)
            if on_frame:
                on_frame(frame.index + 1, stage.frame_count)
    truth = truth_of(scene, stage.camera, paths.clip.stem, frames)
    write_beside(paths, scene, stage.camera, truth)
    return truth


def cached_clip(events: Iterable[Event], spec: SceneSpec | None = None, name: str = "clip") -> ClipPaths:
    """The files of a clip, rendered when no equal script, spec and version of this code was rendered before.

    They lie in the user's cache folder, or in the folder that ``KEMPS_CACHE`` names.
    """
    listed, look = list(events), spec or SceneSpec()
    folder = _cache_folder() / _fingerprint(listed, look)
    paths = ClipPaths.of(folder / f"{name}.mp4")
    if paths.all_there():
        return paths
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Rendered aside and moved into place, so that a clip half written is never taken for one.
    with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
        render_clip(listed, look, Path(aside) / f"{name}.mp4")
        folder.mkdir(exist_ok=True)
        for file in Path(aside).iterdir():
            shutil.move(str(file), folder / file.name)
    return paths


def _cache_folder() -> Path:
    own = os.environ.get("KEMPS_CACHE")
    return (Path(own) if own else Path(platformdirs.user_cache_dir("kemps"))) / "scenes"


def _fingerprint(events: list[Event], spec: SceneSpec) -> str:
    text = json.dumps([[format_event(event) for event in events], spec.as_json(), code_version()])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@lru_cache(maxsize=1)
def code_version() -> str:
    """A hash of this package's source: another renderer makes other clips."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem not in _ASIDE:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]
