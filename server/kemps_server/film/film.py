"""The film of a game: all that its cameras recorded, frame by frame and as clips."""

from __future__ import annotations

from typing import Final

from kemps_server.film.clips import Clip, Target, Wish, write_clip
from kemps_server.film.footage import FilmCamera, Footage, NoPictureError, Shot


class Film(Footage):
    """The film of a game; may be used by several threads. Use it as a context manager, or close it."""

    def clip(
        self, camera: str, from_ms: int, until_ms: int, target: Target, wish: Wish | None = None
    ) -> Clip:
        """Write a span of a camera as H.264 in MP4, for a ``<video>``; it begins at ``from_ms`` sharp.

        Raises:
            NoPictureError: The camera has no picture in it.
            KempsServerError: The span ends before it begins, or is too long.
            WorkFailedError: It cannot be written.
        """
        return write_clip(self, camera, from_ms, until_ms, target, wish)


__all__: Final = ["Clip", "Film", "FilmCamera", "NoPictureError", "Shot", "Wish"]
