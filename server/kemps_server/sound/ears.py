"""Ears of a game: a recording heard in step with its pictures, or live sound in a thread of its own."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from kemps_rules.events import Called, Event
from kemps_rules.seats import Seat
from kemps_server.rows import LiveOptions
from kemps_server.sound.opening import TableSounds
from kemps_server.sound.proposals import Proposals
from kemps_server.sound.recording import SoundRecorder, TappedSound
from kemps_vision.errors import KempsVisionError
from kemps_vision.hearing.features import Sound
from kemps_vision.hearing.gate import is_unconfirmed
from kemps_vision.hearing.listening import HeardCall, Listened, Listening, Namer

JOIN_S: Final = 2.0
PACE_S: Final = 0.02  # how often it is looked how far a played clip has come
SHIFTS: Final = 30  # tenths of a second that are remembered: a call is known at most 1.6 s after its onset


class Ears(Protocol):
    """What hears the calls of a game."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        ...

    def take(self, now_ms: int) -> list[Called]:
        """The calls that have become known by this time of the game."""
        ...

    def finish(self) -> list[Called]:
        """The calls that are left once there are no more pictures."""
        ...

    def pressed(self, call: Called) -> None:
        """A person told a call, so that it is not heard a second time."""
        ...

    def withdraw(self, at_ms: int, call: str) -> None:
        """A person says that a call was none."""
        ...

    def told(self, line: int, event: Event) -> None:
        """An event stands in the journal."""
        ...

    def close(self) -> None:
        """Release the sound."""
        ...


class RecordedEars:
    """Hears a recording as far as its pictures have come: the same calls at the same frames each time.

    Args:
        sounds: The sound, opened.
        folder: The game's.
        pressed: Calls that are known beforehand.
        namer: Says whose mouth moved.
    """

    def __init__(
        self,
        sounds: TableSounds,
        folder: Path | None,
        *,
        pressed: Sequence[Called] = (),
        namer: Namer | None = None,
    ) -> None:
        self._sounds = sounds
        self._steps: Iterator[Listened] = listening_to(sounds, namer).steps()
        self._until_ms = -1e12
        self._is_over = False
        self._proposals = Proposals(folder, sounds.more_ms)
        for call in pressed:
            self._proposals.pressed(call)

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        return self._sounds.source.notes

    def take(self, now_ms: int) -> list[Called]:
        """As ``Ears``."""
        while not self._is_over and self._until_ms < now_ms:
            self._step()
        return self._proposals.due(now_ms)

    def finish(self) -> list[Called]:
        """As ``Ears``: the sound's last second is heard, too."""
        last_ms = self._until_ms
        while not self._is_over:
            self._step()
        return self._proposals.due(max(0.0, last_ms))

    def pressed(self, call: Called) -> None:
        """As ``Ears``."""
        self._proposals.pressed(call)

    def withdraw(self, at_ms: int, call: str) -> None:
        """As ``Ears``."""
        self._proposals.withdraw(at_ms, call)

    def told(self, line: int, event: Event) -> None:
        """As ``Ears``."""
        self._proposals.told(line, event)

    def close(self) -> None:
        """As ``Ears``."""
        self._sounds.close()

    def _step(self) -> None:
        listened = next(self._steps, None)
        if listened is None:
            self._is_over = True
            return
        self._until_ms = listened.until_ms
        for call in listened.calls:
            self._proposals.hear(call)


class LiveEars:
    """Listens in a thread while the game is watched; give it the game's clock with ``begin``.

    Args:
        sounds: The sound, opened.
        folder: The game's.
        tell: Hears what people must know at once, a line each.
        namer: Says whose mouth moved.
        pace: For sound that stands in a file: by how many ms a time of it was later on the game's clock; None
            while the game has not come so far.
    """

    def __init__(
        self,
        sounds: TableSounds,
        folder: Path | None,
        tell: Callable[[str], None],
        *,
        namer: Namer | None = None,
        pace: Callable[[float], float | None] | None = None,
    ) -> None:
        self._sounds, self._tell, self._namer, self._pace = sounds, tell, namer, pace
        self._proposals = Proposals(folder, sounds.more_ms)
        self._lock = threading.Lock()
        self._heard: list[tuple[HeardCall, float]] = []
        self._shift_ms = 0.0
        self._recorder: SoundRecorder | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ears", daemon=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing: they were told at once."""
        return ()

    @property
    def may_record(self) -> bool:
        """Whether the sound is worth recording: one that is played from a file is there already."""
        return self._pace is None

    def begin(self, zero_s: float, recorder: SoundRecorder | None = None) -> None:
        """Listen; the game's time 0 was when the monotonic clock showed ``zero_s``."""
        self._recorder = recorder if self.may_record else None
        self._shift_ms = 1000 * (self._sounds.opened_s - zero_s)
        self._thread.start()

    def take(self, now_ms: int) -> list[Called]:
        """As ``Ears``."""
        with self._lock:
            heard, self._heard = self._heard, []
        for call, shift_ms in heard:
            self._proposals.hear(call, shift_ms)
        return self._proposals.due(now_ms)

    def finish(self) -> list[Called]:
        """As ``Ears``: what is being said now is not waited for."""
        return []

    def pressed(self, call: Called) -> None:
        """As ``Ears``."""
        self._proposals.pressed(call)

    def withdraw(self, at_ms: int, call: str) -> None:
        """As ``Ears``."""
        self._proposals.withdraw(at_ms, call)

    def told(self, line: int, event: Event) -> None:
        """As ``Ears``."""
        self._proposals.told(line, event)

    def close(self) -> None:
        """As ``Ears``; a device that hangs is left to the end of the process."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join(JOIN_S)
        if not self._thread.is_alive():  # a file that is read by another thread must not be closed
            self._sounds.close()

    def _run(self) -> None:
        shifts: deque[tuple[float, float]] = deque(maxlen=SHIFTS)
        try:
            namer = None if self._namer is None else self._name
            for listened in listening_to(self._sounds, namer, self._take).steps():
                shift_ms = self._shift_at(listened.until_ms)
                if shift_ms is None or self._is_over.is_set():
                    return
                self._shift_ms = shift_ms
                shifts.append((listened.until_ms, shift_ms))
                with self._lock:
                    self._heard += [(call, _shift_at(call.heard.at_ms, shifts)) for call in listened.calls]
            lines = self._sounds.source.notes
        except KempsVisionError as error:
            lines = (str(error),)
        finally:
            if self._recorder is not None:
                self._recorder.close()
        if not self._is_over.is_set():
            for line in lines:
                self._tell(f"{line}; calls are taken from buttons and keys")

    def _shift_at(self, sound_ms: float) -> float | None:
        """By how many ms the game's clock is later, once the game has come so far; None at its end."""
        while self._pace is not None and not self._is_over.is_set():
            shift_ms = self._pace(sound_ms)
            if shift_ms is not None:
                return shift_ms
            self._is_over.wait(PACE_S)
        return self._shift_ms if self._pace is None else None

    def _take(self, at_ms: float, samples: Sound) -> None:
        if self._recorder is not None:
            self._recorder.add(at_ms + self._shift_ms, samples)

    def _name(self, at_ms: float, sound: Sound, first_ms: float) -> Seat | None:
        """Who called; mouths were seen on the game's clock."""
        if self._namer is None:
            return None
        return self._namer(at_ms + self._shift_ms, sound, first_ms + self._shift_ms)


def _shift_at(at_ms: float, shifts: Sequence[tuple[float, float]]) -> float:
    """By how many ms the game's clock was later when a time sounded; a film may have waited since."""
    return next((shift for until_ms, shift in shifts if until_ms >= at_ms), shifts[-1][1])


def hearing_too(options: LiveOptions, ears: LiveEars, recorder: SoundRecorder | None = None) -> LiveOptions:
    """The options of a live game with the calls that are heard among those that are made; it begins now."""
    zero_s = options.clock() if options.zero_s is None else options.zero_s
    ears.begin(zero_s, recorder)

    def calls() -> list[Called]:
        made = list(options.calls())
        for call in made:
            if not is_unconfirmed(call):  # a heard one that a person has confirmed is theirs
                ears.pressed(call)
        return [*made, *ears.take(round(1000 * (options.clock() - zero_s)))]

    return replace(options, calls=calls, zero_s=zero_s)


def listening_to(
    sounds: TableSounds, namer: Namer | None, take: Callable[[float, Sound], None] | None = None
) -> Listening:
    """What listens to the sounds of a table, which ``take`` is given as well."""
    source = sounds.source if take is None else TappedSound(sounds.source, take)
    return Listening(source, seats=sounds.source.seats, namer=namer, listener=sounds.listener)
