"""``kemps gestures``: a line an episode, the video with all drawn on it, and one line for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import numpy as np
import pytest

from kemps_models.landmarkers import landmarker_path
from kemps_server.cli import gestures as command
from kemps_server.cli import main
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Image
from kemps_vision.people.gestures import Episode, Told, Unmeasured
from kemps_vision.people.gestures.following import Seen
from kemps_vision.people.landmarks import FacePose

pytestmark = pytest.mark.long

Kemps = Callable[..., int]
WINK = Episode("wink_left", 400, 700, 0.81, 0.9)
AWAY = Unmeasured("turned_away", 800, 1400)


class Script:
    """A follower that sees one face and tells a wink as it ends, and a span at the end."""

    def __init__(self) -> None:
        self.seen_ms: list[int] = []

    def step(self, at_ms: int, pixels: Image) -> Seen:
        assert pixels.shape == (122, 160, 3)
        told: list[tuple[int, Told]] = [(0, WINK)] if self.seen_ms and self.seen_ms[-1] < 800 <= at_ms else []
        self.seen_ms.append(at_ms)
        landmarks = np.zeros((478, 3), np.float32)
        landmarks[:, :2] = np.random.default_rng(1).uniform((60, 40), (100, 90), (478, 2))
        face = FacePose(landmarks, np.zeros(52, np.float32), np.eye(4, dtype=np.float32))
        return Seen(told, {0: face}, [])

    def finish(self) -> list[tuple[int, Told]]:
        return [(1, AWAY)]


@pytest.fixture
def kemps(monkeypatch: pytest.MonkeyPatch) -> Kemps:
    """Runs the command line with that follower and returns the exit code."""

    @contextmanager
    def follower() -> Iterator[Script]:
        yield Script()

    monkeypatch.setattr(command, "_follower", follower)

    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["gestures", *map(str, words)])
        return int(left.value.code or 0)

    return run


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Two seconds of grey noise."""
    rng = np.random.default_rng(5)
    with VideoWriter(tmp_path / "clip.mp4", fps=25) as video:
        for i in range(50):
            video.add(rng.integers(100, 140, (122, 160, 3), np.uint8), 40 * i)
    return tmp_path / "clip.mp4"


def test_json_is_a_line_an_episode_as_the_contract_says(
    kemps: Kemps, clip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(clip, "--json", "--seat", "0=C") == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {
            "kind": "gesture",
            "face": 0,
            "seat": "C",
            "gesture": "wink_left",
            "at_ms": 400,
            "until_ms": 700,
            "strength": 0.81,
            "confidence": 0.9,
        },
        {
            "kind": "not_measurable",
            "face": 1,
            "gesture": "not_measurable",
            "what": "turned_away",
            "at_ms": 800,
            "until_ms": 1400,
        },
    ]


def test_people_read_times_faces_and_names(
    kemps: Kemps, clip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(clip) == 0
    wink, away = capsys.readouterr().out.splitlines()
    assert wink.startswith("0:00.4 – 0:00.7  face 0  wink left")
    assert away == "0:00.8 – 0:01.4  face 1  not measurable: turned away"


def test_the_video_is_written_with_all_its_frames_and_faces_blurred(
    kemps: Kemps, clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(clip, "--draw", tmp_path / "out.mp4", "--blur") == 0
    capsys.readouterr()
    with av.open(str(tmp_path / "out.mp4")) as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    assert len(frames) == 50
    assert frames[0].shape == (122, 160, 3)
    label = [int((frame > 180).sum()) for frame in frames]
    assert min(label[11:17]) > max(label[:9]), "the name of the gesture is there while it lasts"


def test_blurring_what_is_not_written_is_refused(
    kemps: Kemps, clip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(clip, "--blur") == 2
    assert "give --draw too" in capsys.readouterr().err


def test_a_face_is_drawn_with_its_seat(
    kemps: Kemps, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[dict[int, str]] = []

    def noting(pixels: Image, *_: object, seats: dict[int, str], is_blurred: bool) -> Image:
        del is_blurred
        given.append(seats)
        return pixels

    monkeypatch.setattr(command, "draw_gestures", noting)
    assert kemps(clip, "--draw", tmp_path / "out.mp4", "--seat", "0=B") == 0
    assert given
    assert all(seats == {0: "B"} for seats in given)


def test_a_face_that_is_lost_for_a_while_stays_blurred_where_it_was_and_will_be(
    kemps: Kemps, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Script.step

    def losing(script: Script, at_ms: int, pixels: Image) -> Seen:
        seen = step(script, at_ms, pixels)
        return seen if 400 <= at_ms < 800 or at_ms >= 1600 else Seen(seen.told, {}, [])

    monkeypatch.setattr(Script, "step", losing)
    assert kemps(clip, "--draw", tmp_path / "out.mp4", "--blur") == 0
    with av.open(str(tmp_path / "out.mp4")) as video:
        noise = [float(f.to_ndarray(format="gray")[50:80, 70:90].std()) for f in video.decode(video=0)]
    with av.open(str(clip)) as video:
        before = [float(f.to_ndarray(format="gray")[50:80, 70:90].std()) for f in video.decode(video=0)]
    assert max(noise[:9] + noise[21:39]) < min(before) / 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["missing.mp4"], "missing.mp4"),
        (["CLIP", "--seat", "A"], "give a face's number and a seat, such as 0=A"),
        (["CLIP", "--seat", "0=Z"], "give a face's number and a seat, such as 0=A"),
        (["CLIP", "--seat", "0=A", "--seat", "0=B"], "--seat 0=B: a face has one seat"),
        (["CLIP", "--seat", "0=A", "--seat", "1=A"], "--seat 1=A: a face has one seat"),
        (["CLIP", "--draw", "out.avi"], "--draw writes MP4"),
        (["CLIP", "--draw", "CLIP"], "is the video itself"),
        (["CLIP", "--draw", "nowhere/out.mp4"], "there is no such folder"),
        (["rtsp://127.0.0.1:9/x", "--draw", "out.mp4"], "which can be watched twice"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    kemps: Kemps, clip: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(*(clip if word == "CLIP" else word for word in words)) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert says in error
    assert error.startswith("kemps gestures: ")
    assert error.count("\n") == 1


def test_without_the_models_one_line_says_what_to_run(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEMPS_MODELS", str(tmp_path / "none"))
    landmarker_path.cache_clear()
    with pytest.raises(SystemExit) as left:
        main(["gestures", str(clip)])
    landmarker_path.cache_clear()
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert "run `kemps models` once" in error
    assert error.count("\n") == 1


@pytest.mark.people
@pytest.mark.shared
def test_two_winks_of_a_clip_are_found_on_their_sides_and_closed_lids_are_told_from_a_look_down(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clip = shared / "data" / "people" / "KwaiVGI-assets__examples__driving__d3.mp4"
    with pytest.raises(SystemExit) as left:
        main(["gestures", str(clip), "--json"])
    assert not left.value.code
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    winks = [(one["gesture"], one["at_ms"]) for one in told if one["gesture"].startswith("wink")]
    assert [name for name, _ in winks] == ["wink_left", "wink_right"]
    assert [at_ms for _, at_ms in winks] == pytest.approx([200, 1100], abs=150)
    names = {one["gesture"] for one in told}
    assert "look_down" in names
    assert "eyes_closed" not in names
