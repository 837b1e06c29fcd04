"""Pictures into short files and back, budget, reserve and what is held; disks are injected, never filled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from kemps_rules.events import Called
from kemps_server.errors import KempsServerError
from kemps_server.recording.disk import HELD, RESERVE, Disk, HeldSpan, RecordingState, bytes_of, hold
from kemps_server.recording.encoding import RoundTrip
from kemps_server.recording.recorder import CameraTap, Recorder
from kemps_server.recording.segments import SegmentWriter
from kemps_vision.frame import Image, SourceInfo
from kemps_vision.sources.frames_index import Used, read_frames_index
from kemps_vision.sources.live import Coded, Raw
from kemps_vision.sources.recorded import RecordedCamera, folder_name
from kemps_vision.sources.segments import (
    Segment,
    find_moment,
    holes_in,
    pictures_of,
    segment_name,
    segments_in,
)

WIDTH, HEIGHT, FPS = 128, 96, 15
INFO = SourceInfo(name="camera 0", where="0", kind="webcam", width=WIDTH, height=HEIGHT, fps=FPS)
PLENTY = 10**12


def picture(number: int) -> Image:
    """A quiet background with a bar that walks; BGR."""
    pixels = np.full((HEIGHT, WIDTH, 3), (90, 110, 130), np.uint8)
    pixels[20:60, number * 3 % 110 : number * 3 % 110 + 12] = (30, 200, 240)
    return pixels


def times(count: int, start_ms: int = 0) -> list[int]:
    return [start_ms + round(n * 1000 / FPS) for n in range(count)]


class Lines(list[str]):
    """What people were told."""

    def __call__(self, line: str) -> None:
        self.append(line)


def disk_of(
    folder: Path, told: Lines, *, budget: int = PLENTY, free: Callable[[Path], int] = lambda _: PLENTY
) -> Disk:
    return Disk(folder, budget, told, free=free)


def record(folder: Path, disk: Disk, at: list[int]) -> list[tuple[int, Image]]:
    """Records pictures at times; gives what was watched, RGB."""
    tap = CameraTap(folder, INFO, disk)
    watched = []
    for number, at_ms in enumerate(at):
        shown = tap.encode(at_ms, picture(number))
        assert shown is not None
        watched.append((at_ms, shown.rgb()))
    tap.close()
    return watched


def recorded(folder: Path) -> list[tuple[int, Image]]:
    """What is in the files, RGB."""
    return [
        (timed.at_ms, timed.frame.to_ndarray(format="rgb24").astype(np.uint8))
        for segment in segments_in(folder)
        for timed in pictures_of(segment)
    ]


def test_what_was_watched_is_what_was_recorded_to_the_pixel_and_the_millisecond(tmp_path: Path) -> None:
    watched = record(tmp_path / "v", disk_of(tmp_path, Lines()), times(100, start_ms=740))
    again = recorded(tmp_path / "v")
    assert [at_ms for at_ms, _ in again] == [at_ms for at_ms, _ in watched]
    assert all(np.array_equal(one, other) for (_, one), (_, other) in zip(watched, again, strict=True))


def test_files_are_two_seconds_and_named_by_their_first_and_last_frame(tmp_path: Path) -> None:
    at = times(15 * 9)
    record(tmp_path / "v", disk_of(tmp_path, Lines()), at)
    segments = segments_in(tmp_path / "v")
    assert [segment.path.name for segment in segments] == [
        segment_name(segment.at_ms, segment.until_ms) for segment in segments
    ]
    assert segments[0].at_ms == 0
    assert segments[-1].until_ms == at[-1]
    assert all(1500 <= b.at_ms - a.at_ms <= 2500 for a, b in pairwise(segments))
    assert holes_in(segments, 100) == []


def test_each_file_begins_with_a_key_picture_and_has_one_each_second(tmp_path: Path) -> None:
    record(tmp_path / "v", disk_of(tmp_path, Lines()), times(15 * 6))
    for segment in segments_in(tmp_path / "v"):
        with av.open(str(segment.path)) as container:
            assert {"mp4", "isom"} & set(container.format.name.split(","))
            stream = container.streams.video[0]
            packets = [packet for packet in container.demux(stream) if packet.size]
            assert packets[0].is_keyframe
            keys = [float((p.pts or 0) * p.time_base) for p in packets if p.is_keyframe]
            ends = [*keys, float((packets[-1].pts or 0) * packets[-1].time_base)]
            assert max(b - a for a, b in pairwise(ends)) <= 1.0
        moofs = segment.path.read_bytes().count(b"moof")
        assert moofs == len(keys)  # fragments: what follows a broken one is lost, nothing before it


def test_a_file_cut_off_anywhere_after_its_first_second_still_plays_up_to_there(tmp_path: Path) -> None:
    watched = record(tmp_path / "v", disk_of(tmp_path, Lines()), times(27))
    (segment,) = segments_in(tmp_path / "v")
    data = segment.path.read_bytes()
    second = data.index(b"moof", data.index(b"moof") + 4) - 4
    broken = Segment(0, None, tmp_path / segment_name(0))
    for size in (second, second + 50, len(data) - 5):
        broken.path.write_bytes(data[:size])
        found = list(pictures_of(broken))
        assert len(found) >= 14
        assert [timed.at_ms for timed in found] == [at_ms for at_ms, _ in watched[: len(found)]]


def test_any_moment_is_found_with_the_second_to_seek_to(tmp_path: Path) -> None:
    at = [*times(45), *times(20, start_ms=9000)]
    record(tmp_path / "v", disk_of(tmp_path, Lines()), at)
    segments = segments_in(tmp_path / "v")
    found = find_moment(segments, 2500)
    assert found is not None
    segment, second = found
    assert segment == segments[1]
    assert segment.at_ms + second * 1000 == 2500
    assert find_moment(segments, 5000) is None
    assert find_moment(segments, 99_000) is None


def test_after_a_gap_a_new_file_begins(tmp_path: Path) -> None:
    at = [*times(20), *times(20, start_ms=9000)]
    watched = record(tmp_path / "v", disk_of(tmp_path, Lines()), at)
    segments = segments_in(tmp_path / "v")
    assert [segment.at_ms for segment in segments] == [0, 9000]
    assert holes_in(segments, 1900) == [(at[19], 9000)]
    assert [at_ms for at_ms, _ in recorded(tmp_path / "v")] == [at_ms for at_ms, _ in watched]


def test_pictures_that_need_later_ones_keep_their_times(tmp_path: Path) -> None:
    """A camera that sends B-frames: stored order is not the order of times."""
    source = tmp_path / "b.h264.mp4"
    at = times(60)
    with av.open(str(source), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"g": "15", "bf": "2", "b-adapt": "0"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(60):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture(number), format="bgr24")))
        container.mux(stream.encode())
    writer = SegmentWriter(tmp_path / "v", (WIDTH, HEIGHT), FPS, disk_of(tmp_path, Lines()))
    expected = []
    with av.open(str(source)) as container:
        stream_in = container.streams.video[0]
        annex_b = av.bitstream.BitStreamFilterContext("h264_mp4toannexb,dump_extra=freq=keyframe", stream_in)
        for packet in container.demux(stream_in):
            if not packet.size or packet.pts is None or packet.dts is None:
                continue
            at_ms = round(packet.pts * packet.time_base * 1000)
            dts_ms = round(packet.dts * packet.time_base * 1000)
            is_key = packet.is_keyframe
            for made in annex_b.filter(packet):
                writer.add(Coded(bytes(made), at_ms, dts_ms, is_key))
            expected.append(at_ms)
    writer.close()
    assert sorted(expected) == at
    assert [at_ms for at_ms, _ in recorded(tmp_path / "v")] == sorted(expected)
    assert len(segments_in(tmp_path / "v")) == 2


def test_the_oldest_files_go_when_the_budget_is_used_up_and_held_ones_stay(tmp_path: Path) -> None:
    told = Lines()
    hold(tmp_path, HeldSpan(2500, 3000, "a case"))
    record(tmp_path / "one", disk_of(tmp_path, told), times(15 * 8))
    whole = sum(segment.size for segment in segments_in(tmp_path / "one"))
    disk = disk_of(tmp_path, told, budget=whole // 2)
    disk.watch_over(tmp_path / "one")
    assert disk.used == whole
    assert disk.may_write()
    left = segments_in(tmp_path / "one")
    held = [one for one in left if one.at_ms <= 3000 and (one.until_ms or 0) >= 2500]
    assert held
    assert sum(segment.size for segment in left) == disk.used < whole // 2
    assert left[0] == held[0]  # all before it are gone, the newest are there
    assert (left[-1].until_ms or 0) >= 7900
    assert told == []


def test_when_all_that_is_left_is_held_recording_stops_loudly_and_nothing_is_deleted(tmp_path: Path) -> None:
    told = Lines()
    record(tmp_path / "one", disk_of(tmp_path, told), times(15 * 8))
    before = segments_in(tmp_path / "one")
    hold(tmp_path, HeldSpan(0, 10_000))
    disk = disk_of(tmp_path, told, budget=1000)
    disk.watch_over(tmp_path / "one")
    assert not disk.may_write()
    assert disk.state is RecordingState.FULL
    assert segments_in(tmp_path / "one") == before
    assert len(told) == 1
    assert "held evidence" in told[0]
    assert "the game goes on" in told[0]


def test_a_list_of_what_is_held_that_cannot_be_read_holds_everything(tmp_path: Path) -> None:
    record(tmp_path / "one", disk_of(tmp_path, Lines()), times(15 * 4))
    before = segments_in(tmp_path / "one")
    (tmp_path / HELD).write_text('{"from_ms": 0, "until')
    disk = disk_of(tmp_path, Lines(), budget=1)
    disk.watch_over(tmp_path / "one")
    assert not disk.may_write()
    assert segments_in(tmp_path / "one") == before


def test_a_full_disk_is_told_once_and_recording_goes_on_when_there_is_space(tmp_path: Path) -> None:
    told = Lines()
    free = [PLENTY]
    disk = disk_of(tmp_path, told, free=lambda _: free[0])
    tap = CameraTap(tmp_path / "v", INFO, disk)
    at = times(15 * 12)
    for number, at_ms in enumerate(at):
        free[0] = RESERVE - 1 if 3000 <= at_ms < 7000 else PLENTY
        assert tap.encode(at_ms, picture(number)) is not None  # the game goes on all the time
    tap.close()
    assert [line.split(":")[0] for line in told] == ["recording stopped", "there is space again"]
    ((start, end),) = holes_in(segments_in(tmp_path / "v"), 1000)
    assert 3000 <= start <= 5000
    assert 7000 <= end <= 8100
    assert disk.state is RecordingState.ON


def test_a_disk_that_refuses_in_the_middle_leaves_what_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Lines()
    disk = disk_of(tmp_path, told)
    tap = CameraTap(tmp_path / "v", INFO, disk)
    real, is_full = os.write, [False]

    def write(file: int, data: bytes) -> int:
        if is_full[0]:
            raise OSError(28, "No space left on device")
        return real(file, data)

    monkeypatch.setattr("kemps_server.recording.segments.os.write", write)
    for number, at_ms in enumerate(times(15 * 10)):
        is_full[0] = 4500 <= at_ms < 6500
        assert tap.encode(at_ms, picture(number)) is not None
    tap.close()
    assert [line.split(":")[0] for line in told] == ["recording stopped", "there is space again"]
    assert "no space left on device" in told[0]
    found = [at_ms for at_ms, _ in recorded(tmp_path / "v")]
    assert found == sorted(found)
    assert max(b - a for a, b in pairwise(found)) < 4500
    assert found[0] == 0
    assert found[-1] == times(150)[-1]


def test_without_an_encoder_the_game_goes_on_with_what_the_camera_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemps_server.recording.encoding.ENCODERS", ("no_such_encoder",))
    told = Lines()
    disk = disk_of(tmp_path, told)
    tap = CameraTap(tmp_path / "v", INFO, disk)
    shown = tap.encode(0, picture(0))
    assert isinstance(shown, Raw)
    assert np.array_equal(shown.rgb(), picture(0)[:, :, ::-1])
    assert isinstance(tap.encode(66, picture(1)), Raw)
    assert disk.state is RecordingState.FAILED
    assert len(told) == 1
    assert "pip install" in told[0]


def test_a_round_trip_gives_each_picture_at_once() -> None:
    trip = RoundTrip(WIDTH, HEIGHT, FPS)
    for number, at_ms in enumerate(times(40)):
        coded, shown = trip.through(at_ms, picture(number))
        assert [one.at_ms for one in coded] == [at_ms]
        assert shown is not None
        assert np.abs(shown.rgb().astype(int) - picture(number)[:, :, ::-1]).mean() < 6


def test_a_call_holds_the_recording_round_it(tmp_path: Path) -> None:
    with Recorder(tmp_path, PLENTY, Lines(), free=lambda _: PLENTY) as recorder:
        recorder.heed(Called(at_ms=41_250, seat="C", call="kemps"))
        recorder.note(Used("table", 0))
    row = json.loads((tmp_path / HELD).read_text())
    assert row == {"from_ms": 11_250, "until_ms": 101_250, "why": "call"}
    assert list(read_frames_index(tmp_path / "frames.idx")) == [Used("table", 0)]


def test_a_list_of_used_frames_that_cannot_be_written_ends_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    recorder = Recorder(tmp_path, PLENTY, Lines(), free=lambda _: PLENTY)
    recorder.note(Used("table", 0))
    with monkeypatch.context() as patched:
        patched.setattr("kemps_server.recording.recorder.os.write", lambda _, __: 2)
        recorder.note(Used("table", 66))
    recorder.note(Used("table", 133))
    recorder.close()
    assert list(read_frames_index(tmp_path / "frames.idx")) == [Used("table", 0)]
    assert [record.message for record in caplog.records if "frames.idx ends here" in record.message]


@pytest.mark.parametrize("text", ["", "20X", "-5G", "lots", "1M"])
def test_a_budget_that_makes_no_sense_is_told(text: str) -> None:
    with pytest.raises(KempsServerError, match="--disk-budget"):
        bytes_of(text)


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
import test_recording as t
disk = t.disk_of(Path({folder!r}), t.Lines())
tap = t.CameraTap(Path({folder!r}) / "v", t.INFO, disk)
for number in range(100000):
    at_ms = round(number * 1000 / t.FPS)
    tap.encode(at_ms, t.picture(number))
    print(at_ms, flush=True)
    time.sleep(0.002)
"""


def test_a_killed_process_loses_no_more_than_two_seconds(tmp_path: Path) -> None:
    program = KILLED.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        last_ms = 0
        for line in process.stdout:
            last_ms = int(line)
            if last_ms > 7300:
                break
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
    last_ms = int(rest[-1]) if rest else last_ms
    found = [at_ms for at_ms, _ in recorded(tmp_path / "v")]
    assert found == times(len(found))
    assert last_ms - found[-1] <= 2000
    assert segments_in(tmp_path / "v")[-1].until_ms is None


def test_a_recorded_camera_finds_any_frame_and_says_what_is_missing(tmp_path: Path) -> None:
    record(tmp_path / "video" / "table", disk_of(tmp_path, Lines()), times(15 * 8))
    segments = segments_in(tmp_path / "video" / "table")
    segments[1].path.unlink()
    note = {"name": "table", "size": [WIDTH, HEIGHT], "fps": FPS, "watched_fps": FPS}
    camera = RecordedCamera(tmp_path, note, is_indexed=True)
    at = times(15 * 8)
    assert [camera.at(at_ms) is not None for at_ms in (at[3], at[40], at[100], at[101])] == [
        True,
        False,
        True,
        True,
    ]
    whole = RecordedCamera(tmp_path, note, is_indexed=False)
    frames = list(whole)
    assert [frame.at_ms for frame in frames] == [
        at_ms for at_ms in at if not segments[1].at_ms <= at_ms <= (segments[1].until_ms or 0)
    ]
    assert whole.lost_spans == ((segments[0].until_ms, segments[2].at_ms),)
    assert whole.info.duration_ms == at[-1]


def test_names_of_cameras_cannot_lead_out_of_the_folder() -> None:
    assert all(
        "/" not in folder_name(name) and folder_name(name) not in {"", ".", ".."}
        for name in ("../x", "..", ".", "a/b", "", "C:\\x")
    )
