"""The local server: the games of one data folder as pages and as JSON.

It is a tool for the owner of the recordings on their own machine. It asks for no password and changes no
game; its pages show all that was observed, also what players would not tell each other during a game.
"""

from __future__ import annotations

import logging
from importlib.metadata import version
from ipaddress import ip_address
from typing import Annotated, Any, Final

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field
from starlette.middleware.trustedhost import TrustedHostMiddleware

from kemps_rules.errors import KempsRulesError
from kemps_rules.journal import journal_of
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.games import KeptGame
from kemps_server.library import Library
from kemps_server.page.listing import render_games
from kemps_server.page.render import render_page
from kemps_server.page.telling import tell_game
from kemps_server.page.words import LANGUAGES
from kemps_server.replays import replay_as_json
from kemps_server.shelf import Shelf

_log = logging.getLogger(__name__)

_LOOPBACK_NAMES: Final = ["127.0.0.1", "localhost", "[::1]"]

Language = Annotated[str | None, Query(alias="lang", description="en, ru, pt, fr or es; else the browser's.")]


class Health(BaseModel):
    """That the server answers, and from what."""

    status: str = Field(description="Always ok: a server that is not does not answer.")
    version: str = Field(description="The version of kemps.")
    games: int = Field(description="How many games there are, stored and in folders.")


class ReplayAnswer(BaseModel):
    """A game for programs."""

    game: str = Field(description="The stored game's id, or the folder's name.")
    seats: dict[str, str] = Field(description="Each seat's player.")
    judgement: dict[str, Any] = Field(description="What kemps judge --json prints.")
    steps: list[dict[str, Any]] = Field(
        description="Each line in the order of time: event and table after it."
    )
    warnings: list[str] = Field(description="What was odd about the journal.")


def create_app(library: Library, *, host: str = "127.0.0.1") -> FastAPI:
    """The application for the games of a library, to be served on ``host``."""
    app = FastAPI(title="Kemps observer", version=version("kemps"), docs_url=None, redoc_url=None)
    if is_loopback(host):
        # A page from elsewhere must not read the games by a name of its own that leads to this machine.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=_LOOPBACK_NAMES)
    app.middleware("http")(_with_safe_headers)
    app.add_exception_handler(KempsServerError, _as_conflict)
    app.add_exception_handler(KempsRulesError, _as_conflict)
    app.add_exception_handler(StoreError, _as_unavailable)
    shelf = Shelf(library)

    @app.get("/", response_class=HTMLResponse, summary="The list of games")
    def index(request: Request, lang: Language = None) -> HTMLResponse:
        language = language_of(request, lang)
        return HTMLResponse(render_games(shelf.rows(), folder=str(library.root), language=language))

    @app.get("/health", summary="Whether the server is well")
    def health() -> Health:
        return Health(status="ok", version=version("kemps"), games=len(library.shown()))

    @app.get("/games/{name}.json", response_model=ReplayAnswer, summary="A game for programs")
    def game_json(name: str, lang: Language = None) -> ReplayAnswer | Response:
        game = library.find(name)
        if game is None:
            return game_page(f"{name}.json", lang)  # a folder whose own name ends so
        return ReplayAnswer(game=name, **replay_as_json(journal_of(game.content())))

    @app.get("/games/{name}", response_class=HTMLResponse, summary="The page of a game")
    def game_page(name: str, lang: Language = None) -> HTMLResponse:
        language = lang if lang in LANGUAGES else None
        return HTMLResponse(render_page(tell_game(_found(library, name)), language, home="/"))

    return app


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def language_of(request: Request, asked: str | None) -> str:
    """The language asked for, else the first one of the browser's that there is, else English."""
    header = request.headers.get("accept-language", "")
    tags = [asked or "", *(part.split(";")[0].strip() for part in header.split(","))]
    return next((tag[:2].lower() for tag in tags if tag[:2].lower() in LANGUAGES), LANGUAGES[0])


def _found(library: Library, name: str) -> KeptGame:
    game = library.find(name)
    if game is None:
        raise HTTPException(404, "there is no such game here")
    return game


async def _with_safe_headers(request: Request, call_next: Any) -> Response:  # noqa: ANN401 - Starlette's own
    response: Response = await call_next(request)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Cache-Control"] = "no-store"
    return response


async def _as_conflict(_request: Request, error: Exception) -> Response:
    """A game whose journal cannot be used: said in one line, the server goes on."""
    return Response(f"{error}\n", 409, media_type="text/plain; charset=utf-8")


async def _as_unavailable(_request: Request, error: Exception) -> Response:
    """A store that refuses: said in one line, and it may be better soon."""
    _log.error("%s", error)
    return Response(f"{error}\n", 503, media_type="text/plain; charset=utf-8")
