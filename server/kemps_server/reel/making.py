"""From the moments of a game to one MP4."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_server.analysis.highlights import Highlight
from kemps_server.cases.faces import Finds, face_finder, faces_in
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.film.film import Film, NoPictureError
from kemps_server.page.words import Words
from kemps_server.reel.cards import draw_caption, fitted, title_card
from kemps_server.reel.cuts import Cut, Scene, scenes_of
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Frame, Image

MOST_MOMENTS: Final = 5
CARD_MS: Final = 2_200
CARD_STEP_MS: Final = 200  # players seek badly in a picture that stands for seconds
WIDEST_PX: Final = 1280
FPS: Final = 30.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReelWish:
    """How a reel is wanted."""

    title: str
    words: Words
    most: int = MOST_MOMENTS
    blurs_faces: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReelMoment:
    """A moment in the reel: where it begins there, and which it is in the game."""

    starts_ms: int
    rank: int
    deal: int
    line: int
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What was made."""

    length_ms: int
    moments: tuple[ReelMoment, ...]
    left_out: int


def make_reel(
    highlights: Sequence[Highlight], film: Film, target: Path, wish: ReelWish, progress: Progress
) -> Made:
    """Write the reel of the best moments; the file is there when it is whole, or as it was.

    Args:
        highlights: The game's, the best first.
        film: The game's.
        target: Where it goes.
        wish: How it is wanted.
        progress: Is told how many ms of how many are done.

    Raises:
        KempsServerError: There is no moment, or no picture of one.
        ModelError: Faces are to be blurred, and what finds them is not there.
        WorkFailedError: It cannot be written.
    """
    if not highlights:
        raise KempsServerError("no call of this game was ruled right or wrong, so there is no moment to show")
    scenes = scenes_of(highlights, film, wish.most)
    if not scenes:
        raise KempsServerError(film.problem or "there is no picture of any moment of this game any more")
    new = target.with_name(f".{target.name}.new.mp4")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = _write(scenes, film, new, wish, progress)
        new.replace(target)
    except OSError as error:
        raise WorkFailedError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
    wanted = min(wish.most, len(highlights))
    return Made(length_ms=made[1], moments=tuple(made[0]), left_out=max(0, wanted - len(scenes)))


def _write(
    scenes: Sequence[Scene], film: Film, path: Path, wish: ReelWish, progress: Progress
) -> tuple[list[ReelMoment], int]:
    size = _size(scenes[0].cuts[0])
    total_ms = sum(scene.length_ms + CARD_MS for scene in scenes)
    moments: list[ReelMoment] = []
    out_ms = 0
    ranks = sorted(scene.highlight.rank for scene in scenes)
    with ExitStack() as stack:
        writer = stack.enter_context(VideoWriter(path, fps=FPS))
        finder = stack.enter_context(face_finder()) if wish.blurs_faces else None
        for scene in scenes:
            one = scene.highlight
            moments.append(
                ReelMoment(starts_ms=out_ms, rank=one.rank, deal=one.deal, line=one.line, at_ms=one.at_ms)
            )
            place = ranks.index(one.rank) + 1, len(scenes)
            card = title_card(size, wish.title, one, place, wish.words)
            for step in range(0, CARD_MS, CARD_STEP_MS):
                writer.add(card, out_ms + step)
            out_ms += CARD_MS
            for cut in scene.cuts:
                for frame, pixels in _pictures(film, cut, finder):
                    canvas = fitted(pixels, size)
                    draw_caption(canvas, one, frame.at_ms, wish.words)
                    writer.add(canvas, out_ms + frame.at_ms - cut.from_ms)
                    progress(min(total_ms, out_ms + frame.at_ms - cut.from_ms), total_ms)
                out_ms += cut.until_ms - cut.from_ms + 1
    progress(total_ms, total_ms)
    return moments, out_ms


def _pictures(film: Film, cut: Cut, finder: Finds | None) -> Iterator[tuple[Frame, Image]]:
    """The frames of a cut with what is shown of them: no face that ``finder`` finds, when there is one."""
    with suppress(NoPictureError):
        span = cut.from_ms, cut.until_ms
        faces = None if finder is None else faces_in(film, cut.camera.name, span, finder)
        for frame in film.frames(cut.camera.name, *span):
            yield frame, frame.pixels if faces is None else faces.blur(frame)


def _size(cut: Cut) -> tuple[int, int]:
    """Of the reel: the first camera's, no wider than ``WIDEST_PX``, both sides even."""
    width, height = cut.camera.size
    scale = min(1.0, WIDEST_PX / width)
    return max(2, round(width * scale / 2) * 2), max(2, round(height * scale / 2) * 2)
