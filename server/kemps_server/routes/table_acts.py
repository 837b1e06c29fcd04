"""What people do at a table: begin, stop and end games, and press the buttons for calls."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from kemps_server.observers.calling import MOST_AGE_MS, take_call
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import AtPlace, Owner, Referee
from kemps_server.routes.table_answers import TableAnswer, told_table
from kemps_server.routes.tables import table_at
from kemps_server.store.users import Role

router: Final = APIRouter(tags=["tables"])

_MAY: Final = refusals(404, 409, 422)
HEARD_LATE_S: Final = 2.0  # a call at the very end of a clip is pressed a little later


class Beginning(BaseModel):
    """How a game is begun; one that sits at the table already is gone on with."""

    title: str = Field(
        default="", max_length=200, description="What people call the game; else table and time."
    )
    consent: str = Field(
        default="", max_length=500, description="Who agreed to be watched; stands in its header."
    )


class Ending(BaseModel):
    """How a game is ended."""

    release: bool = Field(
        default=False,
        description="Whether what was secret in it may be told from now on. Only an owner can say so; it "
        "cannot be taken back. Without it the game is over and stays secret until its owner releases it.",
    )


class Ended(BaseModel):
    """A game that is over."""

    game: str = Field(description="Its id.")
    is_released: bool = Field(description="Whether what was secret in it may be told.")


class Call(BaseModel):
    """A call that somebody made."""

    seat: str | None = Field(default=None, max_length=1, description="Who called; null when nobody knows.")
    call: str = Field(max_length=40, description="kemps, stop, double_kemps, or the house's word for one.")
    against: str | None = Field(
        default=None,
        max_length=1,
        description="Any seat of the pair that a Stop accuses, where there are several.",
    )
    age_ms: int = Field(
        default=0,
        ge=0,
        le=MOST_AGE_MS,
        description="How long ago the button was pressed, by the clock of whoever pressed it: a call that "
        "could not be sent at once keeps its time.",
    )


class CallAnswer(BaseModel):
    """A call that stands in the journal."""

    line: int = Field(description="Its line, counted from 0 at the header.")
    at_ms: int = Field(description="Its time by the game's clock: when the button was pressed.")
    uncertainty_ms: int = Field(
        description="By how much that may be off: a person hears a call before they press, and the way to "
        "the server is not measured."
    )


@router.post("/api/tables/{table}/start", summary="Watch a table", responses=_MAY)
def start(table: str, place: AtPlace, visitor: Referee, beginning: Beginning | None = None) -> TableAnswer:
    """Go on with the game at the table, or begin a new one; nothing happens when it is watched already."""
    del visitor
    record = table_at(place, table)
    told = beginning or Beginning()
    place.observers.start(table, title=told.title, consent=told.consent)
    return told_table(record, place.store, place.observers)


@router.post("/api/tables/{table}/stop", summary="Stop watching a table", responses=_MAY)
def stop(table: str, place: AtPlace, visitor: Referee) -> TableAnswer:
    """Its game stays at the table and can be gone on with; the time between is told as not observed."""
    del visitor
    record = table_at(place, table)
    place.observers.stop(table)
    return told_table(record, place.store, place.observers)


@router.post("/api/tables/{table}/end", summary="End the game at a table", responses=_MAY)
def end(table: str, place: AtPlace, visitor: Referee, ending: Ending | None = None) -> Ended:
    """The game leaves the table; with its owner's consent what was secret in it may be told."""
    table_at(place, table)
    told = ending or Ending()
    if told.release and not visitor.may(Role.OWNER):
        raise HTTPException(403, "only an owner may say that what was secret is told; end it without that")
    return Ended(game=place.observers.end(table, is_released=told.release), is_released=told.release)


@router.post(
    "/api/games/{game}/release",
    summary="Let what was secret in a game be told",
    responses=_MAY,
)
def release(game: str, place: AtPlace, visitor: Owner) -> Ended:
    """The game is closed: its journal says so once, and it cannot be taken back."""
    del visitor
    if place.store.games.find(game) is None:
        raise HTTPException(404, "there is no such game here")
    sitting = place.store.sittings.of_game(game)
    if sitting is not None and sitting.ended_at is None:
        raise HTTPException(409, f"the game is still played at table {sitting.table}; end it first")
    place.observers.release(game)
    return Ended(game=game, is_released=True)


@router.post("/api/tables/{table}/next", summary="End a game and begin the next", responses=_MAY)
def begin_next(
    table: str, place: AtPlace, visitor: Referee, beginning: Beginning | None = None
) -> TableAnswer:
    """The game at the table is over, its secrets are kept; a new one is watched."""
    record = table_at(place, table)
    if place.store.sittings.current(table) is not None:
        end(table, place, visitor)
    return start(record.name, place, visitor, beginning)


@router.post("/api/tables/{table}/calls", summary="A call was made", responses=_MAY)
def calls(table: str, call: Call, place: AtPlace, visitor: Referee) -> CallAnswer:
    """The call stands in the journal of the game at the table, at the time at which the button was pressed.

    Calls that come at nearly the same time are all taken; which counts is for the rules to say.
    """
    table_at(place, table)
    sitting = place.store.sittings.current(table)
    if sitting is None:
        raise HTTPException(409, "nothing is played at this table; start it first")
    ended_s = place.observers.observed(table).ended_s
    if ended_s is not None and call.age_ms < (ended_s - HEARD_LATE_S) * 1000:
        raise HTTPException(
            409, "the clip has ended, so nothing is called any more; go on watching, or end the game"
        )
    taken = take_call(
        place.store,
        sitting.game,
        seat=call.seat,
        call=call.call,
        against=call.against,
        age_ms=call.age_ms,
        by=visitor.name,
    )
    return CallAnswer(line=taken.line, at_ms=taken.at_ms, uncertainty_ms=taken.uncertainty_ms)
