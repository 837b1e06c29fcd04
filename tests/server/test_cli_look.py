"""``kemps look``: a line a picture in order, spans of a video, one line for each that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
import pytest
from PIL import Image as Pictures

from kemps_models.errors import WeightsError
from kemps_server.cli import look as command
from kemps_server.cli.app import main
from kemps_vision.draw.people import blur_faces
from kemps_vision.frame import Image
from kemps_vision.people.contact.evidence import Evidence
from kemps_vision.people.contact.stills import StillReading
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.hand_on_face import FaceTouch
from kemps_vision.people.landmarks import BodyPose, Box, FacePose, FaceSpot, HandPose

Kemps = Callable[..., int]


def a_face(left: float) -> FoundFace:
    points = np.zeros((478, 3), np.float32)
    points[:, 0], points[:, 1] = np.linspace(left, left + 40, 478), np.linspace(30, 80, 478)
    pose = FacePose(points, np.full(52, 0.25, np.float32), np.eye(4, dtype=np.float32))
    return FoundFace(FaceSpot(pose.box, 0.93, np.zeros((6, 2), np.float32)), pose)


def a_turned_face(left: float) -> FoundFace:
    return FoundFace(FaceSpot(Box(left, 30, left + 40, 70), 0.85, np.zeros((6, 2), np.float32)))


class Reader:
    """Sees a face, a hand and a body in each picture; in pictures at least 200 px wide contacts too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def read(self, pixels: Image, known: Sequence[FoundFace] = ()) -> StillReading:
        del known
        hand = HandPose(np.full((21, 3), 50, np.float32), 0.9, is_left=True)
        body = BodyPose(np.full((33, 3), 60, np.float32), np.ones(33, np.float32))
        if pixels.shape[1] < 200:
            return StillReading([a_turned_face(10)], [], [], [Evidence(0.4, (5, 5), "doubt", 10)], [])
        touches = [Evidence(0.9, (120, 60), "arms of two people end at one place", 10, (0, 1))]
        face_touches = [FaceTouch(0, 0.7, "mouth", "a fingertip reaches the mouth")]
        return StillReading([a_face(20)], [hand], [body], touches, face_touches)

    def glance(self, pixels: Image, faces: Sequence[FoundFace]) -> StillReading:
        return self.read(pixels, faces)


@pytest.fixture
def kemps(monkeypatch: pytest.MonkeyPatch) -> Kemps:
    """Runs the command with that reader and returns the exit code."""
    monkeypatch.setattr(command, "StillReader", Reader)

    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["look", *map(str, words)])
        return int(left.value.code or 0)

    return run


def a_picture(path: Path, width: int) -> Path:
    pixels = np.zeros((120, width, 3), np.uint8)
    pixels[:, ::4] = 200  # stripes, so that a blurred face differs
    Pictures.fromarray(pixels).save(path)
    return path


def a_video(path: Path, frames: int = 20, fps: int = 10) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, (240, 120))
    for number in range(frames):
        writer.write(np.full((120, 240, 3), number, np.uint8))
    writer.release()
    return path


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_json_is_one_line_a_picture_in_order_as_the_contract_says(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = [a_picture(tmp_path / f"{name}.png", width) for name, width in (("b", 240), ("a", 150))]
    assert kemps(*pictures, "--json") == 0
    first, second = lines_of(capsys)
    assert first["image"] == str(pictures[0])
    assert first["size"] == [240, 120]
    (face,) = first["faces"]
    assert face["box"] == [20.0, 30.0, 40.0, 50.0]
    assert face["score"] == 0.93
    assert face["angles"] == {"yaw": 0.0, "pitch": 0.0, "roll": 0.0}
    assert len(face["blendshapes"]) == 52
    assert face["blendshapes"]["eyeBlinkLeft"] == 0.25
    assert "landmarks" not in face
    (hand,) = first["hands"]
    assert len(hand["landmarks"]) == 21
    assert hand["is_left"] is True
    assert [(contact["kind"], contact["score"]) for contact in first["contacts"]] == [
        ("hands_touched", 0.9),
        ("hand_on_face", 0.7),
    ]
    assert first["contacts"][0]["reason"] == "arms of two people end at one place"
    assert second["faces"][0]["angles"] is None
    assert second["faces"][0]["blendshapes"] is None
    assert [contact["score"] for contact in second["contacts"]] == [0.4]


def test_all_adds_the_landmarks_of_faces_and_bodies(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a.png", 240), "--json", "--all") == 0
    (line,) = lines_of(capsys)
    assert len(line["faces"][0]["landmarks"]) == 478
    assert len(line["bodies"][0]["landmarks"]) == 33
    assert len(line["bodies"][0]["visibility"]) == 33


def test_people_read_counts_and_the_reason_of_each_claim(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a[b].png", 240), a_picture(tmp_path / "c.png", 150)) == 0
    out = capsys.readouterr().out
    assert "a[b].png  1 face, 1 hand, 1 body" in out
    assert "hands_touched 0.90  arms of two people end at one place" in out
    assert "hand_on_face 0.70  a fingertip reaches the mouth" in out
    assert "c.png  1 face, 0 hands, 0 bodies" in out
    assert "doubt" not in out


def test_what_cannot_be_read_is_told_and_the_others_are_still_looked_at(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "broken.mp4").write_text("no video")
    bad = [
        tmp_path / "empty.jpg",
        tmp_path / "broken.mp4",
        tmp_path / "missing.mp4",
        tmp_path / "missing.png",
    ]
    good = a_picture(tmp_path / "good.png", 240)
    assert kemps(*bad[:2], good, *bad[2:], "--json") == 2
    caught = capsys.readouterr()
    assert [json.loads(line)["image"] for line in caught.out.splitlines()] == [str(good)]
    errors = caught.err.splitlines()
    assert len(errors) == 4
    for error, path in zip(errors, bad, strict=True):
        assert error.startswith("kemps look: ")
        assert str(path) in error


def test_a_video_gives_a_line_for_each_look_and_its_spans_at_the_end(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = a_video(tmp_path / "clip.mp4")
    assert kemps(video, "--json") == 0
    *frames, last = lines_of(capsys)
    assert [line["at_ms"] for line in frames] == sorted({line["at_ms"] for line in frames})
    assert all(line["image"] == str(video) for line in frames)
    assert last["video"] == str(video)
    assert [span["kind"] for span in last["spans"]] == ["hand_on_face", "hands_touched"]
    assert all(span["at_ms"] == 0 and span["until_ms"] > 1000 for span in last["spans"])
    assert last["spans"][1]["reason"] == "arms of two people end at one place"


def test_frames_of_a_video_can_be_asked_for_and_left_out(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = a_video(tmp_path / "clip.mp4", frames=12)
    assert kemps(video, "--json", "--no-frames") == 0
    assert [sorted(line) for line in lines_of(capsys)] == [["spans", "video"]]
    assert kemps(video) == 0
    told = capsys.readouterr().out
    assert "hands_touched" in told
    assert "1 face" not in told
    assert kemps(video, "--frames") == 0
    assert "clip.mp4 0.00 s  1 face" in capsys.readouterr().out


def test_draw_writes_a_marked_copy_of_each_and_never_over_a_source(kemps: Kemps, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    pictures = [a_picture(tmp_path / "a.png", 240), a_picture(tmp_path / "other" / "a.png", 150)]
    before = pictures[0].read_bytes()
    assert kemps(*pictures, "--draw", tmp_path) == 0
    assert pictures[0].read_bytes() == before
    assert (tmp_path / "a-look.jpg").exists()
    assert (tmp_path / "a-look-2.jpg").exists()


def test_blurring_what_is_not_written_is_refused(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(a_picture(tmp_path / "a.png", 240), "--blur") == 2
    assert "give --draw too" in capsys.readouterr().err


def test_blur_makes_the_face_unlike_itself(kemps: Kemps, tmp_path: Path) -> None:
    picture = a_picture(tmp_path / "a.png", 240)
    contrast = []
    for folder, words in (("plain", []), ("blurred", ["--blur"])):
        assert kemps(picture, "--draw", tmp_path / folder, *words) == 0
        with Pictures.open(tmp_path / folder / "a-look.jpg") as drawn:
            shown = np.asarray(drawn.convert("L"), np.float32)
        contrast.append(float(shown[130:220, 80:160].std()))
    assert contrast[1] < contrast[0] / 3


def test_draw_into_something_that_is_no_folder_is_told_before_anything_is_looked_at(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = a_picture(tmp_path / "a.png", 240)
    assert kemps(picture, "--draw", picture) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert "is a file" in caught.err


def test_without_the_models_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> Reader:
        raise WeightsError("face_landmarker.task was not fetched; run `kemps models` once")

    monkeypatch.setattr(command, "StillReader", missing)
    assert kemps(a_picture(tmp_path / "a.png", 240)) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err.startswith("kemps look: ")
    assert "kemps models" in caught.err


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3000, 40), (20, 400)])
def test_a_picture_in_which_nobody_can_be_seen_is_told_and_the_others_are_looked_at(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str], width: int, height: int
) -> None:
    Pictures.new("RGB", (width, height)).save(tmp_path / "speck.png")
    good = a_picture(tmp_path / "good.png", 240)
    assert kemps(tmp_path / "speck.png", good, "--json") == 2
    out, error = capsys.readouterr()
    assert [json.loads(line)["image"] for line in out.splitlines()] == [str(good)]
    assert f"speck.png: {width}x{height} px is too small or too narrow" in error
    assert error.count("\n") == 1


def test_a_face_that_is_lost_in_a_picture_of_a_video_stays_blurred_where_it_was(
    kemps: Kemps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = a_video(tmp_path / "clip.mp4")
    blurred = list[str]()

    def noting(pixels: Image, boxes: Sequence[Box]) -> Image:
        blurred.append(" ".join(str(box.left) for box in boxes))
        return blur_faces(pixels, boxes)

    looks = iter([[a_face(20)], *([list[FoundFace]()] * 1000)])
    monkeypatch.setattr(Reader, "read", lambda *_: StillReading(next(looks), [], [], [], []))
    monkeypatch.setattr(command, "blur_faces", noting)
    assert kemps(video, a_picture(tmp_path / "still.png", 240), "--draw", tmp_path / "d", "--blur") == 0
    assert len(blurred) > 3
    assert set(blurred[:-1]) == {"20.0"}
    assert not blurred[-1], "another picture is not of the video"
