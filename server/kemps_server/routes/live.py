"""Games while they are played: WebSockets that tell what changes, the same once, and the public's delay."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Query, WebSocket
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from kemps_server.errors import KempsServerError
from kemps_server.live.delay import MOST_MS, promise_of, set_delay
from kemps_server.live.disclosure import Audience, audience_of
from kemps_server.live.feed import Feed
from kemps_server.live.sockets import FAILED, FULL, GONE, REFUSED, close, tell
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import AtPlace, Owner, Place, Viewer, place_of, visitor_of
from kemps_server.routes.tables import table_at
from kemps_server.store.tables import TableRecord

router: Final = APIRouter()
_log = logging.getLogger(__name__)

_NO_GAME: Final = "there is no such game here"


class StateAnswer(BaseModel):
    """A game as it stands, as the WebSocket's first message tells it."""

    type: str = Field(description="snapshot")
    version: int = Field(description="Of messages and states; what is there keeps its meaning within one.")
    epoch: str = Field(description="The row of states; another one after a restart.")
    seq: int = Field(description="How many changes there were in it.")
    is_stale: bool = Field(description="Whether what is told may be old.")
    why: str = Field(description="Why it is old: observer (nobody watches the table), store; else empty.")
    state: dict[str, Any] = Field(
        description="What this visitor may know: viewers and players what lies open, later by the delay."
    )


class DelayAnswer(BaseModel):
    """How long the public waits."""

    delay_ms: int = Field(description="For what happens from now on, in ms.")


class DelayWish(BaseModel):
    """How long the public is to wait from now on."""

    delay_ms: int = Field(ge=0, le=MOST_MS, description="In ms, at most three hours.")


@router.get(
    "/api/tables/{table}/state", summary="The game at a table as it stands", responses=refusals(401, 403, 404)
)
def table_state(table: str, place: AtPlace, visitor: Viewer) -> StateAnswer:
    """What the visitor may know of what is played there now, else was played there last."""
    table_at(place, table)
    return state_for(place.hub.table(table), audience_of(visitor))


@router.get(
    "/api/games/{game}/state", summary="A stored game as it stands", responses=refusals(401, 403, 404)
)
def game_state(game: str, place: AtPlace, visitor: Viewer) -> StateAnswer:
    """What the visitor may know of it."""
    if place.store.games.find(game) is None:
        raise HTTPException(404, _NO_GAME)
    return state_for(place.hub.feed(game), audience_of(visitor))


@router.get(
    "/api/tables/{table}/delay", summary="How long the public waits", responses=refusals(401, 403, 404)
)
def delay(table: str, place: AtPlace, visitor: Owner) -> DelayAnswer:
    """The delay that holds for what happens now."""
    del visitor
    return _delay(table_at(place, table))


@router.put(
    "/api/tables/{table}/delay", summary="Set how long the public waits", responses=refusals(401, 403, 404)
)
def change_delay(table: str, wish: DelayWish, place: AtPlace, visitor: Owner) -> DelayAnswer:
    """The delay from now on; what happened under a longer one stays held until that has passed."""
    del visitor
    table_at(place, table)
    return _delay(set_delay(place.store.tables, table, wish.delay_ms))


def _delay(record: TableRecord) -> DelayAnswer:
    return DelayAnswer(delay_ms=promise_of(record.settings).now_ms)


Epoch = Annotated[str, Query(max_length=40, description="The row of states known already.")]
ToldAs = Annotated[
    Audience | None, Query(alias="as", description="Be told as these are; never more than one is.")
]
Since = Annotated[int, Query(ge=-1, le=2**53, description="The last message of it that came.")]


@router.websocket("/api/tables/{table}/live")
async def table_live(
    websocket: WebSocket, table: str, epoch: Epoch = "", since: Since = -1, told_as: ToldAs = None
) -> None:
    """Tell what happens at a table, whichever games are played there."""

    def find(place: Place) -> Feed | None:
        return None if place.store.tables.find(table) is None else place.hub.table(table)

    await _serve(websocket, epoch, since, told_as, find)


@router.websocket("/api/games/{game}/live")
async def game_live(
    websocket: WebSocket, game: str, epoch: Epoch = "", since: Since = -1, told_as: ToldAs = None
) -> None:
    """Tell what happens in a game."""

    def find(place: Place) -> Feed | None:
        return None if place.store.games.find(game) is None else place.hub.feed(game)

    await _serve(websocket, epoch, since, told_as, find)


async def _serve(
    websocket: WebSocket,
    epoch: str,
    since: int,
    told_as: Audience | None,
    find: Callable[[Place], Feed | None],
) -> None:
    """Let the visitor listen to the feed that is found, as the audience they are."""
    place = place_of(websocket)

    def audience() -> Audience | None:
        own = audience_of(visitor_of(websocket))
        return own if told_as is None or own is None else min(told_as, own, key=tuple(Audience).index)

    # Accepted first: what a page hears of a refusal before that is no more than that it failed.
    await websocket.accept()
    try:
        listener = await run_in_threadpool(audience)
        feed = None if listener is None else await run_in_threadpool(find, place)
        if listener is None:
            await close(websocket, REFUSED, "this link is no longer good")
        elif feed is None:
            await close(websocket, GONE, "there is nothing of this name here")
        elif place.hub.is_full:
            await close(websocket, FULL, "too many listen already")
        else:
            await run_in_threadpool(feed.ready)
            await tell(
                websocket,
                feed.stream(listener),
                epoch=epoch,
                since=since,
                may_listen=lambda: audience() is listener,
            )
    except KempsServerError as error:
        _log.warning("a socket ends: %s", error)
        await close(websocket, FAILED, "the store cannot be read; come back in a while")


def state_for(feed: Feed, audience: Audience | None) -> StateAnswer:
    """The game of a feed as this audience may know it."""
    assert audience is not None  # noqa: S101 - the route lets nobody else in
    return StateAnswer(**json.loads(feed.snapshot(audience)))
