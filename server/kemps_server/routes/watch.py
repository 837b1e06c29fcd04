"""What viewers and players see when they come: the tables as they may know them, and games that are over."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_rules.cards import DECK_52, JOKER
from kemps_server.access.visitor import Visitor
from kemps_server.live.disclosure import may_see_all
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace, Viewer
from kemps_server.site.pages import page_of
from kemps_server.store.users import Role

router: Final = APIRouter()

_ANY_VIEWER: Final = Visitor(Role.VIEWER)
_RULINGS: Final = ("right", "wrong", "cannot_verify")


class WatchedGame(BaseModel):
    """A game that is over, and told to everybody."""

    name: str = Field(description="The last part of its address.")
    title: str


class WatchAnswer(BaseModel):
    """What a viewer finds here."""

    tables: list[str] = Field(description="Their names; how each stands is at /api/tables/NAME/state.")
    games: list[WatchedGame]


@router.get("/watch", response_class=HTMLResponse, summary="The page of viewers and players")
def watch_page(request: Request, place: AtPlace, visitor: Viewer, lang: Language = None) -> HTMLResponse:
    """Each table as it stands, by itself, and the games that are over."""
    language = language_of(request, lang)
    return page_of(
        request,
        "watch.html.j2",
        area="access",
        language=language,
        visitor=visitor,
        cards=(*DECK_52, JOKER),
        watched=watch(place, visitor),
        rulings=_RULINGS,
    )


@router.get("/watch.json", summary="What viewers and players find here")
def watch(place: AtPlace, visitor: Viewer) -> WatchAnswer:
    """Tables, and the games of which viewers may see all, whoever asks."""
    del visitor
    games = [
        WatchedGame(name=one.name, title=one.game.title)
        for one in place.library.shown()
        if not one.problem and may_see_all(_ANY_VIEWER, place, one.name)
    ]
    return WatchAnswer(tables=[table.name for table in place.store.tables.all()], games=games)
