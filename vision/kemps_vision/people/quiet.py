"""Keeps a library that writes to the process's standard error from writing there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Whatever native code writes to file descriptor 2 meanwhile is thrown away.

    MediaPipe tells about its graphs on stderr while it builds and first runs them, whatever its log level; a
    command of ours writes one line there, and only when something is wrong. Other threads are silenced too.
    """
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):  # closed, or none, as under a window system
        yield
        return
    try:
        with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a descriptor is wanted
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
