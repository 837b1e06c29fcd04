"""Live games by made-up cameras: recorded, watched again to the same bytes, cameras that come and go.

The cameras' clock passes only when they are read, and they are read when the watcher has looked: nothing here
depends on how fast a machine is.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from kemps_rules.events import Called, Event, Gesture, NotObserved
from kemps_rules.journal import read_journal
from kemps_server.errors import KempsServerError
from kemps_server.people import OtherCamera, PeopleWatch
from kemps_server.recording.disk import HELD, RecordingState
from kemps_server.recording.status import LiveStatus, Meter
from kemps_server.rows import LiveOptions
from kemps_server.watching import Mode, Summary, watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.reading import Reading
from kemps_vision.frame import Image
from kemps_vision.sources import RecordedGame, open_source
from kemps_vision.sources.segments import segments_in
from kemps_vision.sources.webcam import Webcam
from kemps_vision.zones import load_config

pytestmark = pytest.mark.long

WIDTH, HEIGHT, FPS = 96, 64, 15
CLIPS = Path(__file__).resolve().parent.parent.parent / "samples" / "clips"


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


class Film:
    """A camera that shows pictures one after the other, each when it is allowed; ``gone`` are not sent.

    One that sets the clock lets 1/15 s pass with each picture.
    """

    def __init__(
        self,
        clock: Clock,
        picture: Callable[[int], Image],
        *,
        sets_clock: bool = True,
        gone: range = range(0),
    ) -> None:
        self.clock = clock
        self.shown = 0
        self._picture = picture
        self._sets_clock = sets_clock
        self._gone = gone
        self._allowed = threading.Semaphore(1)  # the one by which it is opened

    def allow(self, count: int) -> None:
        self._allowed.release(count)

    def open(self, _: str) -> Film:
        return self

    def read(self) -> tuple[bool, Image | None]:
        if not self._allowed.acquire(timeout=0.02):
            return False, None
        self.shown += 1
        if self._sets_clock:
            self.clock.now += 1 / FPS
        if self.shown in self._gone:
            return False, None
        return True, self._picture(self.shown)

    def get(self, prop: int) -> float:
        return float(FPS) if prop == cv2.CAP_PROP_FPS else 0.0

    def release(self) -> None:
        """Nothing to let go."""


def scene(seed: int) -> Callable[[int], Image]:
    """Noise that changes with each picture, so that every picture has a mean of its own; BGR."""
    rng = np.random.default_rng(seed)
    ground = rng.integers(40, 200, (HEIGHT, WIDTH, 3)).astype(np.uint8)

    def picture(number: int) -> Image:
        pixels = ground.copy()
        pixels[:, number * 7 % 80 : number * 7 % 80 + 14] = (number * 31 % 256, number * 17 % 256, 80)
        return pixels

    return picture


class NoCards:
    """Reads nothing."""

    def read(
        self, pixels: Image, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        del pixels, card_length_px, alphabet
        return Reading((), unread=0, face_down=0, alphabet="international", ms=0.0)


class Means:
    """Stands for whatever looks at people: tells the mean of each picture, so that no pixel may differ."""

    def __init__(self, seat: str) -> None:
        self.hands: list[object] = []
        self.faces: dict[str, object] = {}
        self._seat = seat
        self._sum = 0.0

    def step(self, at_ms: int, pixels: Image, *_: object) -> list[Event]:
        self._sum += float(pixels.mean())
        return [
            Gesture(
                at_ms=at_ms,
                until_ms=at_ms + 1,
                seat=self._seat,
                gesture="smile",
                strength=round(float(pixels.astype(np.int64).sum() % 99991) / 99991, 5),
            )
        ]

    def tips_at(self, _: int) -> list[object]:
        """No hand is seen."""
        return []

    def finish(self) -> list[Event]:
        return [
            Gesture(at_ms=0, until_ms=1, seat=self._seat, gesture="nod", strength=round(self._sum % 1, 6))
        ]


def people_of(others: Sequence[OtherCamera] = ()) -> PeopleWatch:
    hands: Any = Means("A")
    faces: Any = {other.name: Means("B") for other in others}
    return PeopleWatch(hands, faces, others)


class Run:
    """A live game of one or two films, stopped after ``length`` pictures of the table's."""

    def __init__(self, length: int, *, step: Callable[[int], int] = lambda _: 1) -> None:
        self.clock = Clock()
        self.length = length
        self.step = step
        self.told: list[str] = []
        self.states: list[LiveStatus] = []
        self.films: list[Film] = []
        self.seen = 0

    def film(self, seed: int, **more: Any) -> Film:  # noqa: ANN401 - of Film
        made = Film(self.clock, scene(seed), sets_clock=not self.films, **more)
        self.films.append(made)
        return made

    def options(self, **more: Any) -> LiveOptions:  # noqa: ANN401 - of LiveOptions
        return LiveOptions(clock=self.clock, tell=self.told.append, on_status=self.on_status, **more)

    def webcam(self, film: Film, camera: str = "table", **more: Any) -> Webcam:  # noqa: ANN401 - of Webcam
        return Webcam("3", camera=camera, opener=film.open, clock=self.clock, reopen_every_ms=0, **more)

    def on_status(self, status: LiveStatus) -> None:
        if not self.states:  # the watching has begun
            for film in self.films:
                film.allow(1)
        self.states.append(status)

    def on_frame(self, *_: object) -> None:
        self.seen += 1
        if self.films[0].shown >= self.length:
            raise KeyboardInterrupt
        for film in self.films:
            film.allow(self.step(self.seen))


def live_of(run: Run, out: Path, *, two: bool = True, **more: Any) -> Summary:  # noqa: ANN401 - of LiveOptions
    table = run.webcam(run.film(1))
    with table:
        others = []
        if two:
            others = [OtherCamera("faces", run.webcam(run.film(2), "faces"), ahead_ms=20)]
        return watch(
            table,
            out,
            reader=NoCards(),
            people=people_of(others),
            on_frame=run.on_frame,
            live=run.options(**more),
        )


def again(folder: Path, out: Path, mode: Mode = Mode.NEW) -> Summary:
    game = RecordedGame(folder)
    others = [
        OtherCamera(name, camera, camera.ahead_ms)
        for name, camera in game.cameras.items()
        if camera is not game.table
    ]
    source = open_source(str(folder))
    return watch(source, out, reader=NoCards(), people=people_of(others), mode=mode)


@pytest.mark.parametrize("step", [lambda _: 1, lambda n: 3 if n % 4 == 0 else 1])
def test_a_recorded_game_watched_again_gives_the_same_journal(
    tmp_path: Path, step: Callable[[int], int]
) -> None:
    run = Run(90, step=step)
    summary = live_of(run, tmp_path / "live")
    assert not summary.is_whole
    journal = (tmp_path / "live" / "game.jsonl").read_bytes()
    kinds = [event.kind for event in read_journal(tmp_path / "live" / "game.jsonl")]
    assert kinds.count("gesture") > 60
    seats = {
        event.seat for event in read_journal(tmp_path / "live" / "game.jsonl") if isinstance(event, Gesture)
    }
    assert seats == {"A", "B"}
    whole = again(tmp_path / "live", tmp_path / "again")
    assert whole.is_whole
    assert (tmp_path / "again" / "game.jsonl").read_bytes() == journal
    assert whole.notes == ()


def test_frames_that_came_too_fast_are_counted_and_recorded_all_the_same(tmp_path: Path) -> None:
    run = Run(80, step=lambda _: 4)
    summary = live_of(run, tmp_path / "live", two=False)
    recorded = [frame.at_ms for frame in RecordedGame(tmp_path / "live").table]
    assert summary.dropped > 10
    assert len(recorded) > summary.frames + 10
    # The camera sends on while the row ends: a few more frames may come after the last status.
    assert 10 < run.states[-1].cameras[0].dropped <= summary.dropped


def test_the_cameras_are_noted_and_a_stranger_reads_no_password(tmp_path: Path) -> None:
    live_of(Run(20), tmp_path / "live")
    note = json.loads((tmp_path / "live" / "recording.json").read_text())
    assert [(one["name"], one["role"], one["size"], one["ahead_ms"]) for one in note["cameras"]] == [
        ("table", "table", [WIDTH, HEIGHT], 0),
        ("faces", "faces", [WIDTH, HEIGHT], 20),
    ]
    assert all(segments_in(tmp_path / "live" / "video" / name) for name in ("table", "faces"))


def test_without_recording_there_is_no_video_and_the_status_says_so(tmp_path: Path) -> None:
    run = Run(20)
    live_of(run, tmp_path / "live", two=False, record=False)
    assert not (tmp_path / "live" / "video").exists()
    assert not (tmp_path / "live" / "frames.idx").exists()
    assert run.states[-1].recording == "off"


def test_the_status_of_a_running_game_lies_beside_it(tmp_path: Path) -> None:
    run = Run(60)
    live_of(run, tmp_path / "live")
    last = json.loads((tmp_path / "live" / "live.json").read_text())
    assert last["is_running"] is False
    assert [camera["name"] for camera in last["cameras"]] == ["table", "faces"]
    assert last["recording"] == "on"
    assert len(run.states) >= 3
    assert run.states[0].is_running
    assert "ms behind" in run.states[0].line()
    assert "recorded" in run.states[0].line()


def test_a_table_camera_that_vanishes_is_told_within_two_seconds_and_comes_back(tmp_path: Path) -> None:
    run = Run(120)
    gone = range(40, 90)
    table = run.webcam(run.film(1, gone=gone))
    with table:

        def unstick() -> None:
            # Nobody asks for pictures while there are none: let time pass all the same.
            while run.films[0].shown < 119:
                if run.films[0].shown in range(38, 92):
                    run.films[0].allow(1)
                time.sleep(0.005)

        helper = threading.Thread(target=unstick, daemon=True)
        helper.start()
        watch(
            table,
            tmp_path / "live",
            reader=NoCards(),
            people=people_of(),
            on_frame=run.on_frame,
            live=run.options(),
        )
        helper.join(5)
    lost = [status.cameras[0].silent_ms for status in run.states if status.cameras[0].state == "lost"]
    assert lost
    assert "LOST: table" in next(s.line() for s in run.states if s.cameras[0].state == "lost")
    assert "stopped sending (unplugged?)" in run.told[0]
    assert "is back after" in run.told[1]
    (span,) = [e for e in read_journal(tmp_path / "live" / "game.jsonl") if isinstance(e, NotObserved)]
    assert span.camera == "table"
    assert abs(span.at_ms - 38 * 1000 / FPS) < 200
    assert abs((span.until_ms or 0) - span.at_ms - 51 * 1000 / FPS) < 200
    again(tmp_path / "live", tmp_path / "again")
    assert (tmp_path / "again" / "game.jsonl").read_bytes() == (tmp_path / "live" / "game.jsonl").read_bytes()


def test_a_face_camera_that_vanishes_for_good_does_not_stop_the_table(tmp_path: Path) -> None:
    run = Run(120)
    table = run.webcam(run.film(1))
    faces = run.webcam(run.film(2, gone=range(30, 1000)), "faces")
    with table, faces:
        watch(
            table,
            tmp_path / "live",
            reader=NoCards(),
            people=people_of([OtherCamera("faces", faces)]),
            on_frame=run.on_frame,
            live=run.options(),
        )
    assert run.seen > 100
    assert any("faces" not in line and "stopped sending" in line for line in run.told)
    spans = [e for e in read_journal(tmp_path / "live" / "game.jsonl") if isinstance(e, NotObserved)]
    assert [span.camera for span in spans] == ["faces"]
    assert (spans[0].until_ms or 0) >= 7500
    again(tmp_path / "live", tmp_path / "again")
    assert (tmp_path / "again" / "game.jsonl").read_bytes() == (tmp_path / "live" / "game.jsonl").read_bytes()


def test_a_full_disk_is_a_state_and_the_journal_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "kemps_server.recording.recorder.Recorder.__init__.__kwdefaults__", {"free": lambda _: 10}
    )
    run = Run(60)
    live_of(run, tmp_path / "live", two=False)
    assert run.states[-1].recording == RecordingState.FULL
    assert [line for line in run.told if "the disk is full" in line]
    assert len([e for e in read_journal(tmp_path / "live" / "game.jsonl") if e.kind == "gesture"]) > 50


def test_calls_made_meanwhile_are_told_held_and_told_again(tmp_path: Path) -> None:
    run = Run(90)
    waiting = [Called(at_ms=2000, seat="C", call="kemps", uncertainty_ms=50)]

    def calls() -> list[Called]:
        if run.films[0].shown < 35:
            return []
        made, waiting[:] = waiting[:], []
        return made

    live_of(run, tmp_path / "live", two=False, calls=calls)
    events = read_journal(tmp_path / "live" / "game.jsonl").events
    assert [event.at_ms for event in events if isinstance(event, Called)] == [2000]
    assert json.loads((tmp_path / "live" / HELD).read_text())["from_ms"] == 0
    again(tmp_path / "live", tmp_path / "again")
    assert (tmp_path / "again" / "game.jsonl").read_bytes() == (tmp_path / "live" / "game.jsonl").read_bytes()


def test_a_call_taken_back_meanwhile_is_withdrawn_live_and_when_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, call = Run(40), Called(at_ms=500, seat="C", call="kemps", uncertainty_ms=50)
    made, back, forgotten = [call], [call], []
    monkeypatch.setattr("kemps_vision.pipeline.Observer.withdraw_call", lambda _, one: forgotten.append(one))

    def calls() -> list[Called]:
        taken, made[:] = made[:], []
        return taken

    def withdrawn() -> list[Called]:
        if run.films[0].shown < 25:
            return []
        taken, back[:] = back[:], []
        return taken

    live_of(run, tmp_path / "live", two=False, calls=calls, withdrawn=withdrawn)
    assert forgotten == [call]
    again(tmp_path / "live", tmp_path / "again")
    assert forgotten == [call, call]


def test_a_game_that_was_cut_short_is_made_whole_from_its_recording(tmp_path: Path) -> None:
    live_of(Run(60), tmp_path / "live")
    journal = tmp_path / "live" / "game.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:20]))
    note = (tmp_path / "live" / "recording.json").read_bytes()
    again(tmp_path / "live", tmp_path / "live", Mode.RESUME)
    assert journal.read_bytes() == whole
    assert (tmp_path / "live" / "recording.json").read_bytes() == note
    again(tmp_path / "live", tmp_path / "live", Mode.OVERWRITE)
    assert journal.read_bytes() == whole
    assert segments_in(tmp_path / "live" / "video" / "table")


def test_a_recording_is_not_mixed_with_another(tmp_path: Path) -> None:
    live_of(Run(30), tmp_path / "live", two=False)
    (tmp_path / "live" / "game.jsonl").unlink()
    with pytest.raises(KempsServerError, match="there is a recording in this folder"):
        live_of(Run(30), tmp_path / "live", two=False)


def test_frames_that_are_deleted_are_missed_and_counted(tmp_path: Path) -> None:
    live_of(Run(90), tmp_path / "live", two=False)
    segments_in(tmp_path / "live" / "video" / "table")[1].path.unlink()
    summary = again(tmp_path / "live", tmp_path / "again")
    assert len(summary.notes) == 1
    assert "frames that were used are not in the recording" in summary.notes[0]


def test_latency_is_measured_from_capture_to_journal(tmp_path: Path) -> None:
    class Kept(Meter):
        def __init__(self) -> None:
            super().__init__()
            self.events: list[int] = []

        def event(self, latency_ms: int) -> None:
            self.events.append(latency_ms)

    meter = Kept()
    summary = live_of(Run(30), tmp_path / "live", two=False, meter=meter)
    assert len(meter.events) == summary.events
    assert 0 <= max(meter.events) < 1000


def film_of(path: Path, count: int) -> list[Image]:
    """The first pictures of a clip, BGR, no two alike: a camera that repeats itself has died."""
    with open_source(str(path)) as source:
        pictures = [
            np.ascontiguousarray(frame.pixels[:, :, ::-1])
            for frame, _ in zip(source, range(count), strict=False)
        ]
    for number, pixels in enumerate(pictures):
        pixels[:2, :2] = number
    return pictures


@pytest.mark.e2e
def test_a_real_game_is_understood_live_and_told_again_to_the_byte(tmp_path: Path) -> None:
    config = load_config(CLIPS / "swap_lay_first.table.toml")
    pictures = film_of(CLIPS / "swap_lay_first.mp4", 63)
    clock = Clock()
    film = Film(clock, lambda number: pictures[min(number, len(pictures)) - 1])

    def begin(status: LiveStatus) -> None:
        if status.at_ms == 0:
            film.allow(1)

    def on_frame(*_: object) -> None:
        if film.shown >= len(pictures):
            raise KeyboardInterrupt
        film.allow(1)

    options = LiveOptions(clock=clock, tell=lambda _: None, on_status=begin)
    with Webcam("3", opener=film.open, clock=clock) as source:
        watch(
            source,
            tmp_path / "live",
            config,
            reader=default_reader(threads=1),
            on_frame=on_frame,
            live=options,
        )
    live = read_journal(tmp_path / "live" / "game.jsonl")
    assert {"centre_turned", "card_laid", "card_taken"} <= {event.kind for event in live}
    with open_source(str(tmp_path / "live")) as recorded:
        watch(recorded, tmp_path / "again", config, reader=default_reader(threads=1))
    assert (tmp_path / "again" / "game.jsonl").read_bytes() == (tmp_path / "live" / "game.jsonl").read_bytes()


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import test_live_watching as t
run = t.Run(10**6)
seen = run.on_frame
def on_frame(*_):
    seen()
    print(run.films[0].shown * 1000 // t.FPS, flush=True)
run.on_frame = on_frame
t.live_of(run, Path({folder!r}))
"""


def test_a_game_that_was_killed_is_told_again_up_to_its_last_two_seconds(tmp_path: Path) -> None:
    out = tmp_path / "live"
    program = KILLED.format(tests=str(Path(__file__).parent), folder=str(out))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        last_ms = next((int(line) for line in process.stdout if int(line) > 6000), 0)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
    last_ms = int(rest[-1]) if rest else last_ms
    killed = (out / "game.jsonl").read_bytes().splitlines()
    again(out, tmp_path / "again")
    told = (tmp_path / "again" / "game.jsonl").read_bytes().splitlines()
    same = next(
        (n for n, (one, other) in enumerate(zip(killed, told, strict=False)) if one != other), len(told)
    )
    assert json.loads(told[same - 1])["at_ms"] >= last_ms - 2000
    assert same >= 80
    assert json.loads((out / "live.json").read_text())["is_running"] is True
