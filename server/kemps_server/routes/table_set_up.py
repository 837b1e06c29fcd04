"""Setting tables up: cameras tried, the table found in their pictures, and what is saved of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from kemps_rules.errors import KempsRulesError
from kemps_rules.house import PRESETS
from kemps_rules.seats import TABLE_SIZES
from kemps_server.doctoring.telling import doctor_says, finding_said
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.live.delay import MOST_MS, promise_of, set_delay
from kemps_server.observers.looking import FIND_S, TRY_S, listed_cameras, look_apart
from kemps_server.observers.set_up import TableSetUp, save_set_up, set_up_of, undo_set_up
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, ScriptLanguage, language_of
from kemps_server.routes.place import AtPlace, Owner, Place
from kemps_server.routes.tables import table_at
from kemps_server.shipped import shipped_clip
from kemps_server.site.pages import page_of
from kemps_vision.cards import alphabets
from kemps_vision.errors import KempsVisionError

router: Final = APIRouter(tags=["setting tables up"])

NEW: Final = "new"
_MAY: Final = refusals(404, 409, 422)
_looking: Final = threading.Semaphore(2)  # cameras are looked at by processes that take a processor each

Source = Annotated[str, Field(min_length=1, max_length=500, description="A number, a URL or a video file.")]


class SavedSetUp(BaseModel):
    """A table as it is set up."""

    name: str = Field(description="The table's name, as in addresses.")
    changed_at: str = Field(description="When it was saved last, ISO 8601.")
    delay_ms: int = Field(description="How long viewers and players wait, in ms.")
    set_up: TableSetUp


class SetUpWish(BaseModel):
    """How a table is to be set up from now on."""

    set_up: TableSetUp
    delay_ms: int | None = Field(
        None, ge=0, le=MOST_MS, description="How long the public waits; null: as now."
    )
    is_new: bool = Field(False, description="Whether it is to be refused where a table has this name.")


class CameraListed(BaseModel):
    """A camera that may be there."""

    source: str = Field(description="What to try, and what to set up.")
    name: str = Field(description="What the system calls it; empty where it does not tell.")
    is_sample: bool = Field(description="Whether it is the clip that comes with the program.")


class CameraWish(BaseModel):
    """A camera to be tried."""

    source: Source


class CameraTried(BaseModel):
    """A camera that sends pictures."""

    size: tuple[int, int] = Field(description="Width and height of its pictures.")
    fps: float = Field(description="Frames a second as it says.")
    picture: str = Field(description="A picture as a data: address.")


class FacesWish(BaseModel):
    """A camera that looks at players."""

    name: str = Field(min_length=1, max_length=40, description="What it is called.")
    source: Source


class FindWish(BaseModel):
    """A table to be found in the pictures of its camera."""

    source: Source
    seats: int = Field(default=4, description="How many players: 4, 6 or 8.")
    names: list[str] = Field(
        default_factory=list, max_length=8, description="Their names, in order of seats."
    )
    clicks: list[tuple[float, float]] | None = Field(
        default=None,
        min_length=4,
        max_length=4,
        description="The centre's corners in px, where nothing tells them.",
    )
    faces: list[FacesWish] = Field(
        default_factory=list, max_length=4, description="Cameras that look at players."
    )


class TableFound(BaseModel):
    """What was found, in px of the picture."""

    cameras: list[dict[str, Any]] = Field(description="As a set-up has them.")
    seats: list[dict[str, Any]] = Field(description="As a set-up has them.")
    seen: list[str] = Field(description="Seats whose players' hands or cards were seen; others are guessed.")
    picture: str = Field(description="The picture it was found in, as a data: address.")
    size: tuple[int, int] = Field(description="Width and height of the pictures.")
    edge: list[tuple[float, float]] | None = Field(description="The outline of the table's top, if it shows.")
    card_px: int | None = Field(description="How long cards are; null when none was seen.")
    is_good: bool = Field(description="Whether cards of that length are read well.")
    good_px: tuple[float, float] = Field(description="From where to where a length is good.")
    notes: list[str] = Field(description="What is not sure and what to do, in English.")
    notes_said: list[str] = Field(description="The same in the language of the header Kemps-Language.")
    findings: list[dict[str, str]] = Field(
        description="What kemps doctor says of the pictures, in English: level, about, says and do."
    )
    findings_said: list[dict[str, str]] = Field(
        description="The same in the language of the header Kemps-Language."
    )
    stood: str = Field(description="How the camera stood, to be saved with the set-up: it may be pushed.")


@router.get("/api/cameras", summary="Cameras that may be there")
def cameras(visitor: Owner) -> list[CameraListed]:
    """What the system lists; none is opened. The clip that comes with the program is among them."""
    del visitor
    found = [CameraListed(source=one.source, name=one.name, is_sample=False) for one in listed_cameras()]
    with shipped_clip() as clip:
        return [*found, CameraListed(source=str(clip.video), name=clip.video.name, is_sample=True)]


@router.post("/api/cameras/try", summary="Try a camera", responses=refusals(409, 422))
def try_camera(wish: CameraWish, visitor: Owner) -> CameraTried:
    """A picture of it, taken by a process of its own: a camera that hangs holds nobody up for long."""
    del visitor
    with _one_more():
        return CameraTried(**look_apart({"do": "try", "source": wish.source}, TRY_S))


@router.post(
    "/api/cameras/find", summary="Find a table in the pictures of a camera", responses=refusals(409, 422)
)
def find(wish: FindWish, visitor: Owner, language: ScriptLanguage) -> TableFound:
    """Centre, seats and faces, and how good the pictures are; nothing is saved."""
    del visitor
    if wish.seats not in TABLE_SIZES:
        raise HTTPException(422, "seats: a table has 4, 6 or 8")
    request = {"do": "find", **wish.model_dump(mode="json", exclude_none=True)}
    if not any(name.strip() for name in wish.names):
        request["names"] = []
    with _one_more():
        found = look_apart(request, FIND_S)
    return TableFound(
        **found,
        notes_said=[doctor_says(language, note) for note in found["notes"]],
        findings_said=[finding_said(language, finding) for finding in found["findings"]],
    )


@router.get("/api/tables/{table}/setup", summary="How a table is set up", responses=refusals(404))
def set_up(table: str, place: AtPlace, visitor: Owner) -> SavedSetUp:
    """All that is set up about it."""
    del visitor
    return _saved(place, table)


@router.get("/tables/{table}/setup.json", summary="A table's set-up for programs", responses=refusals(404))
def set_up_json(table: str, place: AtPlace, visitor: Owner) -> SavedSetUp:
    """What the set-up page shows."""
    return set_up(table, place, visitor)


@router.put("/api/tables/{table}", summary="Set a table up", responses=_MAY)
def save(table: str, wish: SetUpWish, place: AtPlace, visitor: Owner) -> SavedSetUp:
    """The table as it is from now on; a game that is watched goes on as it was begun."""
    del visitor
    if table == NEW:
        raise HTTPException(422, f"a table cannot be called {NEW!r}; choose another name")
    if wish.is_new and place.store.tables.find(table) is not None:
        raise HTTPException(409, f"there is a table called {table} already; choose another name")
    try:
        save_set_up(place.store, table, wish.set_up)
        if wish.delay_ms is not None and wish.delay_ms != promise_of(table_at(place, table).settings).now_ms:
            set_delay(place.store.tables, table, wish.delay_ms)
    except StoreError:
        raise
    except (KempsServerError, KempsVisionError, KempsRulesError) as error:
        raise HTTPException(422, str(error)) from None
    return _saved(place, table)


@router.post("/api/tables/{table}/setup/undo", summary="Take the last saving back", responses=_MAY)
def undo(table: str, place: AtPlace, visitor: Owner) -> SavedSetUp:
    """The table as it was before it was saved last."""
    del visitor
    table_at(place, table)
    if undo_set_up(place.store, table) is None:
        raise HTTPException(409, "nothing is known of how this table was before")
    return _saved(place, table)


@router.delete("/api/tables/{table}", status_code=204, summary="Forget a table", responses=_MAY)
def remove(table: str, place: AtPlace, visitor: Owner) -> None:
    """Its games stay."""
    del visitor
    table_at(place, table)
    if place.store.sittings.current(table) is not None:
        raise HTTPException(409, "a game is played at this table; end it first")
    place.store.tables.remove(table)


@router.get("/tables/{table}/setup", response_class=HTMLResponse, summary="The page to set a table up")
def set_up_page(
    request: Request, table: str, place: AtPlace, visitor: Owner, lang: Language = None
) -> Response:
    """Cameras, zones, seats, deck and rules of a table."""
    saved = _saved(place, table)
    return _page(request, place, visitor, lang, saved)


@router.get("/tables/new", response_class=HTMLResponse, summary="The page to set up a new table")
def new_page(request: Request, place: AtPlace, visitor: Owner, lang: Language = None) -> Response:
    """The same for a table that is not there yet."""
    return _page(request, place, visitor, lang, None)


def _page(
    request: Request, place: Place, visitor: Owner, lang: str | None, saved: SavedSetUp | None
) -> Response:
    return page_of(
        request,
        "setup.html.j2",
        area="tables",
        language=language_of(request, lang),
        visitor=visitor,
        table=None if saved is None else saved.name,
        saved=None if saved is None else saved.model_dump(mode="json"),
        presets=PRESETS,
        decks=["any", *place.store.decks.names()],
        alphabets=(alphabets.ANY, *alphabets.NAMES),
        sizes=TABLE_SIZES,
    )


def _saved(place: Place, name: str) -> SavedSetUp:
    record = table_at(place, name)
    return SavedSetUp(
        name=record.name,
        changed_at=record.changed_at,
        delay_ms=promise_of(record.settings).now_ms,
        set_up=set_up_of(record),
    )


@contextmanager
def _one_more() -> Iterator[None]:
    """Cameras are looked at by few at a time."""
    if not _looking.acquire(timeout=TRY_S):
        raise HTTPException(409, "other cameras are being looked at; try again in a moment")
    try:
        yield
    finally:
        _looking.release()
