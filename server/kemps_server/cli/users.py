"""``kemps users``: who may log in to the server. Passwords are typed or come by a pipe, never as words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import typer

from kemps_server.errors import KempsServerError
from kemps_server.settings import DATA_HELP, read_settings
from kemps_server.store.store import Store
from kemps_server.store.users import Role

_NAME: Final = typer.Argument(..., metavar="NAME", help="The user's name.")
_DATA: Final = typer.Option(None, metavar="DIR", help=DATA_HELP)


def add(
    name: str = _NAME,
    role: Role = typer.Option(..., help="What they may; each may all that those before it may."),
    data: Path | None = _DATA,
) -> None:
    """Add a user; the password is asked for, or read as a line from standard input."""
    with _opened(data) as store:
        if store.users.find(name) is not None:
            raise KempsServerError(f"there is a user {name!r} already; see kemps users password")
        store.users.add(name, role, _password())
    typer.echo(f"{name} can log in as {role}")


def password(name: str = _NAME, data: Path | None = _DATA) -> None:
    """Give a user another password; all their devices are logged out."""
    with _opened(data) as store:
        if store.users.find(name) is None:
            raise KempsServerError(f"there is no user {name!r}; see kemps users list")
        store.users.set_password(name, _password())
    typer.echo(f"{name} has another password, and is logged out everywhere")


def remove(name: str = _NAME, data: Path | None = _DATA) -> None:
    """Remove a user with their sessions and links; what they decided in games stays."""
    with _opened(data) as store:
        if store.users.find(name) is None:
            raise KempsServerError(f"there is no user {name!r}; see kemps users list")
        store.users.remove(name)
        has_owner = store.users.has_owner()
    typer.echo(f"{name} can log in no more")
    if not has_owner:
        typer.echo("no owner is left: kemps serve answers on this machine only", err=True)


def list_(data: Path | None = _DATA) -> None:
    """Show who may log in, and as what."""
    with _opened(data) as store:
        for user in store.users.all():
            typer.echo(f"{user.role:8} {user.name}")


def _opened(data: Path | None) -> Store:
    settings = read_settings()
    return Store.open(settings.folder(data), settings.database_address)


def _password() -> str:
    if sys.stdin.isatty():
        typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt="The same again", err=True)
        return typed
    line = sys.stdin.readline()
    if not line.strip():
        raise KempsServerError("no password came in; type it when asked, or send it as a line: … < FILE")
    return line.rstrip("\r\n")
