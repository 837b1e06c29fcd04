"""The overlay of a table: a transparent page for a stream, how it looks, and the same for programs."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_rules.cards import DECK_52, JOKER
from kemps_server.access.gate import TOKEN
from kemps_server.access.visitor import Visitor
from kemps_server.live.disclosure import Audience
from kemps_server.live.overlay_looks import PARTS, OverlayLooks, looks_of
from kemps_server.page.words import LANGUAGES, load_words
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import language_of
from kemps_server.routes.live import StateAnswer, state_for
from kemps_server.routes.place import AtPlace, Owner, Place, Viewer
from kemps_server.site.pages import page_of
from kemps_server.store.tables import TableRecord

router: Final = APIRouter()

_ONE: Final = "|".join(PARTS)
_LIST: Final = rf"^(({_ONE})(,({_ONE}))*)?$"
_SPOKEN: Final = ("overlay.", "ruling.", "page.lost", "page.won", "page.shared", "table.stock")


def with_link(request: Request, visitor: Viewer) -> Visitor:
    """A visitor with a token in the address, here too: so secrecy and delay hold on every stream."""
    if not request.query_params.get(TOKEN):
        raise HTTPException(
            403, "an overlay's address ends in ?token=…; make a link for viewers under Settings, and use that"
        )
    return visitor


Linked: TypeAlias = Annotated[Visitor, Depends(with_link)]


class Asked(BaseModel):
    """How the overlay is to look here, whatever is set for the table."""

    theme: Literal["", "felt", "slate", "paper", "clear"] = Field(
        default="", description="felt, slate, paper, or clear: no ground at all."
    )
    layout: Literal["", "bar", "corners", "column"] = Field(
        default="", description="bar: one row; corners: a pair in each; column: down one side."
    )
    side: Literal["", "bottom", "top", "left", "right"] = Field(
        default="", description="Where the row or the column lies."
    )
    lang: Literal["", "en", "ru", "pt", "fr", "es"] = Field(default="", description="The language.")
    parts: str = Field(
        default="", pattern=_LIST, description="What is shown and nothing else, with commas between."
    )
    hide: str = Field(default="", pattern=_LIST, description="What is not shown, with commas between.")
    scale: int | None = Field(default=None, ge=50, le=200, description="How large, in per cent.")

    def looks(self) -> dict[str, Any]:
        """What was asked for, and nothing else."""
        asked: dict[str, Any] = {
            "theme": self.theme,
            "layout": self.layout,
            "side": self.side,
            "language": self.lang,
            "parts": self.parts.split(",") if self.parts else None,
            "hide": self.hide.split(",") if self.hide else None,
            "scale": self.scale,
        }
        return {name: value for name, value in asked.items() if value}


@router.get(
    "/overlay/{table}.json",
    summary="What the overlay of a table shows",
    responses=refusals(401, 403, 404),
)
def overlay_json(table: str, place: AtPlace, visitor: Linked) -> StateAnswer:
    """What the overlay shows now: what viewers may know, whoever asks."""
    del visitor
    _known(place, table)
    return state_for(place.hub.table(table), Audience.VIEWER)


@router.get(
    "/overlay/{table}",
    response_class=HTMLResponse,
    summary="The overlay of a table",
    responses=refusals(401, 403, 404),
)
def overlay(
    request: Request, table: str, place: AtPlace, visitor: Linked, asked: Annotated[Asked, Query()]
) -> HTMLResponse:
    """A transparent page, to be laid over a picture of 16 to 9; it follows the table by itself."""
    _known(place, table)
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
        catalogues=catalogues,
    )


@router.get(
    "/api/tables/{table}/overlay", summary="How a table's overlay looks", responses=refusals(401, 403, 404)
)
def looks(table: str, place: AtPlace, visitor: Owner) -> OverlayLooks:
    """What is set for the table; an address may ask for something else."""
    del visitor
    settings = _known(place, table).settings.get("overlay", {})
    return looks_of(settings if isinstance(settings, dict) else {})


@router.put(
    "/api/tables/{table}/overlay",
    summary="Set how a table's overlay looks",
    responses=refusals(401, 403, 404, 422),
)
def set_looks(table: str, wanted: OverlayLooks, place: AtPlace, visitor: Owner) -> OverlayLooks:
    """The look from now on; overlays that are open change at once."""
    del visitor
    _known(place, table)
    place.store.tables.set_settings(table, overlay=wanted.model_dump(mode="json"))
    return wanted


def _known(place: Place, table: str) -> TableRecord:
    record = place.store.tables.find(table)
    if record is None:
        raise HTTPException(404, "there is no such table here")
    return record
