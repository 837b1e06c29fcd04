"""Several devices as one sound: side by side on one clock, each its own channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
import pytest

from kemps_vision.errors import ConfigError, SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.joined import JoinedSound
from kemps_vision.hearing.listener import Listener
from kemps_vision.hearing.listening import Listening
from kemps_vision.hearing.sources import SampleClock, SoundBlock, SoundHealth, SoundSource
from kemps_vision.zones import parse_config

from .conftest import tones


class Device:
    """A microphone that tells its samples (n, channels) from a time on, in blocks of 70 ms."""

    is_live = True
    notes = ("unplugged",)

    def __init__(self, samples: np.ndarray, at_ms: float = 0.0, off_ms: float = 0.0) -> None:
        self.name, self.channels = "mic", samples.shape[1]
        self.health = SoundHealth(off_ms=off_ms)
        self._samples, self._at_ms = samples.astype(np.float32), at_ms
        self.is_closed = False

    def __iter__(self) -> Iterator[SoundBlock]:
        step = 1120
        for at in range(0, len(self._samples), step):
            yield SoundBlock(self._at_ms + 1000 * at / RATE, self._samples[at : at + step])

    def close(self) -> None:
        self.is_closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def whole(joined: JoinedSound) -> tuple[float, np.ndarray]:
    blocks = list(joined)
    return blocks[0].at_ms, np.concatenate([block.samples for block in blocks])


def devices(*rows: tuple[SoundSource, Sequence[str]]) -> JoinedSound:
    return JoinedSound(rows)


def test_what_sounded_together_stands_side_by_side() -> None:
    first = np.arange(1, 4801)[:, None] / 4800
    late = Device(np.ones((1600, 2)), at_ms=100)
    at_ms, samples = whole(devices((Device(first), ""), (late, "AB")))
    assert (at_ms, samples.shape) == (0.0, (4800, 3))
    assert np.allclose(samples[:, 0], first[:, 0])
    assert not samples[:1600, 1:].any()
    assert (samples[1600:3200, 1:] == 1).all()
    assert not samples[3200:, 1:].any()


def test_seats_are_those_of_the_channels_and_a_room_is_nobodys() -> None:
    joined = devices((Device(np.zeros((800, 2))), "CA"), (Device(np.zeros((800, 2)), off_ms=-9), ""))
    assert joined.seats == ("C", "A", None)
    assert joined.channels == 3
    assert joined.notes == ("unplugged", "unplugged")
    assert next(iter(joined)).off_ms == 9


def test_channels_and_seats_must_be_as_many() -> None:
    with pytest.raises(SourceError, match="has 2 channels, but 3 seats"):
        devices((Device(np.zeros((800, 2))), "ABC"))


def test_a_device_for_each_seat_names_the_caller(tone_listener: Listener) -> None:
    call = tones(4.0, [("kemps", 2.0)])[:, None]
    joined = devices((Device(0.1 * call, at_ms=20), "A"), (Device(call), "B"), (Device(0.3 * call), ""))
    calls = list(Listening(joined, seats=joined.seats, listener=tone_listener))
    assert [(call.heard.call, call.seat) for call in calls] == [("kemps", "B")]


def test_drift_of_a_clock_widens_what_is_known_of_a_calls_time(tone_listener: Listener) -> None:
    class Drifted(Device):
        def __iter__(self) -> Iterator[SoundBlock]:
            for block in super().__iter__():
                yield SoundBlock(block.at_ms, block.samples, 25.0)

    call = tones(4.0, [("kemps", 2.0)])[:, None]
    [one] = Listening(Drifted(call), listener=tone_listener)
    assert one.heard.uncertainty_ms == 40 + 25


def test_a_clock_knows_how_far_its_count_is_from_the_stamps() -> None:
    health = SoundHealth()
    clock = SampleClock(health)
    block = np.zeros((1600, 1), np.float32)
    for number in range(100):
        clock.placed(number * 100 * 1.0002, block)
    assert health.off_ms == pytest.approx(1.8, abs=0.3)
    clock.placed(30_000, block)
    assert (health.gaps, health.off_ms) == (1, 0.0)


SEATS = "".join(f'[[seat]]\nid = "{seat}"\n' for seat in "ABCD")


def test_a_table_names_one_sound_or_several() -> None:
    one = parse_config('[sound]\nsource = "mic"\noffset_ms = 82\n').sounds
    assert [(sound.source, sound.seats, sound.offset_ms) for sound in one] == [("mic", (), 82)]
    two = parse_config(f'{SEATS}[[sound]]\nsource = "mic:1"\nseats = "AC"\n[[sound]]\n').sounds
    assert [(sound.source, sound.seats, sound.offset_ms) for sound in two] == [
        ("mic:1", ("A", "C"), None),
        (None, (), None),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('sound = "mic"', "is written"),
        ('[sound]\nmicrophone = "mic"', "unknown key 'microphone'"),
        ('[sound]\nseats = "AA"', "a letter for each channel"),
        ('[[sound]]\nsource = "mic"\n[[sound]]\nsource = "mic"', "mic is given twice"),
        ("[[sound]]\n[[sound]]", "only one can be the table camera's own"),
        (f'{SEATS}[sound]\nseats = "AF"', "no seat F"),
        ('[[sound]]\nsource = "mic"\nseats = "A"\n[[sound]]\nseats = "A"', "seat A has two microphones"),
    ],
)
def test_a_sound_that_makes_no_sense_is_one_line(text: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        parse_config(text)
