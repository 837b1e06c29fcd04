"""Which spans of which camera make a reel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kemps_server.analysis.highlights import Highlight, Stretch
from kemps_server.film.film import Film, FilmCamera
from kemps_vision.sources.live import LOST_AFTER_MS


@dataclass(frozen=True, slots=True)
class Cut:
    """A span of one camera."""

    camera: FilmCamera
    from_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A moment with what is shown of it."""

    highlight: Highlight
    cuts: tuple[Cut, ...]

    @property
    def length_ms(self) -> int:
        """How long its cuts are together."""
        return sum(cut.until_ms - cut.from_ms for cut in self.cuts)


def scenes_of(highlights: Sequence[Highlight], film: Film, most: int) -> tuple[Scene, ...]:
    """The best ``most`` moments of which there is a picture of the call, in the order of time."""
    scenes = [_scene(one, film) for one in highlights]
    chosen = [scene for scene in scenes if scene is not None][:most]
    return tuple(sorted(chosen, key=lambda scene: scene.highlight.at_ms))


def _scene(highlight: Highlight, film: Film) -> Scene | None:
    usable = [camera for camera in film.cameras if not camera.problem]
    table = next((camera for camera in usable if camera.role == "table"), next(iter(usable), None))
    if table is None or not _is_filmed(table, highlight.at_ms):
        return None
    faces = next((camera for camera in usable if camera.role == "faces"), table)
    return Scene(highlight, tuple(_cuts(highlight.stretches, table, faces)))


def _is_filmed(camera: FilmCamera, at_ms: int) -> bool:
    # A file's span ends with its last frame; that is on show until the next file's first, as in the replay.
    return any(start <= at_ms <= end + LOST_AFTER_MS for start, end in camera.parts)


def _cuts(stretches: Iterable[Stretch], table: FilmCamera, faces: FilmCamera) -> Iterable[Cut]:
    """The stretches as cuts, within what was filmed; those of one camera that overlap are one."""
    found: list[Cut] = []
    for stretch in sorted(stretches, key=lambda one: one.from_ms):
        middle_ms = (stretch.from_ms + stretch.until_ms) // 2
        camera = faces if stretch.wants_faces and _is_filmed(faces, middle_ms) else table
        for start, end in camera.parts:
            from_ms, until_ms = max(start, stretch.from_ms), min(end, stretch.until_ms)
            if from_ms >= until_ms:
                continue
            last = found[-1] if found else None
            if last is not None and last.camera == camera and from_ms <= last.until_ms + _SEAM_MS:
                found[-1] = Cut(camera, last.from_ms, max(last.until_ms, until_ms))
            else:
                found.append(Cut(camera, from_ms, until_ms))
    return found


_SEAM_MS = 500  # the files of a recording lie side by side; a frame or two between them is no cut
