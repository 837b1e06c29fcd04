"""Many WebSocket clients in a process of their own: when each was told what, and whether anything is missing.

``python -m kemps_server.bench.server_clients ADDRESS CLIENTS STUCK DELTAS FILE`` opens so many sockets and
``STUCK`` more that never read, prints ``ready``, waits until each of the others has had so many deltas, and
writes for each of them which came when (ms of the wall clock) into FILE.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

from kemps_server.errors import WorkFailedError

_PATIENCE_S: Final = 30.0
_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class Heard:
    """What one client heard: the numbers of the deltas in the order they came, and when each did."""

    numbers: tuple[int, ...]
    at_ms: tuple[float, ...]
    snapshots: int

    @property
    def is_in_order(self) -> bool:
        """Whether no delta was missing, came twice or came before an earlier one."""
        first = self.numbers[0] if self.numbers else 0
        return self.snapshots == 1 and self.numbers == tuple(range(first, first + len(self.numbers)))


class Clients:
    """The clients' process, seen from the one that plays."""

    def __init__(self, address: str, clients: int, deltas: int, file: Path, stuck: int = 0) -> None:
        """Begin; returns when all of them listen.

        Raises:
            WorkFailedError: Not all could be opened.
        """
        self._file = file
        arguments = [address, str(clients), str(stuck), str(deltas), str(file)]
        command = [sys.executable, "-m", "kemps_server.bench.server_clients", *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if line.strip() != "ready":
            self._process.kill()
            raise WorkFailedError(f"{clients} sockets could not be opened; see above")

    def heard(self) -> list[Heard]:
        """What all of them heard, when they have heard it or have waited too long."""
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        rows = json.loads(self._file.read_text(encoding="utf-8"))
        return [Heard(tuple(row["numbers"]), tuple(row["at_ms"]), row["snapshots"]) for row in rows]


async def _listen(address: str, deltas: int, gate: asyncio.Semaphore, ready: asyncio.Event) -> Heard:
    numbers: list[int] = []
    at_ms: list[float] = []
    snapshots = 0
    async with gate:
        connection = await connect(address, max_size=None, compression=None).__aenter__()
    try:
        while len(numbers) < deltas:
            text = await asyncio.wait_for(connection.recv(), _PATIENCE_S)
            now = time.time() * 1000
            message = json.loads(text)
            if message["type"] == "delta":
                numbers.append(message["seq"])
                at_ms.append(now)
            elif message["type"] == "snapshot":
                snapshots += 1
                ready.set()
    except TimeoutError:
        pass
    finally:
        await connection.close()
    return Heard(tuple(numbers), tuple(at_ms), snapshots)


def _stuck(address: str) -> socket.socket:
    """A socket that was opened and is never read."""
    parts = urlsplit(address)
    silent = socket.socket()
    silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    silent.connect((parts.hostname or "", parts.port or 80))
    key = b64encode(os.urandom(16)).decode()
    silent.sendall(
        f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return silent


async def _main(address: str, clients: int, stuck: int, deltas: int) -> list[Heard]:
    silent = [_stuck(address) for _ in range(stuck)]
    gate, ready = asyncio.Semaphore(_AT_ONCE), [asyncio.Event() for _ in range(clients)]
    work = [asyncio.create_task(_listen(address, deltas, gate, event)) for event in ready]
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in ready)), _PATIENCE_S)
    print("ready", flush=True)  # noqa: T201 - what the other process waits for
    heard = await asyncio.gather(*work)
    for one in silent:
        one.close()
    return heard


def _run(arguments: Sequence[str]) -> None:
    address, clients, stuck, deltas, file = arguments
    heard = asyncio.run(_main(address, int(clients), int(stuck), int(deltas)))
    rows = [{"numbers": one.numbers, "at_ms": one.at_ms, "snapshots": one.snapshots} for one in heard]
    Path(file).write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    _run(sys.argv[1:])
