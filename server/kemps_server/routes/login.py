"""Logging in and out, links that become a cookie, and the account of whoever is logged in."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias
from urllib.parse import parse_qs

from fastapi import APIRouter, Body, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator

from kemps_server.access.addresses import inner_address
from kemps_server.access.gate import COOKIE
from kemps_server.access.logins import TooManyAttemptsError
from kemps_server.access.visitor import Visitor
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.routes.answers import refusals
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import Anybody, AtPlace, Place, Viewer
from kemps_server.site.pages import page_of
from kemps_server.store.tokens import LONGEST, Kind, Token
from kemps_server.store.users import Role

router: Final = APIRouter()

_LINK_S: Final = 180 * 24 * 3600  # how long a browser keeps a link that has no end of its own
_WRONG: Final = "name and password do not belong together"
Next: TypeAlias = Annotated[str | None, Query(alias="next", description="The page to go to afterwards.")]


class WhoIsThere(BaseModel):
    """Who the server takes a visitor for."""

    role: Role | None = Field(description="viewer, player, referee or owner; null for somebody unknown.")
    name: str = Field(description="The user's name, or the label of the link they came by.")
    is_session: bool = Field(description="Whether they logged in with a password.")


class Key(BaseModel):
    """What somebody shows: a name with its password, or the secret of a link."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field("", max_length=200)
    password: str = Field("", max_length=2000)
    token: str = Field("", max_length=200)

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Key:
        if bool(self.token) == bool(self.name and self.password):
            raise ValueError("give either name and password, or token")
        return self


class NewPassword(BaseModel):
    """A password in the place of another."""

    model_config = ConfigDict(extra="forbid")

    old: str = Field(max_length=2000, description="The one that holds.")
    new: str = Field(max_length=2000, description="The one to hold; at least 8 characters.")


@router.get("/login", response_class=HTMLResponse, summary="The page to log in")
def login_page(request: Request, visitor: Anybody, lang: Language = None, next_page: Next = None) -> Response:
    """A form for name and password; whoever is logged in is led on."""
    leads_to = inner_address(next_page)
    if visitor.token:
        return RedirectResponse(leads_to, 303)
    page = _login(request, lang, leads_to)
    if request.headers.get("sec-fetch-site") == "cross-site":
        # Followed from another site, a strict cookie is not sent; asked again from here, it is.
        page.headers["Refresh"] = "0"
    return page


@router.post(
    "/login",
    response_class=HTMLResponse,
    summary="Log in by the form",
    responses={303: {"description": "Logged in."}, **refusals(429)},
    openapi_extra={
        "requestBody": {
            "content": {
                "application/x-www-form-urlencoded": {
                    "schema": {
                        "type": "object",
                        "properties": {name: {"type": "string"} for name in ("name", "password", "next")},
                    }
                }
            }
        }
    },
)
async def login_by_form(request: Request, place: AtPlace, lang: Language = None) -> Response:
    """Lead on with a session, or show the form again with why not."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=10)
    except ValueError:
        raise HTTPException(400, "this is no form; use the page /login") from None
    name, password, asked = (fields.get(key, [""])[-1] for key in ("name", "password", "next"))
    leads_to = inner_address(asked)
    try:
        found = await run_in_threadpool(place.logins.log_in, name, password, _address(request))
    except TooManyAttemptsError as error:
        page = _login(request, lang, leads_to, name=name, wait_s=error.wait_s, status=429)
        page.headers["Retry-After"] = str(error.wait_s)
        return page
    if found is None:
        return _login(request, lang, leads_to, name=name, is_wrong=True, status=401)
    answer = RedirectResponse(leads_to, 303)
    _give(answer, request, *found)
    return answer


@router.get("/login.json", summary="Who the server takes me for")
@router.get("/api/session", summary="Who the server takes me for")
def session(place: AtPlace, visitor: Anybody) -> WhoIsThere:
    """Role and name; nobody is turned away."""
    return _who(place, visitor)


@router.post("/api/session", summary="Log in, or open a link", responses=refusals(429))
def log_in(request: Request, response: Response, place: AtPlace, key: Annotated[Key, Body()]) -> WhoIsThere:
    """The session is in a cookie from now on."""
    if key.token:
        token = place.store.tokens.find(key.token)
        if token is None:
            raise HTTPException(401, "this link holds no more; ask for a new one")
        _give(response, request, token, key.token)
        return _who_has(token)
    try:
        found = place.logins.log_in(key.name, key.password, _address(request))
    except TooManyAttemptsError as error:
        raise HTTPException(429, str(error), {"Retry-After": str(error.wait_s)}) from None
    if found is None:
        raise HTTPException(401, _WRONG)
    _give(response, request, *found)
    return _who_has(found[0])


@router.delete("/api/session", summary="Log out", status_code=204)
def log_out(place: AtPlace, visitor: Anybody, response: Response) -> None:
    """The session ends, and the cookie goes; a link goes on for others who have it."""
    place.store.tokens.end_session(visitor.token)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


@router.post(
    "/logout",
    summary="Log out by the button",
    status_code=303,
    response_class=RedirectResponse,
)
def log_out_by_form(place: AtPlace, visitor: Anybody) -> RedirectResponse:
    """As ``DELETE /api/session``, then the page to log in."""
    answer = RedirectResponse("/login", 303)
    log_out(place, visitor, answer)
    return answer


@router.get("/enter", response_class=HTMLResponse, summary="The page that opens a link")
def enter(request: Request, visitor: Anybody, lang: Language = None, next_page: Next = None) -> HTMLResponse:
    """A page whose script shows the secret after the ``#`` once, gets a cookie for it, and leads on.

    What stands after ``#`` is sent to no server: it is in no log, and in no other page's referrer.
    """
    language, leads_to = language_of(request, lang), inner_address(next_page)
    return page_of(
        request, "enter.html.j2", area="access", language=language, visitor=visitor, leads_to=leads_to
    )


@router.get("/account", response_class=HTMLResponse, summary="The page of one's own account")
def account_page(request: Request, place: AtPlace, visitor: Viewer, lang: Language = None) -> HTMLResponse:
    """Change the password, log out everywhere."""
    return page_of(
        request,
        "account.html.j2",
        area="access",
        language=language_of(request, lang),
        visitor=visitor,
        is_session=_who(place, visitor).is_session,
    )


@router.get("/account.json", summary="One's own account")
def account(place: AtPlace, visitor: Viewer) -> WhoIsThere:
    """As ``/api/session``, for somebody who is known."""
    return _who(place, visitor)


@router.put(
    "/api/account/password", summary="Change one's password", status_code=204, responses=refusals(429)
)
def change_password(request: Request, place: AtPlace, visitor: Viewer, asked: NewPassword) -> None:
    """From now on the new one holds, and all other sessions of this user have ended."""
    if not _who(place, visitor).is_session:
        raise HTTPException(409, "only who logged in has a password to change")
    try:
        is_done = place.logins.set_password(
            visitor.name, asked.old, asked.new, _address(request), keep=visitor.token
        )
    except TooManyAttemptsError as error:
        raise HTTPException(429, str(error), {"Retry-After": str(error.wait_s)}) from None
    except StoreError:
        raise
    except KempsServerError as error:
        raise HTTPException(422, str(error)) from None
    if not is_done:
        raise HTTPException(403, "that is not the password that holds now")


@router.delete("/api/account/sessions", summary="Log out everywhere", status_code=204)
def log_out_everywhere(place: AtPlace, visitor: Viewer, response: Response) -> None:
    """All sessions of this user have ended, this one too."""
    if not _who(place, visitor).is_session:
        raise HTTPException(409, "only who logged in has sessions")
    place.store.tokens.end_sessions(visitor.name)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


def _login(
    request: Request,
    lang: str | None,
    leads_to: str,
    *,
    name: str = "",
    is_wrong: bool = False,
    wait_s: int = 0,
    status: int = 200,
) -> HTMLResponse:
    return page_of(
        request,
        "login.html.j2",
        area="access",
        language=language_of(request, lang),
        visitor=Visitor(),
        status=status,
        leads_to=leads_to,
        name=name[:60],
        is_wrong=is_wrong,
        wait_s=wait_s,
    )


def _give(answer: Response, request: Request, token: Token, secret: str) -> None:
    lasts_s = round(LONGEST.total_seconds()) if token.kind is Kind.SESSION else _LINK_S
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=lasts_s,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def _who(place: Place, visitor: Visitor) -> WhoIsThere:
    tokens = place.store.tokens.all() if visitor.token else ()
    token = next((token for token in tokens if token.id == visitor.token), None)
    is_session = token is not None and token.kind is Kind.SESSION
    return WhoIsThere(role=visitor.role, name=visitor.name, is_session=is_session)


def _who_has(token: Token) -> WhoIsThere:
    name = token.user or token.label
    return WhoIsThere(role=token.role, name=name, is_session=token.kind is Kind.SESSION)


def _address(request: Request) -> str:
    return "" if request.client is None else request.client.host
