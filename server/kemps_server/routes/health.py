"""Whether the server is well: for whoever watches over it, with nothing in it that is anybody's."""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

from fastapi import APIRouter
from pydantic import BaseModel, Field

from kemps_server.routes.place import AtPlace

router: Final = APIRouter()


class Health(BaseModel):
    """That the server answers, and from what."""

    status: str = Field(description="Always ok: a server that is not does not answer.")
    version: str = Field(description="The version of kemps.")
    games: int = Field(description="How many games there are, stored and in folders.")


@router.get("/health", summary="Whether the server is well")
def health(place: AtPlace) -> Health:
    """Ok, and how much there is to show."""
    return Health(status="ok", version=version("kemps"), games=len(place.library.shown()))
