"""Standard output that can no longer be written: its reader has gone, or its disk is full."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


def is_lost() -> bool:
    """Whether standard output takes nothing more; an end of line is written to see it.

    An error of a write names no file, and Python forgets what it could not write, so that only another
    write tells.
    """
    try:
        print(flush=True)  # noqa: T201 - the probe
    except OSError:
        return True
    return False


def forget_stdout() -> None:
    """From now on standard output goes nowhere, also what waits in it: no second error comes at the end."""
    with suppress(io.UnsupportedOperation):  # no file below: a test or a program took its place
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, sys.stdout.fileno())
        finally:
            os.close(nowhere)
