"""Whether a request may come from the page that sent it: no other site acts or reads in a visitor's name."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_FOREIGN: Final = frozenset({"cross-site", "same-site"})  # another port of this machine is "same-site"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def objection(headers: Headers, *, method: str, scheme: str) -> str:
    """Why a request is refused for where it comes from, in one line; empty when it is not.

    Browsers tell by ``Sec-Fetch-Site`` and ``Origin``; programs tell neither and may ask anything that their
    token allows. From another site only a visit is let through: a link to one of our pages.

    Args:
        headers: Of the request.
        method: Its method, or ``WEBSOCKET``.
        scheme: ``http``, ``https``, ``ws`` or ``wss``.
    """
    if headers.get("sec-fetch-site", "").lower() in _FOREIGN and not _is_visit(headers, method):
        return "a page of another site asked for this; open it here"
    if method in SAFE_METHODS:
        return ""
    told = headers.getlist("origin")
    if not told:
        return ""
    host = headers.get("host", "")
    secure = {"ws": "http", "wss": "https"}.get(scheme, scheme)
    if len(told) == 1 and (own := _authority(f"{secure}://{host}")) and _authority(told[0]) == own:
        return ""
    return "a page of another site sent this; use our own pages, and behind a proxy start with --proxy"


def _is_visit(headers: Headers, method: str) -> bool:
    return (
        method in {"GET", "HEAD"}
        and headers.get("sec-fetch-mode", "").lower() == "navigate"
        and headers.get("sec-fetch-dest", "").lower() == "document"
    )


def _authority(origin: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.path or parts.query:
        return None
    return parts.scheme, parts.hostname, port or _DEFAULT_PORTS[parts.scheme]
