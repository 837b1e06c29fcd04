"""What all routes share: the place they serve, and who is asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from fastapi import Depends, HTTPException
from starlette.requests import HTTPConnection

from kemps_server.access.gate import Gate
from kemps_server.access.logins import Logins
from kemps_server.access.visitor import Visitor
from kemps_server.analysis.shelf import FigureShelf
from kemps_server.film.cuts import Cuts
from kemps_server.film.films import Films
from kemps_server.library import Library
from kemps_server.live.hub import Hub
from kemps_server.live.obs_hooks import ObsHooks
from kemps_server.observers.observers import Observers
from kemps_server.page.told_games import ToldGames
from kemps_server.reel.jobs import ReelJobs
from kemps_server.review.desk import Desk
from kemps_server.shelf import Shelf
from kemps_server.store.store import Store
from kemps_server.store.users import Role


@dataclass(slots=True, kw_only=True)
class Place:
    """One data folder, served: what there is of it while the server runs."""

    library: Library
    shelf: Shelf
    gate: Gate
    hub: Hub
    obs: ObsHooks
    observers: Observers
    logins: Logins
    desk: Desk
    reels: ReelJobs
    films: Films = field(default_factory=Films)
    cuts: Cuts = field(default_factory=Cuts)
    told: ToldGames = field(default_factory=ToldGames)
    figures: FigureShelf = field(default_factory=FigureShelf)

    @property
    def store(self) -> Store:
        """The store."""
        return self.library.store


def place_of(connection: HTTPConnection) -> Place:
    """The place that this application serves."""
    place: Place = connection.app.state.place
    return place


def visitor_of(connection: HTTPConnection) -> Visitor:
    """Who asks; nobody is turned away here."""
    return place_of(connection).gate.visitor(connection)


def at_least(role: Role) -> Callable[[HTTPConnection], Visitor]:
    """A dependency: the visitor, when they may what ``role`` may; else 401 for strangers, 403 for others."""

    def admitted(connection: HTTPConnection) -> Visitor:
        visitor = visitor_of(connection)
        if visitor.role is None:
            raise HTTPException(
                401, "log in first, or use a link that is still good", {"WWW-Authenticate": "Bearer"}
            )
        if not visitor.may(role):
            raise HTTPException(403, f"this is for {_some(role)}; you came as {_some(visitor.role)}")
        return visitor

    return admitted


def _some(role: Role) -> str:
    return f"an {role}" if role is Role.OWNER else f"a {role}"


AtPlace: TypeAlias = Annotated[Place, Depends(place_of)]
Anybody: TypeAlias = Annotated[Visitor, Depends(visitor_of)]
Viewer: TypeAlias = Annotated[Visitor, Depends(at_least(Role.VIEWER))]
Player: TypeAlias = Annotated[Visitor, Depends(at_least(Role.PLAYER))]
Referee: TypeAlias = Annotated[Visitor, Depends(at_least(Role.REFEREE))]
Owner: TypeAlias = Annotated[Visitor, Depends(at_least(Role.OWNER))]
