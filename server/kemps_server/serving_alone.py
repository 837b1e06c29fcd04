"""One server to a data folder: two would each start and end its tables, and neither know of the other."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from kemps_server.data_folder import DataFolder
from kemps_server.errors import StoreError, WorkFailedError

if sys.platform != "win32":
    import fcntl

LOCK: Final = ".serving"


@contextmanager
def serving_alone(folder: DataFolder) -> Iterator[None]:
    """No other server uses this folder meanwhile; a killed one holds nothing, as the system lets go for it.

    Raises:
        WorkFailedError: Another one does; the text tells its process.
        StoreError: The folder cannot be written.
    """
    if sys.platform == "win32":
        yield
        return
    try:
        descriptor = os.open(folder.root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(
            f"{folder.root}: cannot be written ({(error.strerror or str(error)).lower()})"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = os.read(descriptor, 20).decode("ascii", "replace").strip()
            raise WorkFailedError(
                f"{folder.root}: another kemps serve uses this folder (process {other or 'unknown'}); "
                "open its pages, end it, or name another folder with --data"
            ) from None
        with suppress(OSError):  # a full disk: the lock holds all the same
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
