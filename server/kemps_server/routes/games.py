"""The tables and games there are, for those who judge."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field

from kemps_server.routes.languages import Language, ScriptLanguage, language_of
from kemps_server.routes.place import AtPlace, Referee, Viewer
from kemps_server.routes.table_answers import TableAnswer
from kemps_server.routes.tables import tables
from kemps_server.site.pages import page_of
from kemps_server.store.users import Role

router: Final = APIRouter()


class GameInList(BaseModel):
    """A game in the list."""

    title: str = Field(description="What people call it.")
    address: str = Field(description="The last part of its page's address; empty where it cannot be shown.")
    duration_ms: int = Field(description="How long it was watched.")
    letters: dict[str, str] = Field(description="The letters of each pair.")
    ruling: str = Field(description="Of its last verdict; empty before there is one.")
    flags: int = Field(description="How many flags nobody has dismissed.")
    error: str = Field(description="Why it cannot be shown; empty when it can.")


class HomeAnswer(BaseModel):
    """What the first page shows."""

    tables: list[TableAnswer]
    games: list[GameInList]


@router.get(
    "/",
    response_class=HTMLResponse,
    summary="The tables, and the list of games",
    responses={303: {"description": "Viewers and players have a page of their own, /watch."}},
)
def index(request: Request, place: AtPlace, visitor: Viewer, lang: Language = None) -> Response:
    """Each table with its state, and what games there are, with letters and the last verdict of each."""
    if not visitor.may(Role.REFEREE):
        return RedirectResponse(f"/watch?{request.url.query}".rstrip("?"), 303)
    language = language_of(request, lang)
    return page_of(
        request,
        "home.html.j2",
        area="tables",
        language=language,
        visitor=visitor,
        tables=tables(place, visitor, language),
        rows=place.shelf.rows(),
        folder=str(place.library.root),
        is_owner=visitor.may(Role.OWNER),
    )


@router.get("/index.json", summary="The tables and the games for programs")
def index_json(place: AtPlace, visitor: Referee, language: ScriptLanguage) -> HomeAnswer:
    """What the first page shows."""
    games = [
        GameInList(
            title=row.title,
            address=row.address,
            duration_ms=row.duration_ms,
            letters=dict(row.letters),
            ruling=row.ruling,
            flags=row.flags,
            error=row.error,
        )
        for row in place.shelf.rows()
    ]
    return HomeAnswer(tables=tables(place, visitor, language), games=games)
