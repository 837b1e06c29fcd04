"""The footage of a game: for each camera the frame that was on show at a moment, and the frames of a span."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from kemps_server.errors import KempsServerError
from kemps_server.film.offsets import OFFSETS, said_offsets
from kemps_server.film.pieces import CameraNote, Piece, cameras_beside
from kemps_server.film.reel import Reel
from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame
from kemps_vision.sources.live import LOST_AFTER_MS
from kemps_vision.sources.recorded import RECORDING, folder_name
from kemps_vision.sources.segments import VIDEO
from kemps_vision.sources.stream import Decoded

FILM: Final = "film"  # what is worked out of the recording and kept; it may be deleted
OPEN_REELS: Final = 4


class NoPictureError(KempsServerError):
    """There is no picture of this moment; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmCamera:
    """A camera of a film; times are the game's.

    Attributes:
        name: Its name.
        role: ``table`` or ``faces``.
        from_ms: When its first frame is shown.
        until_ms: When its last frame is shown.
        size: Width and height of its pictures.
        fps: The nominal frame rate.
        offset_ms: By how much its own times are ahead of the game's.
        offset_by: Who said so, if a person did.
        problem: Why nothing of it can be shown, or empty.
        parts: The spans of its files; one, when it is a video file.
        is_segmented: Whether its files are those of a live recording, each playable by itself.
    """

    name: str
    role: str
    from_ms: int
    until_ms: int
    size: tuple[int, int]
    fps: float
    offset_ms: int = 0
    offset_by: str = ""
    problem: str = ""
    parts: tuple[tuple[int, int], ...] = ()
    is_segmented: bool = False


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame that is not decoded yet: its place in a file, and when it is shown in the game."""

    piece: Piece
    place: int
    at_ms: int


class Footage:
    """All cameras of a game; may be used by several threads. Use it as a context manager, or close it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._reels: OrderedDict[Path, Reel] = OrderedDict()
        self._lock = threading.RLock()
        self._stamp: object = None
        self._notes: dict[str, CameraNote] = {}
        self._cameras: tuple[FilmCamera, ...] = ()
        self._problem = ""

    @classmethod
    def beside(cls, folder: Path) -> Self:
        """The film of the game in a folder; without a recording it has no cameras and a ``problem``."""
        return cls(folder)

    @property
    def cameras(self) -> tuple[FilmCamera, ...]:
        """The cameras as they are now: a running game has more of them shown each second."""
        with self._lock:
            self._look()
            return self._cameras

    @property
    def problem(self) -> str:
        """Why there is no camera, in one line; empty when there is one."""
        with self._lock:
            self._look()
            return self._problem

    def camera(self, name: str) -> FilmCamera:
        """The camera of this name.

        Raises:
            NoPictureError: There is none.
        """
        for camera in self.cameras:
            if camera.name == name:
                return camera
        known = ", ".join(camera.name for camera in self.cameras)
        raise NoPictureError(
            self.problem or f"there is no camera {name!r} in this game; there is {known or 'none'}"
        )

    def pieces(self, camera: str) -> tuple[Piece, ...]:
        """The files of a camera, by time.

        Raises:
            NoPictureError: There is no such camera, or nothing of it can be shown.
        """
        return self._pieces(camera)[0]

    def shot_at(self, camera: str, at_ms: int) -> Shot:
        """The frame on show at a moment: the last one shown until then.

        Raises:
            NoPictureError: The camera was away, had not begun or was over, or its file is gone.
        """
        pieces, known = self._pieces(camera)
        own_ms = at_ms + known.offset_ms
        for number in range(len(pieces) - 1, -1, -1):
            if pieces[number].from_ms > own_ms:
                continue
            shot = self._shot(pieces[number], known, own_ms)
            is_end = shot.place == len(self.reel(shot.piece)) - 1
            if is_end and at_ms - shot.at_ms > LOST_AFTER_MS:
                following = pieces[number + 1].from_ms - known.offset_ms if number + 1 < len(pieces) else None
                raise NoPictureError(_away(camera, shot.at_ms, following))
            return shot
        raise NoPictureError(f"camera {camera} had not begun at {at_ms} ms; it begins at {known.from_ms} ms")

    def beside_shot(self, camera: str, shot: Shot, step: int) -> Shot:
        """The frame so many frames after another, or before it; the last or first when there are fewer.

        Raises:
            NoPictureError: There is no such camera, or its file is gone.
        """
        pieces, known = self._pieces(camera)
        number, place = pieces.index(shot.piece), shot.place + step
        while place < 0 and number > 0:
            number -= 1
            place += len(self.reel(pieces[number]))
        while place >= len(self.reel(pieces[number])) and number + 1 < len(pieces):
            place -= len(self.reel(pieces[number]))
            number += 1
        piece, index = pieces[number], self.reel(pieces[number]).index
        place = min(max(place, 0), len(index.pts) - 1)
        return Shot(piece, place, int(index.at_ms[place]) + piece.from_ms - known.offset_ms)

    def shots(self, camera: str, from_ms: int, until_ms: int) -> Iterator[Shot]:
        """The frames shown first within a span, by time.

        Raises:
            NoPictureError: There is no such camera, or its file is gone.
        """
        pieces, known = self._pieces(camera)
        last_ms = -1 << 62
        for piece in pieces:
            offset = known.offset_ms
            ends = piece.until_ms is not None and piece.until_ms - offset < from_ms and not piece.is_growing
            if ends or piece.from_ms - offset > until_ms:
                continue
            reel = self.reel(piece)
            first = max(0, reel.index.place(from_ms + offset - piece.from_ms - 1) + 1)
            for place in range(first, len(reel)):
                at_ms = int(reel.index.at_ms[place]) + piece.from_ms - offset
                if at_ms > until_ms:
                    break
                if at_ms > last_ms:
                    last_ms = at_ms
                    yield Shot(piece, place, at_ms)

    def frame_at(self, camera: str, at_ms: int) -> Frame:
        """The frame on show at a moment, decoded; its ``index`` counts within its file.

        Raises:
            NoPictureError: As ``shot_at``, or it cannot be decoded.
        """
        return self.frame(camera, self.shot_at(camera, at_ms))

    def frames(self, camera: str, from_ms: int, until_ms: int) -> Iterator[Frame]:
        """The frames shown first within a span, decoded, by time.

        Raises:
            NoPictureError: As ``shots``, or one cannot be decoded.
        """
        for shot in self.shots(camera, from_ms, until_ms):
            yield self.frame(camera, shot)

    def frame(self, camera: str, shot: Shot) -> Frame:
        """A frame, decoded; the one before it where the file is broken.

        Raises:
            NoPictureError: It cannot be decoded.
        """
        picture = self.picture(shot)
        reel = self.reel(shot.piece)
        place = reel.place_of(picture)
        at_ms = shot.at_ms - int(reel.index.at_ms[shot.place] - reel.index.at_ms[place])
        return Frame(camera, place, at_ms, picture.rgb())

    def picture(self, shot: Shot) -> Decoded:
        """A frame as it comes out of the decoder.

        Raises:
            NoPictureError: It cannot be decoded.
        """
        try:
            return self.reel(shot.piece).picture(shot.place)
        except SourceError as error:
            raise NoPictureError(str(error)) from None

    def reel(self, piece: Piece) -> Reel:
        """The file of a piece, open; few are open at a time.

        Raises:
            NoPictureError: It is gone or no video.
        """
        with self._lock:
            reel = self._reels.get(piece.path)
            if reel is None or reel.is_changed:
                try:
                    reel = Reel(piece.path, self._kept(piece))
                except SourceError as error:
                    raise NoPictureError(str(error)) from None
                self._reels[piece.path] = reel
            self._reels.move_to_end(piece.path)
            while len(self._reels) > OPEN_REELS:
                self._reels.popitem(last=False)[1].close()
            return reel

    def close(self) -> None:
        """Let all files go; may be called twice."""
        with self._lock:
            for reel in self._reels.values():
                reel.close()
            self._reels.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pieces(self, name: str) -> tuple[tuple[Piece, ...], FilmCamera]:
        with self._lock:
            camera = self.camera(name)
            if camera.problem:
                raise NoPictureError(camera.problem)
            return self._notes[name].pieces, camera

    def _shot(self, piece: Piece, camera: FilmCamera, own_ms: int) -> Shot:
        index = self.reel(piece).index
        place = max(0, index.place(own_ms - piece.from_ms))
        return Shot(piece, place, int(index.at_ms[place]) + piece.from_ms - camera.offset_ms)

    def _kept(self, piece: Piece) -> Path | None:
        """Where the index of a long file is kept; that of a short one is soon made again."""
        is_own = (self.folder / VIDEO) in piece.path.parents and not piece.path.is_symlink()
        name = f"{folder_name(piece.path.name)}.npz"
        return None if is_own and piece.until_ms is not None else self.folder / FILM / name

    def _look(self) -> None:
        if self._stamp_now() == self._stamp:
            return
        notes, self._problem = cameras_beside(self.folder)
        said = said_offsets(self.folder)
        self._notes = {note.name: note for note in notes}
        self._cameras = tuple(
            self._camera(note, said[note.name].offset_ms, said[note.name].by)
            if note.name in said
            else self._camera(note, note.ahead_ms, "")
            for note in self._notes.values()
        )
        self._stamp = self._stamp_now()

    def _stamp_now(self) -> object:
        """What changes when the recording or what is known of it does."""
        places = [self.folder / RECORDING, self.folder / OFFSETS]
        for note in self._notes.values():
            places += [piece.path.parent if note.is_segmented else piece.path for piece in note.pieces[:1]]
            places += [piece.path for piece in note.pieces[-1:] if piece.is_growing]
        return [*places, *(_changed(place) for place in places)]

    def _camera(self, note: CameraNote, offset_ms: int, by: str) -> FilmCamera:
        spans, problem = self._spans(note)
        parts = tuple((start - offset_ms, end - offset_ms) for start, end in spans)
        return FilmCamera(
            name=note.name,
            role=note.role,
            from_ms=parts[0][0] if parts else 0,
            until_ms=parts[-1][1] if parts else 0,
            size=note.size,
            fps=note.fps,
            offset_ms=offset_ms,
            offset_by=by,
            problem=problem,
            parts=parts,
            is_segmented=note.is_segmented,
        )

    def _spans(self, note: CameraNote) -> tuple[list[tuple[int, int]], str]:
        if note.is_segmented:
            spans = [
                (one.from_ms, one.from_ms if one.until_ms is None else one.until_ms) for one in note.pieces
            ]
            return spans, "" if spans else f"there is no video of camera {note.name} any more"
        try:
            index = self.reel(note.pieces[0]).index
        except NoPictureError as error:
            return [], str(error)
        is_same = index.size == note.size and note.duration_ms in (None, index.duration_ms)
        if not is_same:
            name = note.pieces[0].path.name
            return [], f"{name}: is another video than the one that was watched; put that one back"
        return [(0, int(index.at_ms[-1]))], ""


def _changed(place: Path) -> tuple[int, int]:
    try:
        status = place.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _away(camera: str, last_ms: int, following: int | None) -> str:
    if following is None:
        return f"camera {camera} was over by then; its last picture is of {last_ms} ms"
    return f"camera {camera} was away: there is no picture of it between {last_ms} and {following} ms"
