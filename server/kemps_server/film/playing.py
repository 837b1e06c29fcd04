"""How a browser plays a camera's film: the file as it is, or part by part through Media Source Extensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kemps_server.film.film import Film, FilmCamera
from kemps_server.film.index import is_web_file, opened, plays_in_browsers
from kemps_server.film.pieces import Piece

PART_MS: Final = 4000  # of a video that browsers do not play: so much is made at a time
MADE_TYPE: Final = 'video/mp4; codecs="avc1.640028"'


@dataclass(frozen=True, slots=True)
class Playing:
    """How a camera is played.

    Attributes:
        way: ``file``, ``parts``, or ``none`` when there is nothing to play.
        media_type: Of the file or of the parts.
        start_s: Where a player's clock stands at the first frame.
        parts: Spans that are played one after another, in ms of the game.
        pieces: The file, or the recorded files that the parts are; empty when parts are made.
    """

    way: str
    media_type: str = ""
    start_s: float = 0.0
    parts: tuple[tuple[int, int], ...] = ()
    pieces: tuple[Piece, ...] = ()

    def piece_from(self, from_ms: int) -> Piece | None:
        """The recorded file of the part that begins then, or None when it is to be made."""
        for piece, part in zip(self.pieces, self.parts, strict=False):
            if part[0] == from_ms:
                return piece
        return None


def playing_of(film: Film, camera: FilmCamera) -> Playing:
    """How a camera is played.

    Raises:
        NoPictureError: Its file is gone.
    """
    if camera.problem:
        return Playing("none")
    pieces = film.pieces(camera.name)
    index = film.reel(pieces[0]).index
    if not camera.is_segmented and is_web_file(index):
        is_webm = "webm" in index.container and index.codec != "h264"
        return Playing("file", "video/webm" if is_webm else "video/mp4", index.start_s, (), pieces)
    if camera.is_segmented and plays_in_browsers(index) and index.codec == "h264":
        return Playing("parts", _recorded_type(pieces[0]), 0.0, camera.parts, pieces)
    starts = range(camera.from_ms, camera.until_ms + 1, PART_MS)
    made = tuple((start, min(start + PART_MS - 1, camera.until_ms + 1)) for start in starts)
    return Playing("parts", MADE_TYPE, 0.0, made)


def _recorded_type(piece: Piece) -> str:
    """The media type of a recorded file, with profile and level as its head says them."""
    container, stream = opened(piece.path)
    with container:
        head = bytes(stream.codec_context.extradata or b"")
    return f'video/mp4; codecs="avc1.{head[1:4].hex()}"' if head[:1] == b"\x01" else MADE_TYPE
