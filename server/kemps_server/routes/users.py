"""Who may log in: the owner adds people, gives them roles and passwords, logs them out, removes them."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from kemps_server.errors import KempsServerError, StoreError
from kemps_server.routes.place import AtPlace, Owner, Place
from kemps_server.store.users import Role, User

router: Final = APIRouter()

Name = Annotated[str, InPath(max_length=80, description="The user's name.")]
_LAST: Final = "this is the last owner: make another one first, or nobody could change anything any more"


class UserAnswer(BaseModel):
    """Somebody who may log in."""

    name: str = Field(description="Their name, which stands under what they decide.")
    role: Role = Field(description="What they may.")
    added_at: str = Field(description="When they were added, ISO 8601.")


class NewUser(BaseModel):
    """Somebody who is to log in from now on."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=200)
    role: Role
    password: str = Field(max_length=2000, description="At least 8 characters; they can change it.")


class NewRole(BaseModel):
    """What somebody may from now on."""

    model_config = ConfigDict(extra="forbid")

    role: Role


class FreshPassword(BaseModel):
    """The password that holds from now on."""

    model_config = ConfigDict(extra="forbid")

    password: str = Field(max_length=2000, description="At least 8 characters.")


@router.get("/api/users", summary="Who may log in")
def users(place: AtPlace, visitor: Owner) -> list[UserAnswer]:
    """All users, by name."""
    del visitor
    return [_answer(user) for user in place.store.users.all()]


@router.post("/api/users", summary="Add a user", status_code=201)
def add_user(asked: NewUser, place: AtPlace, visitor: Owner) -> UserAnswer:
    """Somebody can log in from now on."""
    del visitor
    if place.store.users.find(asked.name) is not None:
        raise HTTPException(409, f"there is a user {asked.name!r} already")
    try:
        return _answer(place.store.users.add(asked.name, asked.role, asked.password))
    except StoreError:
        raise
    except KempsServerError as error:
        raise HTTPException(422, str(error)) from None


@router.put("/api/users/{name}", summary="Give a user another role")
def change_role(name: Name, asked: NewRole, place: AtPlace, visitor: Owner) -> UserAnswer:
    """It holds at once, also where they are logged in."""
    del visitor
    user = _found(place, name)
    if asked.role is not Role.OWNER:
        _not_the_last(place, user)
    place.store.users.set_role(name, asked.role)
    return _answer(_found(place, name))


@router.put("/api/users/{name}/password", summary="Give a user another password", status_code=204)
def set_password(name: Name, asked: FreshPassword, place: AtPlace, visitor: Owner) -> None:
    """They are logged out everywhere, but for the session that asks this."""
    _found(place, name)
    try:
        place.store.users.set_password(name, asked.password, keep=visitor.token)
    except StoreError:
        raise
    except KempsServerError as error:
        raise HTTPException(422, str(error)) from None


@router.delete("/api/users/{name}/sessions", summary="Log a user out everywhere", status_code=204)
def end_sessions(name: Name, place: AtPlace, visitor: Owner) -> None:
    """They have to log in again on each device."""
    del visitor
    place.store.tokens.end_sessions(_found(place, name).name)


@router.delete("/api/users/{name}", summary="Remove a user", status_code=204)
def remove_user(name: Name, place: AtPlace, visitor: Owner) -> None:
    """Sessions and links that are theirs go with them; what they decided in games stays."""
    del visitor
    user = _found(place, name)
    _not_the_last(place, user)
    place.store.users.remove(user.name)


def _found(place: Place, name: str) -> User:
    user = place.store.users.find(name)
    if user is None:
        raise HTTPException(404, f"there is no user {name!r}")
    return user


def _not_the_last(place: Place, user: User) -> None:
    owners = [one for one in place.store.users.all() if one.role is Role.OWNER]
    if user.role is Role.OWNER and len(owners) == 1 and not place.gate.is_home:
        raise HTTPException(409, _LAST)


def _answer(user: User) -> UserAnswer:
    return UserAnswer(name=user.name, role=user.role, added_at=user.added_at)
