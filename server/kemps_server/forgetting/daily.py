"""The job beside the server: recordings that are old enough go, at its start and once a day."""

from __future__ import annotations

import logging
import threading
from typing import Final

from kemps_server.errors import KempsServerError
from kemps_server.forgetting.retention import remove_due
from kemps_server.library import Library

_log = logging.getLogger(__name__)

DAY_S: Final = 24 * 3600.0


class DailyRetention:
    """A thread that looks once a day; what it cannot do it logs, and tries again a day later."""

    def __init__(self, library: Library, *, every_s: float = DAY_S) -> None:
        self._library = library
        self._every_s = every_s
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; the first look is now."""
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, after the file that is being removed."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._ends.is_set():
            try:
                store = self._library.store
                remove_due(self._library, store.choices.read().video_days, store.clock())
            except KempsServerError as error:
                _log.error("retention: %s", error)
            except Exception as error:  # noqa: BLE001 - the server goes on, and tries again tomorrow
                _log.error("retention failed (%s)", type(error).__name__)
            self._ends.wait(self._every_s)
