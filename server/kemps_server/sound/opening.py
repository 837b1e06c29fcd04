"""Which sounds a table has, opened beside its pictures; or the one line that says why there are none."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_models.errors import ModelError
from kemps_rules.errors import HouseError
from kemps_rules.house import load_house
from kemps_server.sound.notes import has_own_sound
from kemps_server.sound.passed_sound import PassedSound
from kemps_vision.errors import KempsVisionError, SourceError
from kemps_vision.hearing.house_listener import house_listener
from kemps_vision.hearing.joined import JoinedSound
from kemps_vision.hearing.listener import Heats
from kemps_vision.hearing.sources import MICROPHONE, SoundBlock, SoundSource, open_sound
from kemps_vision.hearing.table_sound import TableSound
from kemps_vision.sources import kind_of
from kemps_vision.zones import TableConfig

UNMEASURED_MS: Final = 120
"""How far sound and pictures of two devices may be apart before anybody clapped: cameras by USB show a moment
some 50 to 150 ms late, and microphones hear it some 10 to 50 ms late."""

BY_BUTTONS: Final = "calls are taken from buttons, keys and --calls"


@dataclass(frozen=True, slots=True)
class TableSounds:
    """The sounds of a table, opened.

    Attributes:
        source: All of them as one.
        listener: The network that hears calls in it.
        more_ms: By how much less well times are known because sound and pictures were never brought together.
        opened_s: What the monotonic clock showed when a microphone's time 0 was.
    """

    source: JoinedSound
    listener: Heats
    more_ms: int = 0
    opened_s: float = 0.0

    def close(self) -> None:
        """Release them; may be called twice."""
        self.source.close()


class NoSoundError(KempsVisionError):
    """A table has no sound that could be listened to; the text is one line for people."""


def open_sounds(
    table: TableConfig, where: str, *, listener: Heats | None = None, words: Path | None = None
) -> TableSounds:
    """The sounds that a table's configuration names, or else that of its table camera's source.

    Args:
        table: Its configuration.
        where: What the table camera watches.
        listener: The network; by default the one that comes with the product, beside what was learnt of the
            words of the table's house rules.
        words: Where learnt words are kept; the user's data folder by default.

    Raises:
        NoSoundError: There is no sound, or nothing to hear it with; the game goes on by buttons.
        SourceError: A sound that the configuration names cannot be opened.
    """
    own = table.table_camera
    wanted = table.sounds or (TableSound(offset_ms=own.offset_ms),)
    start_s = time.monotonic()
    with ExitStack() as opened:
        rows: list[tuple[SoundSource, Sequence[str]]] = []
        for sound in wanted:
            source = _open(sound, where, start_s, is_wanted=bool(table.sounds))
            opened.callback(source.close)
            rows.append((source, sound.seats))
        try:
            network = listener or house_listener(load_house(table.rules), words)
        except (ModelError, KempsVisionError, HouseError) as error:
            raise NoSoundError(f"calls are not listened for: {error}; {BY_BUTTONS}") from None
        joined = JoinedSound(rows)
        opened.pop_all()
    return TableSounds(joined, network, _more_ms(wanted, where), start_s)


def has_sound_track(where: str) -> bool:
    """Whether a recording has any sound."""
    try:
        with open_sound(where):
            return True
    except SourceError:
        return False


def _open(sound: TableSound, where: str, start_s: float, *, is_wanted: bool) -> SoundSource:
    offset_ms = float(sound.offset_ms or 0)
    if sound.source is None and not has_own_sound(where):
        raise NoSoundError(
            f"{where} has no sound of its own, and the table's [sound] names no microphone; {BY_BUTTONS}"
        )
    text = where if sound.source is None else sound.source
    try:
        return _placed(text, offset_ms, start_s)
    except SourceError as error:
        if is_wanted and sound.source is not None:
            raise
        raise NoSoundError(f"{str(error).partition(';')[0]}; {BY_BUTTONS}") from None


def _placed(text: str, offset_ms: float, start_s: float) -> SoundSource:
    if text == MICROPHONE or text.startswith(f"{MICROPHONE}:"):
        from kemps_vision.hearing.microphone import Microphone  # noqa: PLC0415 - its library is optional

        return Microphone(text.partition(":")[2], offset_ms=offset_ms, start_s=start_s)
    source = open_sound(text, offset_ms=offset_ms)
    return ArrivingSound(source, start_s) if source.is_live else source


def _more_ms(wanted: Sequence[TableSound], where: str) -> int:
    """Sound that comes with the pictures is in step; another device's is, once a clap was measured."""
    is_apart = any(sound.source is not None and sound.source != where for sound in wanted)
    is_measured = all(sound.offset_ms is not None for sound in wanted if sound.source is not None)
    is_stream = kind_of(where) == "stream" and any(sound.source is None for sound in wanted)
    return UNMEASURED_MS if (is_apart and not is_measured) or is_stream else 0


class ArrivingSound(PassedSound):
    """A stream's sound by the moment at which it arrived, as the pictures of a stream are stamped, too."""

    def __init__(self, source: SoundSource, start_s: float) -> None:
        super().__init__(source)
        self._start_s = start_s
        self.is_live = True

    def __iter__(self) -> Iterator[SoundBlock]:
        """The blocks, the first of which ends now."""
        shift_ms: float | None = None
        for block in self._source:
            if shift_ms is None:
                shift_ms = 1000 * (time.monotonic() - self._start_s) - block.end_ms
            yield SoundBlock(block.at_ms + shift_ms, block.samples, block.off_ms)
