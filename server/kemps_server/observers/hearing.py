"""The ears of a table while it is played: its microphones, or the sound of its stream or clip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kemps_server.observers.played_clip import PlayedClip
from kemps_server.observers.table_settings import TableSettings
from kemps_server.people import PeopleWatch
from kemps_server.sound.ears import LiveEars
from kemps_server.sound.notes import may_listen
from kemps_server.sound.opening import NoSoundError, has_sound_track, open_sounds
from kemps_vision.errors import SourceError
from kemps_vision.frame import FrameSource
from kemps_vision.sources import kind_of
from kemps_vision.zones import TableConfig


def table_ears(
    config: TableConfig,
    settings: TableSettings,
    source: FrameSource,
    folder: Path,
    people: PeopleWatch | None,
    tell: Callable[[str], None],
    words: Path | None = None,
) -> LiveEars | None:
    """What hears the calls of a table; None where nothing is heard: the game goes on by its buttons.

    Args:
        config: The table's.
        settings: How it is watched.
        source: The table camera, opened.
        folder: The game's.
        people: Whoever sees the players' mouths.
        tell: Hears why nothing is heard where something should be, a line each.
        words: Where learnt words of the house are kept; the user's data folder by default.
    """
    where = config.table_camera.source or ""
    if not (settings.listen and may_listen(config)):
        return None
    if not config.sounds and kind_of(where) == "file" and not has_sound_track(where):
        return None
    try:
        sounds = open_sounds(config, where, words=words)
    except (NoSoundError, SourceError) as error:
        tell(str(error))
        return None
    is_own = not config.sounds or any(sound.source is None for sound in config.sounds)
    return LiveEars(
        sounds,
        folder,
        tell,
        namer=None if people is None or not people.faces else people.mouths.name,
        pace=source.film_at if isinstance(source, PlayedClip) and is_own else None,
    )
