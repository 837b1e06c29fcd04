"""``kemps serve``: the games of a data folder as pages, on this machine."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from pathlib import Path

import typer
import uvicorn

from kemps_server.app import create_app, is_loopback
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.library import Library
from kemps_server.logs import logged_into
from kemps_server.settings import DATA_HELP, read_settings
from kemps_server.store.store import Store

_log = logging.getLogger(__name__)


def serve(
    host: str = typer.Option(
        "127.0.0.1", metavar="ADDRESS", help="Where to listen; the default is this machine only."
    ),
    port: int = typer.Option(8000, min=0, max=65535, metavar="N", help="Which port; 0 takes a free one."),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
) -> None:
    """Show the games of a data folder as pages: a list, the page of each, and the same as JSON.

    Games are those in its store (kemps import), and folders in it that kemps observe or kemps demo wrote.
    """
    settings = read_settings()
    if data is not None and not data.exists():
        raise KempsServerError(
            f"{data}: no such folder; run kemps demo first, or name the folder of games with --data"
        )
    folder = settings.folder(data)
    with Store.open(folder, settings.database_address) as store, logged_into(folder, settings.log_bytes):
        library = Library(store)
        count = len(library.shown())
        with _listen(host, port) as listener:
            at = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
            typer.echo(f"{count} game{'s' if count != 1 else ''} in {folder.root}: {at} (Ctrl-C ends it)")
            if not is_loopback(host):
                typer.echo("Others on the network can open these pages: there is no password.", err=True)
            _log.info("serving %d games at %s", count, at)
            # Addresses of pages hold names of games, and those of players: they are not logged.
            config = uvicorn.Config(create_app(library, host=host), log_config=None, access_log=False)
            with suppress(KeyboardInterrupt):
                uvicorn.Server(config).run(sockets=[listener])
        _log.info("the server has ended")


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens there already, so that a taken port is an error before anything is promised."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise KempsServerError(f"{host}: no address to listen on: {error.strerror or error}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise WorkFailedError(
            f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}; choose another --port"
        ) from None
    return listener
