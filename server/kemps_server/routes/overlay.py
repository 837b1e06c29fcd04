"""The overlay of a table: a transparent page for a stream, how it looks, and the same for programs."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias, get_args

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field

from kemps_rules.cards import DECK_52, JOKER
from kemps_server.access.gate import TOKEN
from kemps_server.access.visitor import Visitor
from kemps_server.live.disclosure import Audience
from kemps_server.live.obs_hooks import settings_of
from kemps_server.live.overlay_looks import PARTS, Asked, OverlayLooks, looks_of
from kemps_server.live.sample_game import sample_state
from kemps_server.page.words import LANGUAGES, load_words
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.live import StateAnswer, state_for
from kemps_server.routes.obs import ObsAnswer, obs_told
from kemps_server.routes.place import AtPlace, Owner, Viewer
from kemps_server.routes.tables import table_at
from kemps_server.site.pages import POLICY, page_of
from kemps_server.store.tables import TableRecord
from kemps_server.store.users import Role

router: Final = APIRouter()

_MOST_NAMES: Final = 12
_SPOKEN: Final = ("overlay.", "ruling.", "page.lost", "page.won", "page.shared", "table.stock")


def with_link(request: Request, visitor: Viewer) -> Visitor:
    """A visitor with a token in the address, here too: so secrecy and delay hold on every stream."""
    if not request.query_params.get(TOKEN):
        raise HTTPException(
            403, "an overlay's address ends in ?token=…; make a link for viewers under Settings, and use that"
        )
    return visitor


class SetUpAnswer(BaseModel):
    """How the overlay of a table is set up."""

    table: str = Field(description="Which table's.")
    looks: OverlayLooks = Field(description="How it looks.")
    obs: ObsAnswer = Field(description="How OBS is spoken to.")


Linked: TypeAlias = Annotated[Visitor, Depends(with_link)]


@router.get(
    "/overlay/{table}.json",
    summary="What the overlay of a table shows",
    responses=refusals(401, 403, 404),
)
def overlay_json(table: str, place: AtPlace, visitor: Linked) -> StateAnswer:
    """What the overlay shows now: what viewers may know, whoever asks."""
    del visitor
    table_at(place, table)
    return state_for(place.hub.table(table), Audience.VIEWER)


@router.get(
    "/overlay/{table}",
    response_class=HTMLResponse,
    summary="The overlay of a table",
    responses=refusals(401, 403, 404),
)
def overlay(
    request: Request, table: str, place: AtPlace, visitor: Viewer, asked: Annotated[Asked, Query()]
) -> Response:
    """A transparent page, to be laid over a picture of 16 to 9; it follows the table by itself.

    What makes no sense in its looks is left out, and refusals are transparent, too; a line says what.
    The owner without a link is led to where the overlay is set up; ``sample=true`` shows them a made-up game.
    """
    record = table_at(place, table)
    is_owner = visitor.may(Role.OWNER) and TOKEN not in request.query_params
    if is_owner and not asked.sample:
        return RedirectResponse(f"/overlay/{table}/setup", 303)
    if not is_owner:
        with_link(request, visitor)
    sample = sample_state() | {"overlay": _looks(record).model_dump(mode="json")} if is_owner else None
    page = _page(request, table, visitor, asked, sample=sample)
    if is_owner:
        page.headers["Content-Security-Policy"] = POLICY.replace(
            "frame-ancestors 'none'", "frame-ancestors 'self'"
        )
    return page


def _page(
    request: Request, table: str, visitor: Visitor, asked: Asked, *, sample: dict[str, Any] | None
) -> HTMLResponse:
    catalogues = {
        language: {
            key: text
            for key, text in load_words(language, "overlay").texts.items()
            if key.startswith(_SPOKEN)
        }
        for language in LANGUAGES
    }
    return page_of(
        request,
        "overlay.html.j2",
        area="overlay",
        language=language_of(request, asked.lang or None),
        visitor=visitor,
        cards=(*DECK_52, JOKER),
        table=table,
        asked=asked.looks(),
        slips=asked.slips,
        unknown=_unknown(request),
        sample=sample,
        catalogues=catalogues,
    )


@router.get(
    "/overlay/{table}/setup",
    response_class=HTMLResponse,
    summary="Where the overlay of a table is set up",
    responses=refusals(401, 403, 404),
)
def setup(
    request: Request, table: str, place: AtPlace, visitor: Owner, lang: Language = None
) -> HTMLResponse:
    """How it looks, its link for OBS, and what OBS does when somebody calls."""
    record = table_at(place, table)
    page = page_of(
        request,
        "overlay_setup.html.j2",
        area="overlay",
        language=language_of(request, lang),
        visitor=visitor,
        table=table,
        looks=_looks(record),
        choices={name: _choices(name) for name in ("theme", "layout", "side", "language")},
        parts=PARTS,
        obs=obs_told(place, table, settings_of(record.settings)),
    )
    page.headers["Content-Security-Policy"] = f"{POLICY}; frame-src 'self'"
    return page


@router.get(
    "/overlay/{table}/setup.json",
    summary="How the overlay of a table is set up",
    responses=refusals(401, 403, 404),
)
def setup_json(table: str, place: AtPlace, visitor: Owner) -> SetUpAnswer:
    """The same for programs; the password of OBS is not among it."""
    del visitor
    record = table_at(place, table)
    told = obs_told(place, table, settings_of(record.settings))
    return SetUpAnswer(table=table, looks=_looks(record), obs=told)


@router.get(
    "/api/tables/{table}/overlay", summary="How a table's overlay looks", responses=refusals(401, 403, 404)
)
def looks(table: str, place: AtPlace, visitor: Owner) -> OverlayLooks:
    """What is set for the table; an address may ask for something else."""
    del visitor
    return _looks(table_at(place, table))


@router.put(
    "/api/tables/{table}/overlay",
    summary="Set how a table's overlay looks",
    responses=refusals(401, 403, 404, 422),
)
def set_looks(table: str, wanted: OverlayLooks, place: AtPlace, visitor: Owner) -> OverlayLooks:
    """The look from now on; overlays that are open change at once."""
    del visitor
    table_at(place, table)
    place.store.tables.set_settings(table, overlay=wanted.model_dump(mode="json"))
    return wanted


def _unknown(request: Request) -> list[str]:
    """Names in the address that mean nothing here, as they were written."""
    named = {name for name in request.query_params if name not in Asked.model_fields and name != TOKEN}
    return sorted(named)[:_MOST_NAMES]


def _looks(record: TableRecord) -> OverlayLooks:
    kept = record.settings.get("overlay", {})
    return looks_of(kept if isinstance(kept, dict) else {})


def _choices(name: str) -> tuple[str, ...]:
    choices: tuple[str, ...] = get_args(OverlayLooks.model_fields[name].annotation)
    return choices
