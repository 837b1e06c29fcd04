"""What clients are told when something is refused or fails: one line, and to each what they may know."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import Scope

from kemps_rules.errors import KempsRulesError
from kemps_server.access.gate import TOKEN
from kemps_server.access.saying import PAGE_LANGUAGE, plain_detail, refusal_json, refusal_of, said_in
from kemps_server.access.visitor import NOBODY, Visitor
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.page.words import LANGUAGES
from kemps_server.routes.languages import language_of
from kemps_server.routes.place import place_of
from kemps_server.site.pages import page_of
from kemps_server.store.users import Role
from kemps_vision.errors import KempsVisionError

_log = logging.getLogger(__name__)

_CONFLICT: Final = "this cannot be shown as it is; ask the referee"
_UNAVAILABLE: Final = "the server cannot read what it keeps at the moment; try again soon"
_TITLES: Final = {401: "unknown", 403: "forbidden", 404: "missing", 409: "conflict", 503: "unavailable"}
_LAID_OVER: Final = "/overlay/{table}"
_ON_AIR: Final = {401: "stale_refused", 403: "refused_link", 404: "refused_table", 503: "stale_store"}


def tell_refusals(app: FastAPI) -> None:
    """From now on refusals and failures of the application are answered as this module says."""
    app.add_exception_handler(HTTPException, _as_refused)
    app.add_exception_handler(RequestValidationError, _as_nonsense)
    app.add_exception_handler(StoreError, _as_unavailable)
    for error in (KempsServerError, KempsRulesError, KempsVisionError):
        app.add_exception_handler(error, _as_conflict)


def _as_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for no other
    has_link = TOKEN in request.query_params if _is_laid_over(request) else request.query_params.get(TOKEN)
    if error.status_code == 401 and _wants_page(request) and not has_link:
        return Response(status_code=303, headers={"Location": login_address(request)})
    return _answer(request, error.status_code, str(error.detail), error.headers or {})


def _as_nonsense(request: Request, error: Exception) -> Response:
    """Input that makes no sense: the first thing that is wrong with it, never what was sent."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for no other
    first = next(iter(error.errors()), {"loc": (), "msg": "it makes no sense"})
    where = ".".join(str(part) for part in first["loc"])
    return _answer(request, 422, f"{where}: {first['msg']}" if where else str(first["msg"]))


def _as_conflict(request: Request, error: Exception) -> Response:
    """A game or a table that cannot be used: what is wrong with it may itself be secret."""
    may_know = _visitor(request).may(Role.REFEREE)
    return _answer(request, 409, str(error) if may_know else _CONFLICT)


def _as_unavailable(request: Request, error: Exception) -> Response:
    """A store that refuses; it may be better soon."""
    _log.error("%s", error)
    may_know = _visitor(request).may(Role.REFEREE)
    return _answer(request, 503, str(error) if may_know else _UNAVAILABLE, {"Retry-After": "5"})


def login_address(request: Request) -> str:
    """The login page, which leads back to what was asked for."""
    path = quote(request.scope["path"], safe="/")
    asked = path + (f"?{request.url.query}" if request.url.query else "")
    return "/login" if asked == "/" else f"/login?next={quote(asked, safe='/')}"


def _visitor(request: Request) -> Visitor:
    try:
        return place_of(request).gate.visitor(request)
    except StoreError:
        return NOBODY


def _wants_page(request: Request) -> bool:
    path = request.url.path
    is_page = not path.startswith("/api/") and not path.endswith(".json")
    return request.method == "GET" and is_page and "text/html" in request.headers.get("accept", "")


def _is_laid_over(request: Request) -> bool:
    """Whether it is the page of an overlay, which lies over a picture that is on air."""
    return getattr(request.scope.get("route"), "path", "") == _LAID_OVER


def _answer(request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    line = plain_detail(detail)
    extra = dict(headers or {})
    if not _wants_page(request):
        content = refusal_json(line, status, _language_of_script(request))
        return Response(content, status, extra, media_type="application/json")
    page = _over_a_picture(request, status) if _is_laid_over(request) else _message(request, status, line)
    page.headers.update(extra)
    return page


def _language_of_script(request: Request) -> str:
    asked = request.headers.get(PAGE_LANGUAGE, "")
    return asked if asked in LANGUAGES else ""


def refused_before(scope: Scope, status: int, line: str) -> Response:
    """The answer to what no route was asked about: complete in itself, as no other file may load."""
    request = Request(scope)
    if not _wants_page(request):
        return Response(
            refusal_json(line, status, _language_of_script(request)), status, media_type="application/json"
        )
    is_on_air = scope["path"].startswith(_LAID_OVER.partition("{")[0])
    language = language_of(request, request.query_params.get("lang"))
    return page_of(
        request,
        "refused.html.j2",
        area="overlay" if is_on_air else "access",
        language=language,
        visitor=NOBODY,
        status=status,
        is_on_air=is_on_air,
        title=f"overlay.{_ON_AIR.get(status, 'refused')}"
        if is_on_air
        else f"message.{_TITLES.get(status, 'failed')}",
        detail=said_in(language, line),
        detail_language=language if refusal_of(line) else "en",
    )


def _message(request: Request, status: int, line: str) -> Response:
    language = language_of(request, request.query_params.get("lang"))
    return page_of(
        request,
        "message.html.j2",
        area="access",
        language=language,
        visitor=_visitor(request),
        status=status,
        title=f"message.{_TITLES.get(status, 'failed')}",
        detail=said_in(language, line),
        detail_language=language if refusal_of(line) else "en",
    )


def _over_a_picture(request: Request, status: int) -> Response:
    return page_of(
        request,
        "overlay_refused.html.j2",
        area="overlay",
        language=language_of(request, request.query_params.get("lang")),
        visitor=NOBODY,
        status=status,
        said=f"overlay.{_ON_AIR.get(status, 'refused')}",
    )
