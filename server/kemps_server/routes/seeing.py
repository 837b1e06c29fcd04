"""Whether a visitor may see all of a game: those who judge it always, others once it is closed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from fastapi import Depends, HTTPException

from kemps_server.access.visitor import Visitor
from kemps_server.games import KeptGame
from kemps_server.live.disclosure import may_see_all
from kemps_server.routes.place import AtPlace, Viewer
from kemps_server.store.users import Role


@dataclass(frozen=True, slots=True)
class SeenGame:
    """A game that the visitor may see all of."""

    name: str
    game: KeptGame
    visitor: Visitor

    @property
    def folder(self) -> Path:
        """What lies beside it."""
        if self.game.folder is None:
            raise HTTPException(404, "nothing lies beside this game")
        return self.game.folder

    @property
    def is_for_staff(self) -> bool:
        """Whether they judge games: of hands and faces only they see more than the film shows."""
        return self.visitor.may(Role.REFEREE)


def seen_game(game: str, place: AtPlace, visitor: Viewer) -> SeenGame:
    """The game at an address, for those who may see all of it; 403 for others, 404 when there is none."""
    if not may_see_all(visitor, place, game):
        raise HTTPException(403, "this game is not over yet; what it shows is for those who judge it")
    found = place.library.find(game)
    if found is None:
        raise HTTPException(404, "there is no such game here")
    return SeenGame(game, found, visitor)


Seen: TypeAlias = Annotated[SeenGame, Depends(seen_game)]
