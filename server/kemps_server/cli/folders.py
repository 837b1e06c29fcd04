"""Folders named on the command line."""

from __future__ import annotations

from pathlib import Path

from kemps_server.errors import KempsServerError


def folder_named(text: str) -> Path:
    """The folder of that name, be it there or not; for ``parser`` of an option.

    Raises:
        KempsServerError: The name is empty, as when a script's variable is: the working folder is not meant.
    """
    if not text.strip():
        raise KempsServerError("a folder's name is empty; write . for the folder that you are in")
    return Path(text)
