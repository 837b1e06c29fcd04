"""``kemps serve``: the games of a folder as pages, on this machine."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path

import typer
import uvicorn

from kemps_server.app import create_app, is_loopback
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.games import games_in


def serve(
    host: str = typer.Option(
        "127.0.0.1", metavar="ADDRESS", help="Where to listen; the default is this machine only."
    ),
    port: int = typer.Option(8000, min=0, max=65535, metavar="N", help="Which port; 0 takes a free one."),
    data: Path = typer.Option(Path("out"), metavar="DIR", help="The folder that holds the folders of games."),
) -> None:
    """Show the games of a folder as pages: a list, the page of each, and the same as JSON."""
    if not data.is_dir():
        raise KempsServerError(
            f"{data}: no such folder; run kemps demo first, or name the folder of games with --data"
        )
    count = len(games_in(data))
    listener = _listen(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
    typer.echo(f"{count} game{'s' if count != 1 else ''} in {data}: {address} (Ctrl-C ends it)")
    if not is_loopback(host):
        typer.echo("Others on the network can open these pages: there is no password.", err=True)
    server = uvicorn.Server(uvicorn.Config(create_app(data, host=host), log_level="warning"))
    with listener, suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


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
