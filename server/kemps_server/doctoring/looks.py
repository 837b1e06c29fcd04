"""Frames of a source: a while watched for their pace, and now and then read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_server.doctoring.light import Light, brightness, measure_light, picture_light
from kemps_server.doctoring.sharpness import median_blur
from kemps_vision.cards.reading import CardReader, CardReading, Reading
from kemps_vision.frame import Frame, FrameSource, Image, SourceInfo

PACE_MS: Final = 2000  # frames are timed for so long before the first is read, which would slow them down
ENOUGH: Final = 10  # looks with cards
LONGEST_MS: Final = 60_000  # of a recording, whose table may be empty at first
LONGEST_LIVE_MS: Final = 12_000
_EVERY_MS: Final = 1000
_EVERY_LIVE_MS: Final = 500


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One frame that was read.

    Attributes:
        at_ms: Its time.
        reading: The cards in it.
        light: On the cards, or of the whole picture when there are none.
        blur_px: How blurred the cards are; None without cards.
        read_ms: How long a reading takes now that the size of the cards is known; None without cards.
        pixels: The frame, RGB (h, w, 3).
    """

    at_ms: int
    reading: Reading
    light: Light
    blur_px: float | None
    read_ms: float | None
    pixels: Image = field(default_factory=lambda: np.zeros((0, 0, 3), np.uint8), repr=False)

    @property
    def cards(self) -> tuple[CardReading, ...]:
        """The cards that are measured."""
        return cards_to_measure(self.reading)

    @property
    def quads(self) -> list[NDArray[np.float64]]:
        """The quads of these, in px."""
        return [card.quad for card in self.cards]


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """What was seen of a source.

    Attributes:
        info: Its name and size.
        times_ms: Of the frames in the first seconds.
        levels: How bright each of those was, 0..255.
        looks: The frames that were read.
        notes: What went wrong on the way, a line each.
    """

    info: SourceInfo
    times_ms: tuple[int, ...]
    levels: tuple[float, ...]
    looks: tuple[Look, ...]
    notes: tuple[str, ...] = ()


def see(source: FrameSource, reader: CardReader, *, most_ms: int | None = None) -> Sighting:
    """Watches a source until enough looks at it showed cards, or for as long as is sensible.

    Args:
        source: What is watched.
        reader: Reads the cards.
        most_ms: How long is sensible; else a minute of a recording, twelve seconds of a camera.

    Raises:
        SourceError: The camera vanished.
    """
    info = source.info
    is_stills = info.kind == "stills"
    every_ms = 0 if is_stills else _EVERY_LIVE_MS if info.is_live else _EVERY_MS
    next_ms = 0 if is_stills else PACE_MS
    longest_ms = most_ms or (LONGEST_LIVE_MS if info.is_live else LONGEST_MS)
    times: list[int] = []
    levels: list[float] = []
    looks: list[Look] = []
    frame: Frame | None = None
    for frame in source:
        if frame.at_ms <= PACE_MS and not is_stills:
            times.append(frame.at_ms)
            levels.append(brightness(frame.pixels))
        if frame.at_ms >= next_ms:
            looks.append(look_at(frame, reader))
            next_ms = frame.at_ms + every_ms
        if sum(bool(look.reading.cards) for look in looks) >= ENOUGH or frame.at_ms >= longest_ms:
            break
    if not looks and frame is not None:
        looks.append(look_at(frame, reader))  # a clip that is over before its first look
    return Sighting(info, tuple(times), tuple(levels), tuple(looks), source.notes)


def cards_to_measure(reading: Reading) -> tuple[CardReading, ...]:
    """The cards that were named, whose place is surest; those that were only seen where none was."""
    return reading.known or reading.cards


def look_at(frame: Frame, reader: CardReader) -> Look:
    """A frame read, with the light on its cards and their sharpness."""
    reading = reader.read(frame.pixels)
    quads = [card.quad for card in cards_to_measure(reading)]
    light = measure_light(frame.pixels, quads) or picture_light(frame.pixels)
    length_px = reading.card_length_px
    again = None if length_px is None else reader.read(frame.pixels, card_length_px=length_px)
    blur_px = median_blur(frame.pixels, quads)
    return Look(frame.at_ms, reading, light, blur_px, None if again is None else again.ms, frame.pixels)
