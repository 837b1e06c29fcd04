"""What a game comes to: its figures as a page, for programs and as a table, once one may see all of it."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_server.analysis.figure_rows import figure_rows
from kemps_server.analysis.game import GameFigures
from kemps_server.analysis.looks import look_of
from kemps_server.analysis.signs import LEAST_CALLS
from kemps_server.exports.figures import figures_csv
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace
from kemps_server.routes.seeing import Seen
from kemps_server.site.pages import page_of

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
    return page_of(
        request,
        "analysis.html.j2",
        area="analysis",
        language=language_of(request, lang),
        visitor=seen.visitor,
        game=game,
        title=seen.game.title,
        look=look_of(told.figures, word=told.word),
        letters_word=told.word,
        signs_least=LEAST_CALLS,
    )
