"""The ears of a game that is watched from the command line: opened beside its pictures, or not, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kemps_rules.events import Called
from kemps_server.people import PeopleWatch
from kemps_server.sound.ears import Ears, LiveEars, RecordedEars
from kemps_server.sound.opening import NoSoundError, TableSounds, open_sounds
from kemps_vision.errors import SourceError
from kemps_vision.frame import FrameSource
from kemps_vision.hearing.sources import MICROPHONE
from kemps_vision.hearing.table_sound import TableSound
from kemps_vision.zones import TableConfig


@contextmanager
def heard_beside(  # noqa: PLR0913 - whatever a game from the command line names
    source: FrameSource,
    out: Path,
    table: TableConfig,
    where: str,
    calls: Sequence[Called],
    people: PeopleWatch | None,
    *,
    tell: Callable[[str], None],
    wanted: bool = True,
    words: Path | None = None,
) -> Iterator[Ears | None]:
    """What hears the calls of the pictures of ``source``; None where nothing is heard, which is told.

    Args:
        source: The table camera's pictures.
        out: The game's folder.
        table: Its configuration.
        where: What the table camera watches.
        calls: Those that are given beside the pictures.
        people: Whoever sees the players' mouths.
        tell: Hears why nothing is heard: a line, unless the calls are given or cannot be heard anyhow.
        wanted: Whether to listen at all.
        words: Where learnt words of the house are kept; the user's data folder by default.

    Raises:
        SourceError: A sound that the configuration names cannot be opened, or is of another time.
    """
    sounds = _opened(source, table, where, words, is_told=not calls, tell=tell) if wanted else None
    if sounds is None:
        yield None
        return
    namer = None if people is None or not people.faces else people.mouths.name
    ears: Ears = (
        LiveEars(sounds, out, tell, namer=namer)
        if source.info.is_live
        else RecordedEars(sounds, out, pressed=calls, namer=namer)
    )
    try:
        yield ears
    finally:
        ears.close()


def _opened(
    source: FrameSource,
    table: TableConfig,
    where: str,
    words: Path | None,
    *,
    is_told: bool,
    tell: Callable[[str], None],
) -> TableSounds | None:
    kind = source.info.kind
    if not table.sounds and kind not in {"file", "stream"}:
        return None  # a camera's picture has no sound, and of a recorded game the calls are known
    if kind == "recording":
        return None
    for sound in table.sounds:
        _check_time(sound, is_live=source.info.is_live)
    try:
        return open_sounds(table, where, words=words)
    except NoSoundError as error:
        if is_told or table.sounds:
            tell(str(error))
        return None


def _check_time(sound: TableSound, *, is_live: bool) -> None:
    if sound.source is None:
        return
    is_heard_now = sound.source.split(":")[0] == MICROPHONE or "://" in sound.source
    if is_heard_now != is_live:
        raise SourceError(
            f"the table's sound {sound.source} is {'live' if is_heard_now else 'a recording'} "
            f"and its pictures are {'live' if is_live else 'a recording'}; "
            "name the sound of the same time in [sound], or give --no-audio"
        )
