"""The film of a game: its cameras, the frame on show at a moment, clips, and whole videos to play."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import cv2
from fastapi import APIRouter, Header, HTTPException, Query, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from kemps_server.film.clips import LONGEST_MADE_MS
from kemps_server.film.film import Film, FilmCamera, NoPictureError, Shot, Wish
from kemps_server.film.offsets import MOST_MS, SaidOffset, say_offset
from kemps_server.film.playing import Playing, playing_of
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import AtPlace, Referee
from kemps_server.routes.seeing import Seen, seen_game
from kemps_server.store.clock import clock_ms
from kemps_server.traces.drawing import TraceDrawer, draw_trace
from kemps_server.traces.marks import STYLE, marks_of
from kemps_server.traces.reader import LONGEST_MS, Traces
from kemps_vision.frame import Image
from kemps_vision.sources.live import LOST_AFTER_MS

router: Final = APIRouter(tags=["film"])

_LATEST_MS: Final = 1 << 40
LONGEST_MARKED_MS: Final = 30_000

AtMs: TypeAlias = Annotated[int, Query(ge=0, le=_LATEST_MS, description="The moment, in ms of the game.")]
FromMs: TypeAlias = Annotated[
    int, Query(ge=-MOST_MS, le=_LATEST_MS, description="Where it begins, in ms of the game.")
]
UntilMs: TypeAlias = Annotated[
    int, Query(ge=0, le=_LATEST_MS, description="Where it ends, in ms of the game.")
]
WidthPx: TypeAlias = Annotated[
    int, Query(ge=16, le=3840, description="No wider than so many px; the height follows.")
]

T = TypeVar("T")


def _gives(*media_types: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media_type: {} for media_type in media_types}}}


class MarksAnswer(BaseModel):
    """What was seen in a span of a camera, to be drawn over its video."""

    style: dict[str, Any] = Field(description="Colours of hands and faces, and the bones of a hand.")
    stays_ms: int = Field(description="For so long what was seen in a frame is what is on show.")
    marks: list[dict[str, Any]] = Field(
        description="A row for each watched frame, by time: cards with name, note, quad in px, colour and "
        "dash; for those who judge also hands (21 points) and faces (x, y, width, height)."
    )


class CameraAnswer(BaseModel):
    """A camera of a game's film; times are the game's."""

    name: str = Field(description="Its name.")
    role: str = Field(description="table, or faces.")
    from_ms: int = Field(description="When its first frame is shown.")
    until_ms: int = Field(description="When its last frame is shown.")
    size: tuple[int, int] = Field(description="Width and height of its pictures.")
    fps: float = Field(description="The nominal frame rate; marks are in time, and frames may come unevenly.")
    offset_ms: int = Field(description="By how much its own times are ahead of the game's.")
    offset_by: str = Field(description="Who said so; empty when it was so configured.")
    problem: str = Field(description="Why nothing of it can be shown, or empty.")
    plays: str = Field(
        description="file: video.mp4 is all of it, from from_ms on. parts: part.mp4 gives one span "
        "after another, for Media Source Extensions. none: there is nothing to play."
    )
    start_s: float = Field(description="Where a player's clock stands at the first frame, at from_ms.")
    media_type: str = Field(description="Of the parts, with the codec; empty when it plays as a file.")
    parts: list[tuple[int, int]] = Field(
        description="The spans that part.mp4 gives; empty when it is a file."
    )


class FilmAnswer(BaseModel):
    """The film of a game."""

    cameras: list[CameraAnswer] = Field(description="The table camera first.")
    problem: str = Field(description="Why there is none, or empty.")
    shown_for_ms: int = Field(description="How long a camera's last frame before a gap counts as shown.")


class OffsetWish(BaseModel):
    """What somebody found of a camera's clock."""

    offset_ms: int = Field(ge=-MOST_MS, le=MOST_MS, description="By how much its times are ahead.")
    why: str = Field(default="", max_length=500, description="How they know.")


@router.get(
    "/api/games/{game}/film", summary="The cameras of a game's film", responses=refusals(401, 403, 404)
)
def film(game: str, seen: Seen, place: AtPlace) -> FilmAnswer:
    """Which cameras there are, from when to when, and how to play them."""
    del game
    found = place.films.beside(seen.folder)
    cameras = sorted(found.cameras, key=lambda camera: camera.role != "table")
    return FilmAnswer(
        cameras=[_camera(found, camera) for camera in cameras],
        problem=found.problem,
        shown_for_ms=LOST_AFTER_MS,
    )


@router.get(
    "/api/games/{game}/film/{camera:path}/frame",
    summary="The frame on show at a moment",
    response_class=Response,
    responses={
        **_gives("image/jpeg", "image/png"),
        304: {"description": "As before."},
        **refusals(401, 403, 404),
    },
)
def frame(  # noqa: PLR0913, PLR0917 - each is a choice of its own
    camera: str,
    seen: Seen,
    place: AtPlace,
    at_ms: AtMs,
    step: Annotated[int, Query(ge=-1000, le=1000, description="So many frames later, or earlier.")] = 0,
    width: WidthPx = 3840,
    overlay: Annotated[
        bool,
        Query(description="With what was seen drawn on it: cards, and for those who judge, hands and faces."),
    ] = False,
    kind: Annotated[str, Query(alias="format", pattern="^(jpeg|png)$", description="jpeg or png.")] = "jpeg",
    if_none_match: Annotated[str, Header(description="The ETag that is known.")] = "",
) -> Response:
    """The last frame shown until then, exact by its time stamp.

    The headers `Kemps-At-Ms` and `Kemps-Index` tell when it is first shown, and its number in its file.
    """
    found = place.films.beside(seen.folder)
    shot = _or_404(lambda: _stepped(found, camera, at_ms, step))
    trace = Traces.beside(seen.folder).at(camera, shot.at_ms) if overlay else None
    drawn = "" if trace is None else f"{trace.at_ms}{seen.is_for_staff}"
    tag = _tag(found, shot, width, f"{kind}{drawn}")
    told = {"ETag": tag, "Cache-Control": "private, no-cache", "Kemps-At-Ms": str(shot.at_ms)}
    if tag in if_none_match:
        return Response(status_code=304, headers=told)
    got = _or_404(lambda: found.frame(camera, shot))
    told |= {"Kemps-At-Ms": str(got.at_ms), "Kemps-Index": str(got.index)}
    pixels = got.pixels if trace is None else draw_trace(got.pixels, trace, with_people=seen.is_for_staff)
    return Response(encoded(pixels, width, kind), media_type=f"image/{kind}", headers=told)


@router.get(
    "/api/games/{game}/film/{camera:path}/marks",
    summary="What was seen in a span, as lines and texts",
    responses=refusals(401, 403, 404, 422),
)
def marks(camera: str, seen: Seen, place: AtPlace, from_ms: FromMs, until_ms: UntilMs) -> MarksAnswer:
    """What `frame?overlay=1` draws, for a script to draw while a video plays; at most half a minute of it."""
    _check_span(from_ms, until_ms, LONGEST_MARKED_MS)
    _or_404(lambda: place.films.beside(seen.folder).camera(camera))
    found = Traces.beside(seen.folder).between(camera, from_ms, until_ms)
    told = [marks_of(trace, with_people=seen.is_for_staff) for trace in found]
    return MarksAnswer(style=STYLE, stays_ms=LONGEST_MS, marks=told)


@router.get(
    "/api/games/{game}/film/{camera:path}/clip.mp4",
    summary="A span of a camera as a video",
    response_class=FileResponse,
    responses=_gives("video/mp4") | refusals(401, 403, 404, 409),
)
def clip(
    camera: str,
    seen: Seen,
    place: AtPlace,
    from_ms: FromMs,
    until_ms: UntilMs,
    copy: Annotated[
        bool, Query(description="The recording's own pictures where they can be had, from a key picture on.")
    ] = False,
    width: WidthPx = 1920,
    overlay: Annotated[bool, Query(description="With what was seen drawn on it, as on a frame.")] = False,
) -> FileResponse:
    """H.264 that begins at from_ms sharp, in each camera alike; made once, then kept for a while.

    The header `Kemps-From-Ms` tells which moment of the game is its second 0: with `copy` it may be a little
    before `from_ms`.
    """
    _check_span(from_ms, until_ms)
    found = place.films.beside(seen.folder)
    drawer = TraceDrawer(Traces.beside(seen.folder), with_people=seen.is_for_staff) if overlay else None
    wish = Wish(may_copy=copy, draw=None if drawer is None else drawer.draw, widest_px=width)
    drawn = "" if drawer is None else f"traces {seen.is_for_staff}"
    cut = _or_404(lambda: place.cuts.cut(found, camera, (from_ms, until_ms), wish, drawn))
    told = {"Kemps-From-Ms": str(cut.clip.from_ms), "Kemps-Until-Ms": str(cut.clip.until_ms)}
    return FileResponse(cut.path, media_type="video/mp4", headers=told)


@router.get(
    "/api/games/{game}/film/{camera:path}/video.mp4",
    summary="The whole video of a camera",
    response_class=FileResponse,
    responses=_gives("video/mp4", "video/webm") | refusals(401, 403, 404),
)
def video(camera: str, seen: Seen, place: AtPlace) -> FileResponse:
    """The file that was watched, as it is, when browsers play it; its first frame is shown at from_ms."""
    found = place.films.beside(seen.folder)
    _, playing = _or_404(lambda: _playing(found, camera))
    if playing.way != "file":
        raise HTTPException(404, "this camera has no one video that browsers play; ask for its parts")
    return FileResponse(playing.pieces[0].path, media_type=playing.media_type)


@router.get(
    "/api/games/{game}/film/{camera:path}/part.mp4",
    summary="A part of a camera's video",
    response_class=Response,
    responses=_gives("video/mp4") | refusals(401, 403, 404, 409),
)
def part(camera: str, seen: Seen, place: AtPlace, from_ms: FromMs) -> Response:
    """The part that begins at `from_ms`, as fragmented MP4: its second 0 is `from_ms`."""
    found = place.films.beside(seen.folder)
    _, playing = _or_404(lambda: _playing(found, camera))
    span = next((span for span in playing.parts if span[0] == from_ms), None)
    if span is None:
        raise HTTPException(404, f"no part of camera {camera} begins at {from_ms} ms")
    if (piece := playing.piece_from(from_ms)) is not None:
        return FileResponse(piece.path, media_type="video/mp4")
    made = BytesIO()
    _or_404(lambda: found.clip(camera, *span, made, Wish(is_part=True)))
    return Response(
        made.getvalue(), media_type="video/mp4", headers={"Cache-Control": "private, max-age=600"}
    )


@router.put(
    "/api/games/{game}/film/{camera:path}/offset",
    summary="By how much a camera's times are ahead",
    responses=refusals(401, 403, 404, 409, 422),
)
def offset(game: str, camera: str, wish: OffsetWish, place: AtPlace, visitor: Referee) -> CameraAnswer:
    """Say it: from now on its frames are shown by it. Neither journal nor what was said before is touched."""
    seen = seen_game(game, place, visitor)
    found = place.films.beside(seen.folder)
    _or_404(lambda: found.camera(camera))
    said = SaidOffset(
        camera=camera, offset_ms=wish.offset_ms, by=visitor.name, why=wish.why, written_ms=clock_ms()
    )
    say_offset(seen.folder, said)
    return _camera(found, found.camera(camera))


def encoded(pixels: Image, width: int, kind: str = "jpeg") -> bytes:
    """A picture, no wider than that, as JPEG or PNG."""
    if pixels.shape[1] > width:
        size = width, max(1, round(pixels.shape[0] * width / pixels.shape[1]))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA).astype("uint8", copy=False)
    options = [cv2.IMWRITE_JPEG_QUALITY, 92] if kind == "jpeg" else []
    _, data = cv2.imencode(
        ".jpg" if kind == "jpeg" else ".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), options
    )
    return data.tobytes()


def _camera(found: Film, camera: FilmCamera) -> CameraAnswer:
    playing = playing_of(found, camera)
    return CameraAnswer(
        name=camera.name,
        role=camera.role,
        from_ms=camera.from_ms,
        until_ms=camera.until_ms,
        size=camera.size,
        fps=camera.fps,
        offset_ms=camera.offset_ms,
        offset_by=camera.offset_by,
        problem=camera.problem,
        plays=playing.way,
        start_s=playing.start_s,
        media_type=playing.media_type,
        parts=list(playing.parts),
    )


def _playing(found: Film, camera: str) -> tuple[FilmCamera, Playing]:
    known = found.camera(camera)
    if known.problem:
        raise NoPictureError(known.problem)
    return known, playing_of(found, known)


def _stepped(found: Film, camera: str, at_ms: int, step: int) -> Shot:
    shot = found.shot_at(camera, at_ms)
    return found.beside_shot(camera, shot, step) if step else shot


def _tag(found: Film, shot: Shot, width: int, kind: str) -> str:
    """Another one for another picture: the file, as it is, the frame and how it is wanted."""
    stamp = found.reel(shot.piece).stamp
    said = f"{shot.piece.path}|{stamp}|{shot.place}|{shot.at_ms}|{width}|{kind}"
    return f'"{sha256(said.encode()).hexdigest()[:20]}"'


def _check_span(from_ms: int, until_ms: int, most_ms: int = LONGEST_MADE_MS) -> None:
    if until_ms <= from_ms:
        raise HTTPException(422, "until_ms is not after from_ms")
    if until_ms - from_ms > most_ms:
        raise HTTPException(422, f"a span is at most {most_ms // 1000} s long here")


def _or_404(work: Callable[[], T]) -> T:
    """What comes of it; 404 with one line when there is no picture."""
    try:
        return work()
    except NoPictureError as error:
        raise HTTPException(404, str(error)) from None
