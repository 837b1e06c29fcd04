"""The owner's page: who may log in, links, delays, how long recordings are kept, what goes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from kemps_rules.events import GameOpened
from kemps_server.errors import KempsServerError
from kemps_server.forgetting.retention import kept_why
from kemps_server.library import StoredGame
from kemps_server.live.delay import promise_of
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.links import LinkAnswer, links
from kemps_server.routes.place import AtPlace, Owner, Place
from kemps_server.routes.users import UserAnswer, users
from kemps_server.site.pages import page_of
from kemps_server.store.choices import MOST_DAYS
from kemps_server.store.users import Role

router: Final = APIRouter()


class ChoicesAnswer(BaseModel):
    """What the owner chose for the whole server."""

    model_config = ConfigDict(extra="forbid")

    video_days: int | None = Field(
        None, ge=1, le=MOST_DAYS, description="After how many days recordings go; null keeps them."
    )
    blur_faces: bool = Field(False, description="Whether faces are blurred in clips that are exported.")


class TableOfSettings(BaseModel):
    """A table and how long the public waits for it."""

    name: str
    delay_ms: int = Field(description="In ms.")


class GameOfSettings(BaseModel):
    """A game: whether its recordings are kept, and what its players agreed to."""

    name: str = Field(description="The last part of its address.")
    title: str
    is_stored: bool = Field(description="Whether it is in the store; a folder has no settings.")
    kept_why: str = Field(description="Why its recordings are kept whatever their age; empty: they are not.")
    consent: str = Field(description="What the players agreed to, if somebody noted it.")


class SettingsAnswer(BaseModel):
    """All that the owner's page shows."""

    is_home: bool = Field(description="Whether this machine alone reaches the server.")
    users: list[UserAnswer]
    links: list[LinkAnswer]
    choices: ChoicesAnswer
    tables: list[TableOfSettings]
    games: list[GameOfSettings]


@router.get("/settings", response_class=HTMLResponse, summary="The owner's page")
def settings_page(request: Request, place: AtPlace, visitor: Owner, lang: Language = None) -> HTMLResponse:
    """Users, links, delays, retention, games and people."""
    return page_of(
        request,
        "settings.html.j2",
        area="settings",
        language=language_of(request, lang),
        visitor=visitor,
        settings=settings(place, visitor),
        roles=[str(role) for role in Role],
    )


@router.get("/settings.json", summary="All that the owner's page shows")
def settings(place: AtPlace, visitor: Owner) -> SettingsAnswer:
    """Users, links, delays, choices and games; no secret is among it."""
    choices = place.store.choices.read()
    return SettingsAnswer(
        is_home=place.gate.is_home,
        users=users(place, visitor),
        links=links(place, visitor),
        choices=ChoicesAnswer(**asdict(choices)),
        tables=[
            TableOfSettings(name=table.name, delay_ms=promise_of(table.settings).now_ms)
            for table in place.store.tables.all()
        ],
        games=_games(place),
    )


@router.put("/api/settings", summary="Change what the owner chose")
def choose(asked: ChoicesAnswer, place: AtPlace, visitor: Owner) -> ChoicesAnswer:
    """What is not sent stays as it is."""
    del visitor
    return ChoicesAnswer(**asdict(place.store.choices.set(**asked.model_dump(exclude_unset=True))))


def _games(place: Place) -> list[GameOfSettings]:
    try:
        shown = place.library.shown()
    except KempsServerError:
        return []
    return [
        GameOfSettings(
            name=one.name.encode("utf-8", "replace").decode(),
            title=one.game.title.encode("utf-8", "replace").decode(),
            is_stored=isinstance(one.game, StoredGame),
            kept_why=kept_why(one.game),
            consent=_consent(one.game) if isinstance(one.game, StoredGame) else "",
        )
        for one in shown
    ]


def _consent(game: StoredGame) -> str:
    """What the players agreed to, as it was noted last: here, or in the header when the game began."""
    if (noted := game.record.settings.get("consent")) is not None:
        return str(noted)
    headers = game.store.games.journal(game.record.id).read_kinds((GameOpened.kind,))
    return str(headers[0].event.extra.get("consent") or "") if headers else ""
