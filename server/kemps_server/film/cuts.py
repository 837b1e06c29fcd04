"""Clips that were asked for, kept for a while: a player asks for the same one many times, piece by piece."""

from __future__ import annotations

import json
import logging
import os
import threading
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from kemps_server.errors import WorkFailedError
from kemps_server.film.film import Clip, Film, Wish
from kemps_server.film.footage import FILM

CUTS: Final = "cuts"
MOST_BYTES: Final = 300_000_000  # of a game; the oldest go first

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Cut:
    """A clip as a file."""

    path: Path
    clip: Clip


class Cuts:
    """Makes clips of games, each once, and keeps them in ``film/cuts/`` beside the journal."""

    def __init__(self) -> None:
        # Two who want the same clip wait for each other; those who want others hardly ever.
        self._locks = [threading.Lock() for _ in range(64)]

    def cut(self, film: Film, camera: str, span: tuple[int, int], wish: Wish, drawn: str = "") -> Cut:
        """The clip of a span, made when it is not there yet.

        Args:
            film: Of the game.
            camera: Which one.
            span: First and last ms.
            wish: How it is wanted.
            drawn: What is drawn on it, so that it is told from another.

        Raises:
            NoPictureError: The camera has no picture in it.
            KempsServerError: The span makes no sense, or is too long.
            WorkFailedError: It cannot be written.
        """
        known = film.camera(camera)
        name = json.dumps(
            [camera, span, known.offset_ms, known.until_ms, wish.may_copy, wish.widest_px, drawn]
        )
        path = film.folder / FILM / CUTS / f"{sha256(name.encode()).hexdigest()[:20]}.mp4"
        with self._locks[hash(path) % len(self._locks)]:
            clip = _kept(path) or _made(film, camera, span, wish, path)
        return Cut(path, clip)


def _made(film: Film, camera: str, span: tuple[int, int], wish: Wish, path: Path) -> Clip:
    new = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        clip = film.clip(camera, *span, new, wish)
        path.with_suffix(".json").write_text(json.dumps(asdict(clip)), encoding="utf-8")
        new.replace(path)
        _prune(path.parent, path)
    except OSError as error:
        raise WorkFailedError(f"the clip cannot be written: {error.strerror or error}") from None
    finally:
        new.unlink(missing_ok=True)
    return clip


def _kept(path: Path) -> Clip | None:
    """What was noted of a clip that is there; it is young again."""
    try:
        os.utime(path)
        return Clip(**json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _prune(folder: Path, newest: Path) -> None:
    files = sorted(folder.glob("*.mp4"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > MOST_BYTES and path != newest:
            path.unlink(missing_ok=True)
            path.with_suffix(".json").unlink(missing_ok=True)
            _log.info("%s: a clip made room for others", path.name)
