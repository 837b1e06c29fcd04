"""Sockets that listen already, so that a taken port is an error before anything is promised."""

from __future__ import annotations

import socket

from kemps_server.errors import KempsServerError, WorkFailedError


def listening(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """A socket that listens at an address; port 0 is a free one.

    What is sent over its connections goes out at once.

    Raises:
        KempsServerError: That is no address of this machine.
        WorkFailedError: The port is taken, or may not be had.

    >>> with listening() as listener:
    ...     listener.getsockname()[0], listener.proto == socket.IPPROTO_TCP
    ('127.0.0.1', True)
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # asyncio turns Nagle's algorithm off only where the protocol is named. With it each answer on a
        # connection that stays open waits for the other side's delayed acknowledgement: 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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
