"""Ears of a game: a recording in step with its pictures, live sound in a thread, and what is kept of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.vision.hearing.conftest import tones, write_sound

from kemps_models.errors import ManifestError
from kemps_rules.cards import Card
from kemps_rules.events import Called, CentreTurned, DealStarted
from kemps_server.forgetting.material import pieces_beside
from kemps_server.recording.disk import HeldSpan, hold
from kemps_server.rows import LiveOptions
from kemps_server.sound import opening
from kemps_server.sound.clips import kept_sounds, samples_of, wave_svg
from kemps_server.sound.ears import LiveEars, RecordedEars, hearing_too
from kemps_server.sound.opening import UNMEASURED_MS, NoSoundError, open_sounds
from kemps_vision.errors import SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import Listener
from kemps_vision.zones import TableConfig, parse_config

CARDS = tuple(Card.parse(name) for name in ("9c", "2h", "5d", "Js"))
TABLE = TableConfig()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return write_sound(tmp_path / "game.wav", tones(8.0, [("kemps", 2.0), ("stop", 5.0)])[None])


def begun(ears: RecordedEars | LiveEars) -> None:
    ears.told(1, DealStarted(at_ms=0, dealer=None))
    ears.told(2, CentreTurned(at_ms=100, cards=CARDS))


def heard_until(ears: RecordedEars, until_ms: int, step_ms: int = 66) -> list[tuple[int, Called]]:
    told = []
    for at_ms in range(0, until_ms, step_ms):
        told += [(at_ms, call) for call in ears.take(at_ms)]
    return told


def test_a_call_of_a_recording_is_known_at_the_frame_by_which_it_was_certain(
    game: Path, tmp_path: Path, tone_listener: Listener
) -> None:
    ears = RecordedEars(open_sounds(TABLE, str(game), listener=tone_listener), tmp_path)
    begun(ears)
    [(frame_ms, call), *_] = heard_until(ears, 4000)
    assert (call.call, call.seat, call.extra["source"]) == ("kemps", None, "heard")
    assert call.at_ms == pytest.approx(2000, abs=30)
    assert 0 <= frame_ms - call.at_ms <= 1700
    ears.close()


def test_the_last_call_is_heard_though_no_picture_is_left(
    game: Path, tmp_path: Path, tone_listener: Listener
) -> None:
    ears = RecordedEars(open_sounds(TABLE, str(game), listener=tone_listener), tmp_path)
    begun(ears)
    assert [call.call for _, call in heard_until(ears, 5100)] == ["kemps"]
    assert [call.call for call in ears.finish()] == ["stop"]


def test_a_call_that_is_given_is_not_heard_as_another(
    game: Path, tmp_path: Path, tone_listener: Listener
) -> None:
    given = Called(at_ms=2400, seat="C", call="kemps", uncertainty_ms=200)
    sounds = open_sounds(TABLE, str(game), listener=tone_listener)
    ears = RecordedEars(sounds, tmp_path, pressed=[given])
    begun(ears)
    assert heard_until(ears, 4000) == []


def test_the_sound_round_a_call_is_kept_with_its_line(
    game: Path, tmp_path: Path, tone_listener: Listener
) -> None:
    ears = RecordedEars(open_sounds(TABLE, str(game), listener=tone_listener), tmp_path)
    begun(ears)
    [(_, call)] = heard_until(ears, 4000)
    ears.told(7, call)
    kept = kept_sounds(tmp_path)[7]
    samples = samples_of(tmp_path / "evidence" / kept.file)
    onset = round((call.at_ms - kept.at_ms) * RATE / 1000)
    assert np.abs(samples[: onset - 800]).max() < 0.01
    assert np.abs(samples[onset : onset + 3200]).max() > 0.2
    svg = wave_svg(samples, kept.at_ms, call.at_ms, call.uncertainty_ms)
    assert svg.startswith("<svg")
    assert svg.count("wave-mark") == 1


def test_a_kept_sound_goes_with_the_recording_unless_its_moment_is_held(
    game: Path, tmp_path: Path, tone_listener: Listener
) -> None:
    folder = tmp_path / "beside"
    ears = RecordedEars(open_sounds(TABLE, str(game), listener=tone_listener), folder)
    begun(ears)
    [(_, call)] = heard_until(ears, 4000)
    ears.told(7, call)
    hold(folder, HeldSpan(60_000, 70_000, "another moment"))
    assert {piece.path.suffix: piece.is_held for piece in pieces_beside(folder)} == {
        ".wav": False,
        ".json": False,
    }
    hold(folder, HeldSpan(1000, 3000, "call"))
    assert all(piece.is_held for piece in pieces_beside(folder))


def test_a_clip_that_is_broken_or_of_another_kind_is_no_sound(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "00004-sound.wav").write_bytes(b"RIFF")
    assert kept_sounds(tmp_path) == {}  # nothing says when it began
    with pytest.raises(ValueError, match="is no sound"):
        samples_of(tmp_path / "evidence" / "00004-sound.wav")


def waited(take: Callable[[], list[Called]]) -> list[Called]:
    for _ in range(400):
        if found := list(take()):
            return found
        time.sleep(0.025)
    return []


def test_live_sound_is_told_among_the_buttons_on_the_games_clock(
    game: Path, tmp_path: Path, tone_listener: Listener
) -> None:
    now = threading.Event()

    def pace(film_ms: float) -> float | None:
        now.wait(10)
        return 500.0 if film_ms < 4000 else None

    sounds = open_sounds(TABLE, str(game), listener=tone_listener)
    ears = LiveEars(sounds, tmp_path, pytest.fail, pace=pace)
    button = Called(at_ms=400, seat="A", call="kemps", uncertainty_ms=500)
    buttons = [button]
    made = hearing_too(LiveOptions(calls=lambda: [buttons.pop()] if buttons else []), ears).calls
    assert made() == [button]
    begun(ears)
    now.set()
    [call] = waited(lambda: list(made()))
    assert (call.call, call.extra["source"]) == ("kemps", "heard")
    assert call.at_ms == pytest.approx(2500, abs=30)
    ears.close()


def test_no_network_is_one_line(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> Listener:
        raise ManifestError("the list of weights is missing")

    monkeypatch.setattr(opening, "house_listener", missing)
    with pytest.raises(NoSoundError, match=r"not listened for: the list .* buttons"):
        open_sounds(TABLE, str(game))


def test_what_has_no_sound_says_what_calls_are_taken_from(tmp_path: Path, tone_listener: Listener) -> None:
    silent = tmp_path / "silent.mp4"
    silent.write_bytes(b"")
    with pytest.raises(NoSoundError, match="buttons"):
        open_sounds(TABLE, str(silent), listener=tone_listener)
    with pytest.raises(NoSoundError, match="names no microphone"):
        open_sounds(TABLE, "0", listener=tone_listener)


def test_a_named_sound_that_is_not_there_is_an_error(tmp_path: Path, tone_listener: Listener) -> None:
    table = parse_config(f'[sound]\nsource = "{tmp_path}/none.wav"\n')
    with pytest.raises(SourceError, match="no such file"):
        open_sounds(table, "0", listener=tone_listener)


def test_sound_of_another_device_is_less_well_placed_until_somebody_clapped(
    game: Path, tone_listener: Listener
) -> None:
    def more(text: str) -> int:
        with open_sounds(parse_config(text), "table.mp4", listener=tone_listener).source:
            return open_sounds(parse_config(text), "table.mp4", listener=tone_listener).more_ms

    assert more(f'[sound]\nsource = "{game}"\n') == UNMEASURED_MS
    assert more(f'[sound]\nsource = "{game}"\noffset_ms = 80\n') == 0
    assert open_sounds(TABLE, str(game), listener=tone_listener).more_ms == 0
