"""Microphones, with a library that is none: what they say of time and of what is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kemps_vision.errors import SourceError
from kemps_vision.hearing import microphone
from kemps_vision.hearing.microphone import Microphone
from kemps_vision.hearing.sources import open_sound


class FakeLibrary:
    """A sound card whose clock began at 500 s; it sends ``blocks`` of (card's time, value) when started."""

    class PortAudioError(Exception):
        pass

    def __init__(self, blocks: list[tuple[float, float]], *, is_there: bool = True) -> None:
        self.blocks, self.is_there, self.closed = blocks, is_there, 0

    def query_devices(self, _device: object, _kind: str) -> dict[str, Any]:
        if not self.is_there:
            raise ValueError("No input device matching 'desk'")
        return {"max_input_channels": 2, "name": "Desk"}

    def InputStream(self, *, callback: Callable[..., None], **_: object) -> Any:  # noqa: ANN401, N802
        def start() -> None:
            for at_s, value in self.blocks:
                times = SimpleNamespace(inputBufferAdcTime=at_s)
                callback(np.full((800, 2), value, np.float32), 800, times, None)

        def close() -> None:
            self.closed += 1

        return SimpleNamespace(start=start, close=close, time=500.0)


def test_time_is_the_cards_and_lost_samples_are_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microphone, "SILENT_S", 0.01)
    monkeypatch.setattr("time.monotonic", lambda: 7.0)
    library = FakeLibrary([(500.0, 0.1), (500.05, 0.2), (500.3, 0.3)])
    with Microphone(library=library) as source:
        blocks = list(source)
    assert [block.at_ms for block in blocks] == pytest.approx([0, 50, 100])
    assert len(blocks[2].samples) == 800 + round(0.2 * 16000)
    assert source.channels == 2
    assert source.health.gaps == 1
    assert source.notes == (
        "Desk: stopped sending (unplugged?)",
        "Desk: 1 gaps in the sound, 0.2 s in all",
    )
    assert library.closed == 1


def test_a_microphone_that_is_not_there_is_one_line() -> None:
    with pytest.raises(SourceError, match=r"microphone desk: cannot be opened: No input device"):
        Microphone("desk", library=FakeLibrary([], is_there=False))


def test_without_the_library_the_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(SourceError, match="pip install sounddevice"):
        open_sound("mic:1")
