"""The replay of a game: its page, what the page draws, the report in one file, and all of it for programs."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from pydantic import BaseModel, Field

from kemps_rules.cards import DECK_52, JOKER
from kemps_rules.journal import journal_of
from kemps_server.analysis.telling import figures_of
from kemps_server.page.render import LEGEND, render_page
from kemps_server.page.telling import tell_game
from kemps_server.page.words import LANGUAGES
from kemps_server.replays import replay_as_json
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace, Viewer
from kemps_server.routes.seeing import Seen, SeenGame, seen_game
from kemps_server.site.pages import page_of
from kemps_server.traces.reader import Traces

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


class ReplayRows(BaseModel):
    """What the replay page draws, in one language; all times in ms of the game."""

    title: str = Field(description="What the game is called.")
    language: str = Field(description="Of its texts.")
    duration_ms: int = Field(description="When the last of it was over.")
    word: str = Field(description="What is spelled: KEMPS, mostly.")
    seats: list[dict[str, str]] = Field(description="id, name and pair of each seat.")
    places: list[list[float]] = Field(description="Where each seat is drawn: x, y, and y of what it says.")
    pairs: list[dict[str, Any]] = Field(description="id, letters and points of each pair.")
    steps: list[dict[str, Any]] = Field(
        description="Events in the order of time: at_ms, line, kind, text; seats, doubt, fresh, flags, "
        "is_retracted, is_unsure, is_heard (a call nobody has confirmed) and bubble where there are any; "
        "deal, centre, hands, stock, aside and loose where they are other than after the event before."
    )
    spans: list[list[Any]] = Field(description="What lasts: sort, seat or null, from_ms, to_ms, step.")
    flags: list[dict[str, Any]] = Field(description="rule, name, at_ms, seats, message, step, decision.")
    deals: list[dict[str, Any]] = Field(description="number, how it ended, and the verdict if there is one.")
    warnings: list[str] = Field(description="What was odd about the journal.")


@router.get("/games/{game}.json", summary="A game for programs", responses=refusals(401, 403, 404, 409))
def game_json(
    game: str, request: Request, place: AtPlace, visitor: Viewer, lang: Language = None
) -> ReplayAnswer:
    """All of a game: what was judged, and each line with the table after it."""
    if place.library.find(game) is None and place.library.find(f"{game}.json") is not None:
        # A folder whose own name ends so: its page is at this address.
        return game_page(request, place, seen_game(f"{game}.json", place, visitor), lang)  # type: ignore[return-value]  # a response goes out as it is
    seen = seen_game(game, place, visitor)
    return ReplayAnswer(game=game, **replay_as_json(journal_of(seen.game.content())))


@router.get(
    "/games/{game}",
    response_class=HTMLResponse,
    summary="The replay of a game",
    responses=refusals(401, 403, 404, 409),
)
def game_page(request: Request, place: AtPlace, seen: Seen, lang: Language = None) -> HTMLResponse:
    """All of a game to look at: its film, the table at each moment, what happened when."""
    language = language_of(request, lang)
    place.told.begin(seen.name, seen.game, language)
    return page_of(
        request,
        "replay.html.j2",
        area="replay",
        language=language,
        visitor=seen.visitor,
        cards=[*DECK_52, JOKER],
        game=seen.name,
        title=seen.game.title,
        legend=[(sort, Markup(drawing)) for sort, drawing in LEGEND.items()],  # noqa: S704 - constants
        is_staff=seen.is_for_staff,
        blurs_faces=place.store.choices.read().blur_faces,
        has_traces=_has_traces(seen),
    )


@router.get(
    "/games/{game}/report",
    response_class=HTMLResponse,
    summary="The report of a game in one file",
    responses=refusals(401, 403, 404, 409),
)
def game_report(seen: Seen, lang: Language = None) -> HTMLResponse:
    """All of a game as one page that needs nothing else, as `kemps report` writes it."""
    language = lang if lang in LANGUAGES else None
    home = f"/games/{seen.name}"
    page = render_page(tell_game(seen.game), language, home=home, figures=figures_of(seen.game))
    return HTMLResponse(page)


@router.get(
    "/api/games/{game}/replay",
    response_model=ReplayRows,
    summary="What the replay page draws",
    responses={304: {"description": "As before."}, **refusals(401, 403, 404, 409)},
)
def replay(
    request: Request,
    place: AtPlace,
    seen: Seen,
    lang: Language = None,
    if_none_match: Annotated[str, Header(description="The ETag that is known.")] = "",
) -> Response:
    """Events, what lasts, flags and verdicts, in a language."""
    told = place.told.rows(seen.name, seen.game, language_of(request, lang))
    headers = {"ETag": told.tag, "Cache-Control": "private, no-cache"}
    if told.tag in if_none_match:
        return Response(status_code=304, headers=headers)
    return Response(told.content, media_type="application/json", headers=headers)


def _has_traces(seen: SeenGame) -> bool:
    return seen.game.folder is not None and Traces.beside(seen.game.folder).are_there
