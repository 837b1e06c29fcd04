"""What a game comes to: its figures as a page, for programs and as a table, once one may see all of it."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_server.analysis.figure_rows import figure_rows
from kemps_server.analysis.game import GameFigures
from kemps_server.analysis.looks import look_of
from kemps_server.analysis.signs import LEAST_CALLS
from kemps_server.exports.figures import figures_csv
from kemps_server.page.words import load_words
from kemps_server.reel.notes import read_note
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace
from kemps_server.routes.reel import moment_of
from kemps_server.routes.seeing import Seen
from kemps_server.site.pages import page_of
from kemps_server.store.users import Role

LEAD_MS: Final = 3_000

router: Final = APIRouter(tags=["figures"], responses=refusals(401, 403, 404, 409))


class FiguresAnswer(BaseModel):
    """The figures of a game."""

    game: str = Field(description="The stored game's id, or the folder's name.")
    title: str = Field(description="What people call it.")
    figures: GameFigures = Field(description="Each with its 95 % interval, and what was not seen.")


@router.get("/games/{game}/analysis.json", summary="The figures of a game for programs")
def analysis_json(game: str, seen: Seen, place: AtPlace) -> FiguresAnswer:
    """Letters, calls, swaps, contests and gestures, each with how far it may be off."""
    figures = place.figures.told(game, seen.game).figures
    return FiguresAnswer(game=game, title=seen.game.title, figures=figures)


@router.get(
    "/games/{game}/analysis.csv",
    summary="The figures of a game as a table",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def analysis_csv(game: str, seen: Seen, place: AtPlace) -> Response:
    """A figure a row, in UTF-8."""
    content = figures_csv(figure_rows(place.figures.told(game, seen.game).figures))
    return Response(
        content,
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="figures.csv"'},
    )


@router.get("/games/{game}/analysis", response_class=HTMLResponse, summary="The page of a game's figures")
def analysis_page(
    game: str, request: Request, seen: Seen, place: AtPlace, lang: Language = None
) -> HTMLResponse:
    """Charts with their tables, and what was not seen."""
    told = place.figures.told(game, seen.game)
    language = language_of(request, lang)
    return page_of(
        request,
        "analysis.html.j2",
        area="analysis",
        language=language,
        visitor=seen.visitor,
        game=game,
        title=seen.game.title,
        look=look_of(told.figures, word=told.word, address=lambda at_ms: replayed(game, at_ms)),
        letters_word=told.word,
        signs_least=LEAST_CALLS,
        highlights=[
            (moment_of(one, load_words(language, "analysis")), replayed(game, one.stretches[0].from_ms))
            for one in told.highlights
        ],
        reel=None if seen.game.folder is None else read_note(seen.game.folder),
        lines=told.lines,
        may_make=seen.visitor.may(Role.REFEREE),
        blurs_faces=place.store.choices.read().blur_faces,
        film_problem=_film_problem(seen, place),
    )


def replayed(game: str, at_ms: int) -> str:
    """Where a moment of a game is replayed, from a little before it."""
    return f"/games/{quote(game, safe='')}?at={max(0, at_ms - LEAD_MS)}"


def _film_problem(seen: Seen, place: AtPlace) -> str:
    """Why no picture of a game can be shown, or empty; only those who may make a reel are told."""
    if not seen.visitor.may(Role.REFEREE):
        return ""
    if seen.game.folder is None:
        return "nothing lies beside this game"
    film = place.films.beside(seen.game.folder)
    if any(not camera.problem for camera in film.cameras):
        return ""
    return film.problem or next((camera.problem for camera in film.cameras), "")
