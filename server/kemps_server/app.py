"""The server as an application: one data folder, its routes, and what holds for each answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.middleware.trustedhost import TrustedHostMiddleware

from kemps_rules.errors import KempsRulesError
from kemps_server.access.gate import Gate
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.library import Library
from kemps_server.live.hub import Hub
from kemps_server.routes import games, health, live, static
from kemps_server.routes.place import Place
from kemps_server.shelf import Shelf

_log = logging.getLogger(__name__)

_LOOPBACK_NAMES: Final = ["127.0.0.1", "localhost", "[::1]"]

ROUTERS: Final = (
    health.router,
    static.router,
    games.router,
    live.router,
)


def create_app(library: Library, *, host: str = "127.0.0.1") -> FastAPI:
    """The application for the games of a library, to be served on ``host``."""
    app = FastAPI(
        title="Kemps observer",
        version=version("kemps"),
        docs_url=None,
        redoc_url=None,
        lifespan=_while_served,
    )
    is_home = is_loopback(host)
    if is_home:
        # A page from elsewhere must not read the games by a name of its own that leads to this machine.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=_LOOPBACK_NAMES)
    app.middleware("http")(_with_safe_headers)
    app.add_exception_handler(KempsServerError, _as_conflict)
    app.add_exception_handler(KempsRulesError, _as_conflict)
    app.add_exception_handler(StoreError, _as_unavailable)
    app.state.place = Place(
        library=library,
        shelf=Shelf(library),
        gate=Gate(library.store, is_home=is_home),
        hub=Hub(library.store),
    )
    for router in ROUTERS:
        app.include_router(router)
    return app


@asynccontextmanager
async def _while_served(app: FastAPI) -> AsyncIterator[None]:
    """What runs beside the answers ends with them."""
    yield
    await run_in_threadpool(app.state.place.hub.close)


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


async def _with_safe_headers(request: Request, call_next: Any) -> Response:  # noqa: ANN401 - Starlette's own
    response: Response = await call_next(request)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers.setdefault("Cache-Control", "no-store")
    return response


async def _as_conflict(_request: Request, error: Exception) -> Response:
    """A game whose journal cannot be used: said in one line, the server goes on."""
    return Response(f"{error}\n", 409, media_type="text/plain; charset=utf-8")


async def _as_unavailable(_request: Request, error: Exception) -> Response:
    """A store that refuses: said in one line, and it may be better soon."""
    _log.error("%s", error)
    return Response(f"{error}\n", 503, media_type="text/plain; charset=utf-8")
