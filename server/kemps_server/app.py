"""The server as an application: one data folder, its routes, and what holds for each answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from ipaddress import ip_address
from typing import Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from kemps_server.access.gate import Gate
from kemps_server.access.guard import Guard
from kemps_server.access.hosts import Hosts, names_of_this_machine, plain_names
from kemps_server.access.logins import Logins
from kemps_server.access.refusals import tell_refusals
from kemps_server.forgetting.daily import DailyRetention
from kemps_server.library import Library
from kemps_server.live.hub import Hub
from kemps_server.live.obs_hooks import ObsHooks
from kemps_server.observers.observers import Observers
from kemps_server.reel.jobs import ReelJobs
from kemps_server.review.desk import Desk
from kemps_server.routes import (
    analysis,
    cases,
    desk,
    film,
    forgetting,
    games,
    health,
    incidents,
    links,
    live,
    login,
    obs,
    overlay,
    players,
    reel,
    replay,
    settings,
    sound,
    static,
    table_acts,
    table_set_up,
    tables,
    users,
    watch,
)
from kemps_server.routes.answers import refusals
from kemps_server.routes.place import Place
from kemps_server.shelf import Shelf

ROUTERS: Final = (
    health.router,
    static.router,
    login.router,
    settings.router,
    users.router,
    links.router,
    forgetting.router,
    games.router,
    watch.router,
    replay.router,
    film.router,
    cases.router,
    analysis.router,
    players.router,
    reel.router,
    live.router,
    overlay.router,
    obs.router,
    table_set_up.router,
    table_acts.router,
    tables.router,
    desk.router,
    incidents.router,
    sound.router,
)


def create_app(
    library: Library, *, host: str = "127.0.0.1", names: Iterable[str] = (), is_proxied: bool = False
) -> FastAPI:
    """The application for the games of a library.

    Args:
        library: The games.
        host: Where it is to be served.
        names: Under which it is known elsewhere.
        is_proxied: Others reach it through a proxy, wherever it is served.
    """
    app = FastAPI(
        title="Kemps observer",
        version=version("kemps"),
        docs_url=None,
        redoc_url=None,
        lifespan=_while_served,
        responses=refusals(400, 401, 403, 404, 409, 422),
    )
    is_home = is_loopback(host) and not is_proxied
    known = plain_names(names) | (frozenset() if is_home else names_of_this_machine())
    app.add_middleware(Guard, hosts=Hosts(is_home=is_home, names=known))
    tell_refusals(app)
    hub = Hub(library.store)
    app.state.place = Place(
        library=library,
        shelf=Shelf(library),
        gate=Gate(library.store, is_home=is_home),
        logins=Logins(library.store),
        hub=hub,
        obs=ObsHooks(library.store, hub),
        observers=Observers(library.store),
        desk=Desk(library.store),
        reels=ReelJobs(library.root),
    )
    for router in ROUTERS:
        app.include_router(router)
    return app


@asynccontextmanager
async def _while_served(app: FastAPI) -> AsyncIterator[None]:
    """What runs beside the answers ends with them."""
    place: Place = app.state.place
    await run_in_threadpool(place.observers.resume)
    place.obs.start()
    retention = DailyRetention(place.library)
    retention.start()
    yield
    await run_in_threadpool(retention.stop)
    await run_in_threadpool(place.obs.close)
    await run_in_threadpool(place.observers.close)
    await run_in_threadpool(place.hub.close)
    await run_in_threadpool(place.reels.close)
    await run_in_threadpool(app.state.place.films.close)


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
