"""Tables: how each does, the page it is run from, and what its cameras show."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse

from kemps_rules.cards import DECK_52
from kemps_rules.house import load_house
from kemps_rules.seats import pair_of
from kemps_server.access.visitor import Visitor
from kemps_server.live.delay import promise_of
from kemps_server.observers.pictures import WANTED_FOR_S, latest_picture, want_pictures
from kemps_server.observers.supervised import ObserverState
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, ScriptLanguage, language_of
from kemps_server.routes.place import AtPlace, Place, Referee, Viewer
from kemps_server.routes.table_answers import TableAnswer, told_table
from kemps_server.site.pages import page_of
from kemps_server.store.tables import TableRecord
from kemps_server.store.users import Role

router: Final = APIRouter(tags=["tables"])

PICTURE_S: Final = 2.5  # how long a first picture is waited for
_LOOK_S: Final = 0.05


@router.get("/api/tables", summary="All tables and how they do")
def tables(place: AtPlace, visitor: Referee, language: ScriptLanguage) -> list[TableAnswer]:
    """Each table with its observer and its game, by name."""
    del visitor
    return [told_table(record, place.store, place.observers, language) for record in place.store.tables.all()]


@router.get("/api/tables/{table}", summary="A table and how it does", responses=refusals(404))
def table_state(table: str, place: AtPlace, visitor: Referee, language: ScriptLanguage) -> TableAnswer:
    """Its observer, its cameras, its recording, and the game that sits there."""
    del visitor
    return told_table(table_at(place, table), place.store, place.observers, language)


@router.get("/tables/{table}.json", summary="A table for programs", responses=refusals(404))
def table_json(table: str, place: AtPlace, visitor: Referee, language: ScriptLanguage) -> TableAnswer:
    """What the table's page shows of it, as ``/api/tables/{table}`` has it."""
    return table_state(table, place, visitor, language)


@router.get(
    "/tables/{table}",
    response_class=HTMLResponse,
    summary="The page to run a table from",
    responses=refusals(404),
)
def table_page(
    request: Request, table: str, place: AtPlace, visitor: Viewer, lang: Language = None
) -> Response:
    """State, pictures, buttons for calls, and the acts that begin and end games.

    Players and viewers get a page with what lies open on the table, and nothing of how it is run.
    """
    record = table_at(place, table)
    if not visitor.may(Role.REFEREE):
        return _public_page(request, record.name, visitor, language_of(request, lang))
    state = told_table(record, place.store, place.observers, language_of(request, lang))
    config = None if state.problem else record.parsed
    names = {} if config is None else config.seat_names
    house = None if config is None else load_house(config.rules)
    return page_of(
        request,
        "table.html.j2",
        area="tables",
        language=language_of(request, lang),
        visitor=visitor,
        cards=DECK_52,
        table=state,
        seats=[
            (seat, name, _number(seat, len(names)), "/".join(pair_of(seat, len(names))))
            for seat, name in names.items()
        ],
        has_double=house is not None and house.double_kemps != "off",
        delay_ms=promise_of(record.settings).now_ms,
        is_owner=visitor.may(Role.OWNER),
    )


def _public_page(request: Request, table: str, visitor: Visitor, language: str) -> Response:
    return page_of(
        request,
        "public_table.html.j2",
        area="tables",
        language=language,
        visitor=visitor,
        cards=DECK_52,
        table=table,
    )


@router.get(
    "/api/tables/{table}/cameras/{camera}.jpg",
    response_class=Response,
    summary="What a camera shows now",
    responses={
        200: {"content": {"image/jpeg": {}}, "description": "The picture, at most some seconds old."},
        204: {"description": "There is none yet, or nobody watches the table."},
        **refusals(404),
    },
)
def camera_picture(
    table: str,
    camera: str,
    place: AtPlace,
    visitor: Referee,
    *,
    marked: bool = Query(True, description="With what the observer sees drawn on it, where it draws."),
) -> Response:
    """The latest picture of a camera; it is drawn only while somebody asks for it."""
    del visitor
    record = table_at(place, table)
    known = next((one for one in record.parsed.cameras if one.name == camera), None)
    if known is None:
        raise HTTPException(404, f"table {table} has no camera {camera!r}")
    seen = place.observers.observed(table)
    if seen.state is not ObserverState.WATCHING:
        return Response(status_code=204)
    folder = place.store.folder.beside(seen.game)
    data = _picture(folder, camera, is_marked=marked and known.role == "table")
    return Response(status_code=204) if data is None else Response(data, media_type="image/jpeg")


def table_at(place: Place, name: str) -> TableRecord:
    """The table of this name; 404 when there is none."""
    record = place.store.tables.find(name)
    if record is None:
        raise HTTPException(404, "there is no such table here")
    return record


def _picture(folder: Path, camera: str, *, is_marked: bool) -> bytes | None:
    try:
        want_pictures(folder)
    except OSError:
        return None
    until = time.monotonic() + PICTURE_S
    while True:
        data = latest_picture(folder, camera, is_marked=is_marked, since_s=time.time() - WANTED_FOR_S)
        if data is not None or time.monotonic() > until:
            return data
        time.sleep(_LOOK_S)


def _number(seat: str, count: int) -> int:
    """Which pair a seat is of, by which it is coloured and shaped."""
    return "ABCDEFGH".index(pair_of(seat, count)[0]) if count else 0
