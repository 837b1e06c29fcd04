"""What of the heard becomes events of a game, and what is kept beside them."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Final

from kemps_rules.events import Called, Event
from kemps_server.sound.clips import keep_clip
from kemps_vision.hearing.gate import CallGate, on_clock
from kemps_vision.hearing.listening import Clip, HeardCall

KEPT: Final = 20  # sounds of calls that are on their way into the journal

_log = logging.getLogger(__name__)


class Proposals:
    """Heard calls on their way into a game's journal; used by one thread.

    Args:
        folder: The game's; the sound round a call that has become an event is kept there. None: nowhere.
        more_ms: By how much less well the calls' times are known than the network says.
    """

    def __init__(self, folder: Path | None, more_ms: int = 0) -> None:
        self._folder = folder
        self._more_ms = more_ms
        self._gate = CallGate()
        self._clips: deque[tuple[Called, Clip, float]] = deque(maxlen=KEPT)
        self._is_told = False

    def hear(self, heard: HeardCall, shift_ms: float = 0.0) -> None:
        """A call that is certain now; the game's clock is ``shift_ms`` later than the sound's."""
        call = on_clock(heard.as_event(), self._more_ms)
        call = replace(call, at_ms=max(0, round(heard.heard.at_ms + shift_ms)))
        self._gate.hear(call)
        if heard.clip is not None:
            self._clips.append((call, heard.clip, shift_ms))

    def pressed(self, call: Called) -> None:
        """A person told a call."""
        self._gate.pressed(call)

    def withdraw(self, at_ms: int, call: str) -> None:
        """A person says that a call was none."""
        self._gate.withdraw(at_ms, call)

    def due(self, now_ms: float) -> list[Called]:
        """The calls that become events now."""
        return self._gate.due(now_ms)

    def told(self, line: int, event: Event) -> None:
        """An event stands in the journal: of a call that was heard here, its sound is kept."""
        self._gate.told(event)
        for kept in list(self._clips):
            if kept[0] == event:
                self._clips.remove(kept)
                self._keep(line, kept[1], kept[2])

    def _keep(self, line: int, clip: Clip, shift_ms: float) -> None:
        if self._folder is None:
            return
        try:
            keep_clip(self._folder, line, clip, shift_ms)
        except OSError as error:
            if not self._is_told:
                self._is_told = True
                _log.warning("the sound of a call is not kept: %s; the journal goes on", error.strerror)
