"""Links that the owner makes for others: an overlay, a player's phone, a referee's desk; and takes back."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from kemps_server.routes.place import AtPlace, Owner
from kemps_server.store.names import plain
from kemps_server.store.tokens import Token
from kemps_server.store.users import Role

router: Final = APIRouter()

_MOST_DAYS: Final = 3650


class LinkAnswer(BaseModel):
    """A link that was made; its secret is told once, when it is made."""

    id: str = Field(description="By which it is revoked.")
    role: Role = Field(description="What its holder may.")
    label: str = Field(description="What it is for.")
    leads_to: str = Field(description="The page it was made for.")
    issued_at: str = Field(description="ISO 8601.")
    expires_at: str | None = Field(description="When it runs out by itself, if ever.")
    revoked_at: str | None = Field(description="When it was taken back.")


class MadeLink(LinkAnswer):
    """A new link with its address, which nobody can be told again."""

    address: str = Field(description="To be given to whoever it is for, and shown to nobody else.")


class NewLink(BaseModel):
    """What link is wanted."""

    model_config = ConfigDict(extra="forbid")

    role: Role = Field(
        description="viewer for an overlay, player for a phone at the table, referee for a desk."
    )
    label: str = Field(min_length=1, max_length=80, description="What it is for, as you will know it again.")
    table: str = Field("", max_length=40, description="Which table's overlay or page it leads to.")
    days: int | None = Field(
        None, ge=1, le=_MOST_DAYS, description="After how many days it runs out, if ever."
    )


@router.get("/api/links", summary="All links")
def links(place: AtPlace, visitor: Owner) -> list[LinkAnswer]:
    """Also those that hold no more, the oldest first."""
    del visitor
    return [LinkAnswer(**_told(token)) for token in place.store.tokens.links()]


@router.post("/api/links", summary="Make a link", status_code=201)
def make_link(request: Request, asked: NewLink, place: AtPlace, visitor: Owner) -> MadeLink:
    """It holds until it is revoked, or for as many days as were given."""
    del visitor
    if asked.role is Role.OWNER:
        raise HTTPException(422, "an owner logs in with a password; make a link for another role")
    if asked.table and place.store.tables.find(asked.table) is None:
        raise HTTPException(404, f"there is no table {asked.table!r}")
    if asked.role is Role.VIEWER and not asked.table:
        raise HTTPException(422, "an overlay is a table's; name the table")
    leads_to = _page(asked)
    lasts = None if asked.days is None else timedelta(days=asked.days)
    token, secret = place.store.tokens.issue(
        asked.role, plain(asked.label) or "link", lasts=lasts, leads_to=leads_to
    )
    return MadeLink(**_told(token), address=_address(str(request.base_url), token, secret))


@router.delete("/api/links/{link}", summary="Take a link back", status_code=204)
def revoke(
    link: Annotated[str, InPath(max_length=40, description="Its id.")], place: AtPlace, visitor: Owner
) -> None:
    """It opens nothing from now on, and neither does any cookie that was had for it."""
    del visitor
    if all(token.id != link for token in place.store.tokens.links()):
        raise HTTPException(404, "there is no such link")
    place.store.tokens.revoke(link)


def _page(asked: NewLink) -> str:
    if asked.role is Role.VIEWER:
        return f"/overlay/{asked.table}"
    if asked.role is Role.PLAYER:
        return "/watch"
    return f"/tables/{asked.table}" if asked.table else "/desk"


def _address(base: str, token: Token, secret: str) -> str:
    """A viewer's secret is in the address itself, since OBS keeps no cookie; others' stands after the #."""
    root = base.rstrip("/")
    if token.role is Role.VIEWER:
        return f"{root}{token.leads_to}?token={secret}"
    return f"{root}/enter?next={quote(token.leads_to, safe='/')}#{secret}"


def _told(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "role": token.role,
        "label": token.label,
        "leads_to": token.leads_to,
        "issued_at": token.issued_at,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
    }
