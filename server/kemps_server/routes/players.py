"""Players by name over all games, for those who judge: whoever plays sees their own game's figures."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_server.analysis.player_looks import everybody_look, player_look
from kemps_server.analysis.players import PlayerFigures, known_as
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace, Place, Referee
from kemps_server.site.pages import page_of

router: Final = APIRouter(tags=["figures"], responses=refusals(401, 403))


class PlayersAnswer(BaseModel):
    """Everybody who played in a game that can be read."""

    players: list[PlayerFigures] = Field(description="By name.")
    games: int = Field(description="How many games that is taken from.")
    unreadable: list[str] = Field(description="Games that could not be read.")


@router.get("/players.json", summary="All players for programs")
def players_json(place: AtPlace, visitor: Referee) -> PlayersAnswer:
    """Each player over all games; one name is taken to be one person."""
    del visitor
    everybody = place.figures.everybody(place.library)
    return PlayersAnswer(
        players=list(everybody.players), games=everybody.games, unreadable=list(everybody.unreadable)
    )


@router.get("/players", response_class=HTMLResponse, summary="The page of all players")
def players_page(request: Request, place: AtPlace, visitor: Referee, lang: Language = None) -> HTMLResponse:
    """Who played, how often they were right, how fast they called, how much they swapped."""
    everybody = place.figures.everybody(place.library)
    return page_of(
        request,
        "players.html.j2",
        area="analysis",
        language=language_of(request, lang),
        visitor=visitor,
        everybody=everybody,
        look=everybody_look(everybody.players),
    )


@router.get("/players/{name:path}.json", summary="A player for programs", responses=refusals(404))
def player_json(name: str, place: AtPlace, visitor: Referee) -> PlayerFigures:
    """A player over all games, and each of them."""
    del visitor
    return _player(place, name)


@router.get(
    "/players/{name:path}",
    response_class=HTMLResponse,
    summary="The page of a player",
    responses=refusals(404),
)
def player_page(
    name: str, request: Request, place: AtPlace, visitor: Referee, lang: Language = None
) -> HTMLResponse:
    """A player game by game."""
    player = _player(place, name)
    return page_of(
        request,
        "player.html.j2",
        area="analysis",
        language=language_of(request, lang),
        visitor=visitor,
        player=player,
        look=player_look(player),
    )


def _player(place: Place, name: str) -> PlayerFigures:
    everybody = place.figures.everybody(place.library)
    found = next((one for one in everybody.players if known_as(one.name) == known_as(name)), None)
    if found is None:
        raise HTTPException(404, "nobody of this name played in a game here")
    return found
