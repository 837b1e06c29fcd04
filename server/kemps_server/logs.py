"""Log files in the data folder: one grows until it is long enough, five older ones are kept."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from kemps_server.data_folder import DataFolder

NAME: Final = "kemps.log"
KEPT: Final = 5
_SECRET: Final = re.compile(rb"\b(token=)(?!\.\.\.)[^\s&\"'<>]+")
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_log = logging.getLogger(__name__)


class _LogFile(RotatingFileHandler):
    """A file that, when it cannot be written, is silent after one warning: the game matters more."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        super().__init__(path, maxBytes=most_bytes, backupCount=KEPT, encoding="utf-8", delay=False)
        self._is_told = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Tell once that the log cannot be written."""
        del record
        if not self._is_told:
            self._is_told = True
            _log.warning("%s: cannot be written; what happens is not logged from now on", self.baseFilename)

    def close(self) -> None:
        """Close the file; what it refused to take was told before."""
        with suppress(OSError):
            super().close()


def forget_secrets(folder: DataFolder) -> int:
    """In how many logs secrets of links stood, which older versions wrote with the addresses; they are gone.

    A file that cannot be written is left as it is, with a warning.
    """
    cleaned = 0
    for path in sorted(folder.logs.glob(f"{NAME}*")):
        try:
            content = path.read_bytes()
            clean = _SECRET.sub(rb"\1...", content)
            if clean != content:
                new = path.with_name(f".{path.name}.new")
                new.write_bytes(clean)
                new.replace(path)
                cleaned += 1
        except OSError as error:
            _log.warning("%s: cannot be cleaned: %s", path.name, error.strerror or error)
    return cleaned


@contextmanager
def logged_into(folder: DataFolder, most_bytes: int) -> Iterator[None]:
    """Whatever is logged meanwhile, from INFO on, is also in ``logs/kemps.log`` of the data folder.

    What the terminal shows stays as it is. A file that cannot be opened is a warning, not an error.
    """
    root = logging.getLogger()
    try:
        handler = _LogFile(folder.logs / NAME, most_bytes)
    except OSError as error:
        _log.warning("%s: %s; nothing is logged there", folder.logs / NAME, error.strerror or error)
        yield
        return
    handler.setFormatter(logging.Formatter(_FORMAT))
    level, others = root.level, {other: other.level for other in root.handlers}
    for other in others:
        other.setLevel(max(other.level, level))
    root.addHandler(handler)
    root.setLevel(min(level, logging.INFO))
    try:
        yield
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
        for other, before in others.items():
            other.setLevel(before)
        handler.close()
