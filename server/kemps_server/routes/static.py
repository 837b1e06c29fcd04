"""Styles and scripts of the pages: they hold nothing of any game, so anybody may have them."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException, Response

from kemps_server.site.pages import static_file

router: Final = APIRouter()

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}


@router.get("/static/{name}", summary="A style or a script of the pages")
def static(name: str, v: str = "") -> Response:
    """The file; with the version in its address it may be kept for good."""
    kind = _TYPES.get(name.rpartition(".")[2])
    try:
        content = static_file(name).read_bytes()
    except FileNotFoundError:
        kind = None
    if kind is None:
        raise HTTPException(404, "there is no such file here")
    keep = "public, max-age=31536000, immutable" if v else "no-cache"
    return Response(content, media_type=kind, headers={"Cache-Control": keep})
