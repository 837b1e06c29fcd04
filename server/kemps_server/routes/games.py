"""The tables and games there are, and the page of each game: all that was seen, for those who judge."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_rules.journal import journal_of
from kemps_server.games import KeptGame
from kemps_server.library import Library
from kemps_server.page.render import render_page
from kemps_server.page.telling import tell_game
from kemps_server.page.words import LANGUAGES
from kemps_server.replays import replay_as_json
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace, Referee
from kemps_server.routes.table_answers import TableAnswer
from kemps_server.routes.tables import tables
from kemps_server.site.pages import page_of
from kemps_server.store.users import Role

router: Final = APIRouter()


class ReplayAnswer(BaseModel):
    """A game for programs."""

    game: str = Field(description="The stored game's id, or the folder's name.")
    seats: dict[str, str] = Field(description="Each seat's player.")
    judgement: dict[str, Any] = Field(description="What kemps judge --json prints.")
    steps: list[dict[str, Any]] = Field(
        description="Each line in the order of time: event and table after it."
    )
    warnings: list[str] = Field(description="What was odd about the journal.")


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


@router.get("/", response_class=HTMLResponse, summary="The tables, and the list of games")
def index(request: Request, place: AtPlace, visitor: Referee, lang: Language = None) -> HTMLResponse:
    """Each table with its state, and what games there are, with letters and the last verdict of each."""
    return page_of(
        request,
        "home.html.j2",
        area="tables",
        language=language_of(request, lang),
        visitor=visitor,
        tables=tables(place, visitor),
        rows=place.shelf.rows(),
        folder=str(place.library.root),
        is_owner=visitor.may(Role.OWNER),
    )


@router.get("/index.json", summary="The tables and the games for programs")
def index_json(place: AtPlace, visitor: Referee) -> HomeAnswer:
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
    return HomeAnswer(tables=tables(place, visitor), games=games)


@router.get("/games/{name}.json", response_model=ReplayAnswer, summary="A game for programs")
def game_json(name: str, place: AtPlace, visitor: Referee, lang: Language = None) -> ReplayAnswer | Response:
    """All of a game: what was judged, and each line with the table after it."""
    game = place.library.find(name)
    if game is None:
        return game_page(f"{name}.json", place, visitor, lang)  # a folder whose own name ends so
    return ReplayAnswer(game=name, **replay_as_json(journal_of(game.content())))


@router.get("/games/{name}", response_class=HTMLResponse, summary="The page of a game")
def game_page(name: str, place: AtPlace, visitor: Referee, lang: Language = None) -> HTMLResponse:
    """All of a game, to look at."""
    del visitor
    language = lang if lang in LANGUAGES else None
    return HTMLResponse(render_page(tell_game(found(place.library, name)), language, home="/"))


def found(library: Library, name: str) -> KeptGame:
    """The game at this address; 404 when there is none."""
    game = library.find(name)
    if game is None:
        raise HTTPException(404, "there is no such game here")
    return game
