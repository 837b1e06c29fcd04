"""MediaPipe behind our types: quiet, in pixels of the whole picture, and clear when a model is missing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_models.errors import WeightsError
from kemps_models.landmarkers import landmarker_path
from kemps_vision.errors import LandmarkerError
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import BODY_POINTS, FACE_POINTS, HAND_POINTS, Box
from kemps_vision.people.tasks import BodyReader, FaceReader, HandReader

FACE = "google-ai-edge-examples__face_landmarker__ios__FaceLandmarkerTests__business-person.jpg"
THUMB = "google-ai-edge-examples__hand_landmarker__ios__HandLandmarkerTests__thumbs-up.jpg"
BODY = "google-ai-edge-examples__pose_landmarker__ios__PoseLandmarkerTests__test_image.jpg"


def picture(folder: Path, name: str) -> Image:
    stored = cv2.imread(str(folder / "data" / "people" / name))
    assert stored is not None
    return np.asarray(cv2.cvtColor(stored, cv2.COLOR_BGR2RGB), np.uint8)


@pytest.mark.people
def test_nothing_is_found_where_nobody_is_and_nothing_is_written_to_stderr() -> None:
    code = (
        "import numpy as np\n"
        "from kemps_vision.people.tasks import BodyReader, FaceReader, HandReader\n"
        "grey = np.full((240, 320, 3), 128, np.uint8)\n"
        "readers = [FaceReader(), HandReader(), BodyReader(), FaceReader(is_video=True)]\n"
        "print([reader.read(grey, at_ms=at_ms) for at_ms in (0, 0, 40) for reader in readers])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str([[]] * 12)


@pytest.mark.people
def test_mediapipe_reports_to_nobody() -> None:
    code = (
        "import numpy as np\n"
        "from kemps_vision.people.tasks import HandReader\n"
        "with HandReader() as reader:\n"
        "    reader.read(np.full((240, 320, 3), 128, np.uint8))\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        away = dict.fromkeys(("https_proxy", "HTTPS_PROXY", "ALL_PROXY"), address)
        env = {name: value for name, value in os.environ.items() if name.lower() != "no_proxy"}
        subprocess.run([sys.executable, "-c", code], env={**env, **away}, check=True, timeout=120)
        proxy.setblocking(False)  # who has called by now waits in line
        with pytest.raises(BlockingIOError):
            proxy.accept()


@pytest.mark.people
@pytest.mark.shared
@pytest.mark.parametrize("is_video", [False, True])
def test_a_face_lies_at_the_same_pixels_in_the_whole_picture_and_in_a_part_of_it(
    is_video: bool, shared: Path
) -> None:
    pixels = picture(shared, FACE)
    with FaceReader(is_video=is_video) as whole, FaceReader(is_video=is_video) as part:
        (seen,) = whole.read(pixels, at_ms=0)
        (again,) = part.read(pixels, Box(200, 60, 720, 580), at_ms=0)
    assert seen.landmarks.shape == (FACE_POINTS, 3)
    assert seen.box.overlap(again.box) > 0.85
    assert seen.angles is not None
    assert abs(seen.angles.yaw) < 20
    assert 0 <= seen.shape("eyeBlinkLeft") < 0.5


@pytest.mark.people
@pytest.mark.shared
def test_hands_and_bodies_come_with_all_their_points(shared: Path) -> None:
    with HandReader() as hands, BodyReader() as bodies:
        (hand,) = hands.read(picture(shared, THUMB))
        (body,) = bodies.read(picture(shared, BODY))
    assert hand.landmarks.shape == (HAND_POINTS, 3)
    assert hand.landmarks[4, 1] < hand.landmarks[0, 1], "the thumb points up"
    assert body.landmarks.shape == (BODY_POINTS, 3)
    assert body.visibility[11] > 0.9, "a shoulder is in view"


def test_without_the_task_files_one_line_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEMPS_MODELS", str(tmp_path))
    landmarker_path.cache_clear()
    with pytest.raises(WeightsError, match="run `kemps models` once while this machine is online"):
        FaceReader()
    landmarker_path.cache_clear()


def test_where_the_library_would_abort_the_process_one_line_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemps_vision.people.tasks.CPUS", Path("/nowhere/possible"))
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(LandmarkerError, match="mount /sys where this runs"):
        FaceReader()
