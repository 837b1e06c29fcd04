"""The highlight reel of a game: what is in it, made in the background, watched by those who may see all."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from kemps_server.analysis.highlights import Highlight
from kemps_server.errors import KempsServerError
from kemps_server.page.words import LANGUAGES, Words, load_words
from kemps_server.reel.jobs import Job, JobWish
from kemps_server.reel.making import MOST_MOMENTS
from kemps_server.reel.notes import REEL, ReelNote, read_note, remove
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import AtPlace, Referee
from kemps_server.routes.seeing import Seen

router: Final = APIRouter(tags=["reel"], responses=refusals(401, 403, 404))

_MOST: Final = 50


class MomentAnswer(BaseModel):
    """A moment worth seeing."""

    rank: int = Field(description="1 is the best.")
    score: float = Field(
        description="What its reasons are worth together; nothing hangs on it but the order."
    )
    deal: int = Field(description="In which deal.")
    line: int = Field(description="The call's line in the journal.")
    at_ms: int = Field(description="When the call came.")
    title: str = Field(description="Who called what.")
    reasons: list[str] = Field(description="Why it was chosen.")


class JobAnswer(BaseModel):
    """A reel being made, or how that ended."""

    state: str = Field(description="none, making, done, failed or stopped.")
    done_ms: int = Field(description="So much of the reel is made.")
    of_ms: int = Field(description="How long it will be; 0 until that is known.")
    problem: str = Field(description="Why it failed, or empty.")


class ReelAnswer(BaseModel):
    """A game's reel."""

    moments: list[MomentAnswer] = Field(description="All moments of the game, the best first.")
    job: JobAnswer = Field(description="What is being made.")
    reel: ReelNote | None = Field(description="What was made, or null.")
    is_old: bool = Field(description="Whether lines have come to the journal since the reel was made.")
    is_closed: bool = Field(
        description="Whether the game is closed; until then only those who judge see this."
    )


class ReelOrder(BaseModel):
    """What is to be made."""

    most: int = Field(default=MOST_MOMENTS, ge=1, le=_MOST, description="So many moments at most.")
    blurs_faces: bool | None = Field(
        default=None, description="Make faces unrecognisable; else as the owner chose."
    )
    language: str = Field(default="en", description="Of the captions: en, ru, pt, fr or es.")


@router.get("/api/games/{game}/reel", summary="A game's highlight reel")
def reel(
    game: str,
    seen: Seen,
    place: AtPlace,
    lang: Annotated[str, Query(description="Of titles and reasons: en, ru, pt, fr or es.")] = "en",
) -> ReelAnswer:
    """Which moments there are, what is being made, and what was made."""
    told = place.figures.told(game, seen.game)
    words = load_words(lang if lang in LANGUAGES else LANGUAGES[0], "analysis")
    made = None if seen.game.folder is None else read_note(seen.game.folder)
    return ReelAnswer(
        moments=[moment_of(one, words) for one in told.highlights],
        job=_job(place.reels.of(game)),
        reel=made,
        is_old=made is not None and made.lines != told.lines,
        is_closed=told.figures.is_closed,
    )


@router.post(
    "/api/games/{game}/reel", status_code=202, summary="Make a game's reel", responses=refusals(409, 422)
)
def make(game: str, order: ReelOrder, seen: Seen, place: AtPlace, visitor: Referee) -> JobAnswer:
    """Begin to make it, in a process of its own; one reel is made at a time."""
    del visitor
    if order.language not in LANGUAGES:
        raise HTTPException(422, f"no captions in {order.language!r}; use {', '.join(LANGUAGES)}")
    film = place.films.beside(seen.folder)
    if not any(not camera.problem for camera in film.cameras):
        why = film.problem or next((camera.problem for camera in film.cameras), "it has no camera")
        raise HTTPException(409, f"there is no film of this game: {why}")
    chosen = place.store.choices.read().blur_faces
    is_blurred = chosen if order.blurs_faces is None else order.blurs_faces
    wish = JobWish(most=order.most, language=order.language, blurs_faces=is_blurred)
    try:
        return _job(place.reels.start(game, seen.game, wish))
    except KempsServerError as error:
        raise HTTPException(409, str(error)) from None


@router.delete("/api/games/{game}/reel", status_code=204, summary="Stop making a reel, or take it away")
def stop(game: str, seen: Seen, place: AtPlace, visitor: Referee) -> None:
    """While it is being made that ends; else the reel that was made is deleted."""
    del visitor
    job = place.reels.of(game)
    if job is not None and job.state == "making":
        place.reels.stop(game)
        return
    remove(seen.folder)


@router.get(
    "/games/{game}/reel.mp4",
    summary="The reel itself",
    response_class=FileResponse,
    responses={200: {"content": {"video/mp4": {}}}},
)
def video(game: str, seen: Seen) -> FileResponse:
    """The video, in pieces as players ask for it."""
    path = seen.folder / REEL
    if not path.is_file():
        raise HTTPException(404, "no reel of this game was made yet")
    return FileResponse(
        path, media_type="video/mp4", filename=f"{game}.mp4", content_disposition_type="inline"
    )


def moment_of(one: Highlight, words: Words) -> MomentAnswer:
    """A moment in people's words."""
    title = words.say(one.title)
    return MomentAnswer(
        rank=one.rank,
        score=one.score,
        deal=one.deal,
        line=one.line,
        at_ms=one.at_ms,
        title=title[:1].upper() + title[1:],
        reasons=[words.say(reason) for reason in one.reasons],
    )


def _job(job: Job | None) -> JobAnswer:
    if job is None:
        return JobAnswer(state="none", done_ms=0, of_ms=0, problem="")
    return JobAnswer(state=job.state, done_ms=job.done_ms, of_ms=job.of_ms, problem=job.problem)
