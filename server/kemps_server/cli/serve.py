"""``kemps serve``: tables, desk and games of a data folder as pages, on this machine or for others."""

from __future__ import annotations

import logging
import shlex
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import typer
import uvicorn

from kemps_server.app import create_app, is_loopback
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.library import Library
from kemps_server.listening import listening
from kemps_server.logs import forget_secrets, logged_into
from kemps_server.serving_alone import serving_alone
from kemps_server.settings import DATA_HELP, read_settings
from kemps_server.store.store import Store

_log = logging.getLogger(__name__)

_LONGEST_MESSAGE: Final = 65_536  # bytes that a client may send over a socket at once
_GRACE_S: Final = 5  # a client that never reads what it was sent must not keep the server from ending
_NO_OWNER: Final = (
    "others could reach this server, and nobody has the owner's password; "
    "make one first: kemps users add YOUR-NAME --role owner"
)
_OPEN_LINE: Final = (
    "Passwords and pages travel unencrypted on this network; give --certificate and --key, or --proxy."
)


def serve(
    host: str = typer.Option(
        "127.0.0.1", metavar="ADDRESS", help="Where to listen; the default is this machine only."
    ),
    port: int = typer.Option(8000, min=0, max=65535, metavar="N", help="Which port; 0 takes a free one."),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
    public_name: list[str] = typer.Option(
        [], metavar="NAME", help="A name under which others open it, as in kemps.example; may be repeated."
    ),
    proxy: str | None = typer.Option(
        None, metavar="ADDRESS", help="A proxy in front of it, whose word on who asks is taken."
    ),
    certificate: Path | None = typer.Option(None, metavar="FILE", help="PEM, to be served by https."),
    key: Path | None = typer.Option(None, metavar="FILE", help="The certificate's private key."),
) -> None:
    """Show the tables and games of a data folder as pages, and the same as JSON.

    Games are those in its store (kemps import), and folders in it that kemps observe or kemps demo wrote.
    On this machine whoever opens it is its owner; reached from elsewhere it asks for a password.
    """
    settings = read_settings()
    if data is not None and not data.exists():
        raise KempsServerError(f"{data}: no such folder; make it if a new one is meant, or name another")
    secure = _secure(certificate, key)
    folder = settings.folder(data)
    with (
        Store.open(folder, settings.database_address) as store,
        serving_alone(folder),
        _forgetting_secrets(folder),
        logged_into(folder, settings.log_bytes),
    ):
        is_proxied = bool(proxy or public_name)
        is_home = is_loopback(host) and not is_proxied
        library = Library(store)
        count = len(library.shown())
        with listening(host, port) as listener:
            if not is_home and not store.users.has_owner():
                # Who named a folder is to make the owner in that one, not in the platform's own.
                raise KempsServerError(_NO_OWNER + (f" --data {shlex.quote(str(data))}" if data else ""))
            scheme = "https" if secure else "http"
            open_at = public_name[0] if public_name and not proxy else opened_at(host)
            at = f"{scheme}://{f'[{open_at}]' if ':' in open_at else open_at}:{listener.getsockname()[1]}/"
            typer.echo(f"{count} game{'s' if count != 1 else ''} in {folder.root}: {at} (Ctrl-C ends it)")
            if not (is_home or secure or proxy):
                typer.echo(_OPEN_LINE, err=True)
            _log.info("serving %d games at %s", count, at)
            app = create_app(library, host=host, names=public_name, is_proxied=is_proxied)
            # Addresses hold names of games and players, and an overlay's its secret: none is logged. What
            # uvicorn tells of sockets below a warning is their addresses.
            config = uvicorn.Config(
                app,
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=proxy is not None,
                forwarded_allow_ips=proxy,
                ws_max_size=_LONGEST_MESSAGE,
                timeout_graceful_shutdown=_GRACE_S,
                ws_per_message_deflate=False,  # messages are short, and each socket would hold its own window
                **secure,
            )
            with suppress(KeyboardInterrupt):
                uvicorn.Server(config).run(sockets=[listener])
        _log.info("the server has ended")


@contextmanager
def _forgetting_secrets(folder: DataFolder) -> Iterator[None]:
    """First, while this server is the only one that writes there: what older ones logged too much of goes."""
    cleaned = forget_secrets(folder)
    if cleaned:
        _log.warning("secrets of links stood in %d logs of an older version, and were taken out", cleaned)
    yield


def opened_at(host: str) -> str:
    """The address that a browser can open: of all addresses of this machine one that others reach.

    >>> opened_at("127.0.0.1")
    '127.0.0.1'
    """
    with suppress(ValueError):
        if not ip_address(host).is_unspecified:
            return host
        family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect(
                (far, 9)
            )  # an address for examples: nothing is sent, only the way there is looked up
            return str(asked.getsockname()[0])
        return "::1" if ":" in host else "127.0.0.1"
    return host


def _secure(certificate: Path | None, key: Path | None) -> dict[str, Any]:
    if certificate is None and key is None:
        return {}
    if certificate is None or key is None:
        raise KempsServerError("--certificate and --key belong together; give both")
    for path in (certificate, key):
        if not path.is_file():
            raise KempsServerError(f"{path}: no such file")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except (OSError, ValueError) as error:
        raise KempsServerError(
            f"{certificate} and {key}: no certificate with its key, in PEM and without a password ({error})"
        ) from None
    return {"ssl_certfile": str(certificate), "ssl_keyfile": str(key)}
