"""MediaPipe's landmarkers behind our own types: nothing else in the program knows MediaPipe.

A landmarker that watches a video tracks what it found, which is faster and steadier; then ``at_ms`` must rise
from call to call and the view should stay. One that looks at stills finds everything anew.
"""

from __future__ import annotations

import os
import sys
import weakref
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from kemps_models.landmarkers import FACE, HAND, POSE, landmarker_path
from kemps_vision.errors import LandmarkerError
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import BodyPose, Box, FacePose, FaceSpot, HandPose, Landmarks
from kemps_vision.people.quiet import quiet_stderr
from kemps_vision.people.views import View, view_of

FACE_VIEW_PX: Final = 512  # the shorter side of what faces are looked for in
CPUS: Final = Path("/sys/devices/system/cpu/possible")
_LOUD_CALLS: Final = 2  # the first ones of a landmarker write to stderr
_FACE_DETECTOR: Final = "face_detector.tflite"  # within the face landmarker's file
_HERE: Final = "localhost,127.0.0.1,::1"  # what this machine says to itself goes by no proxy
_NOWHERE: Final = (
    "http://127.0.0.1:9"  # the port where everything is thrown away; hardly anywhere one listens
)


class _Task:
    """One landmarker; ``is_video`` keeps track of what it found from call to call."""

    def __init__(
        self, kind: str, model: str, *, is_video: bool, member: str | None = None, **options: Any
    ) -> None:
        with quiet_stderr():
            vision, base = _library()
            mode = vision.RunningMode.VIDEO if is_video else vision.RunningMode.IMAGE
            asset = _asset(base, model, member)
            made = getattr(vision, f"{kind}Options")(base_options=asset, running_mode=mode, **options)
            try:
                self._task = getattr(vision, kind).create_from_options(made)
            except (RuntimeError, ValueError, OSError) as error:
                raise LandmarkerError(
                    f"MediaPipe cannot start {model} ({error}); run kemps doctor"
                ) from error
        self._is_video = is_video
        self._loud = _LOUD_CALLS
        self._last_ms = -1
        self._close = weakref.finalize(self, _close, self._task)

    def _detect(self, view: View, at_ms: int | None) -> Any:
        if self._loud:
            self._loud -= 1
            with quiet_stderr():
                return self._detect_now(view, at_ms)
        return self._detect_now(view, at_ms)

    def _detect_now(self, view: View, at_ms: int | None) -> Any:
        picture = _image(view.pixels)
        if not self._is_video:
            return self._task.detect(picture)
        # Its times must rise; two looks at one frame are a millisecond apart for it.
        self._last_ms = max(self._last_ms + 1, -1 if at_ms is None else at_ms)
        return self._task.detect_for_video(picture, self._last_ms)

    def close(self) -> None:
        """Give back what it holds; it cannot be used any more."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FaceReader(_Task):
    """Finds up to ``most`` faces with their blendshapes."""

    def __init__(self, *, most: int = 1, is_video: bool = False, least_score: float = 0.5) -> None:
        super().__init__(
            "FaceLandmarker",
            FACE,
            is_video=is_video,
            num_faces=most,
            min_face_detection_confidence=least_score,
            min_face_presence_confidence=least_score,
            output_face_blendshapes=True,
            output_facial_transformation_matrixes=True,
        )

    def read(
        self, pixels: Image, box: Box | None = None, at_ms: int | None = None, *, least_px: int = FACE_VIEW_PX
    ) -> list[FacePose]:
        """The faces in the picture (h, w, 3), or in the part of it in ``box``."""
        view = view_of(pixels, box, least_px)
        found = self._detect(view, at_ms)
        heads = found.facial_transformation_matrixes or [None] * len(found.face_landmarks)
        return [
            FacePose(
                landmarks=view.back(_points(face)),
                blendshapes=np.array([shape.score for shape in shapes], np.float32),
                head=None if head is None else np.asarray(head, np.float32),
            )
            for face, shapes, head in zip(found.face_landmarks, found.face_blendshapes, heads, strict=True)
        ]


class FaceFinder(_Task):
    """Says where faces are, no landmarks: the detector that the face landmarker begins with, alone.

    It takes about 2 ms, but sees only faces that fill a tenth of its view or more, and not from behind.
    """

    def __init__(self, *, least_score: float = 0.5) -> None:
        super().__init__(
            "FaceDetector", FACE, is_video=False, member=_FACE_DETECTOR, min_detection_confidence=least_score
        )

    def read(self, pixels: Image, box: Box | None = None) -> list[FaceSpot]:
        """Where faces are in the picture (h, w, 3), or in the part of it in ``box``."""
        view = view_of(pixels, box)
        height, width = view.pixels.shape[:2]
        spots = []
        for found in self._detect(view, None).detections:
            inside = found.bounding_box
            left, top = view.left + inside.origin_x, view.top + inside.origin_y
            around = Box(left, top, left + inside.width, top + inside.height)
            points = np.array([(point.x * width, point.y * height) for point in found.keypoints], np.float32)
            shift = np.array([view.left, view.top], np.float32)
            spots.append(FaceSpot(around, float(found.categories[0].score), points + shift))
        return spots


class HandReader(_Task):
    """Finds up to ``most`` hands."""

    def __init__(self, *, most: int = 8, is_video: bool = False, least_score: float = 0.5) -> None:
        super().__init__(
            "HandLandmarker",
            HAND,
            is_video=is_video,
            num_hands=most,
            min_hand_detection_confidence=least_score,
            min_hand_presence_confidence=least_score,
        )

    def read(
        self, pixels: Image, box: Box | None = None, at_ms: int | None = None, *, least_px: int = 0
    ) -> list[HandPose]:
        """The hands in the picture (h, w, 3), or in the part of it in ``box``."""
        view = view_of(pixels, box, least_px)
        found = self._detect(view, at_ms)
        return [
            HandPose(view.back(_points(hand)), float(sides[0].score), sides[0].category_name == "Left")
            for hand, sides in zip(found.hand_landmarks, found.handedness, strict=True)
        ]


class BodyReader(_Task):
    """Finds up to ``most`` bodies."""

    def __init__(self, *, most: int = 1, is_video: bool = False, least_score: float = 0.5) -> None:
        super().__init__(
            "PoseLandmarker",
            POSE,
            is_video=is_video,
            num_poses=most,
            min_pose_detection_confidence=least_score,
            min_pose_presence_confidence=least_score,
        )

    def read(
        self, pixels: Image, box: Box | None = None, at_ms: int | None = None, *, least_px: int = 0
    ) -> list[BodyPose]:
        """The bodies in the picture (h, w, 3), or in the part of it in ``box``."""
        view = view_of(pixels, box, least_px)
        found = self._detect(view, at_ms)
        return [
            BodyPose(
                view.back(_points(body)), np.array([point.visibility or 0.0 for point in body], np.float32)
            )
            for body in found.pose_landmarks
        ]


def _library() -> tuple[Any, Callable[..., Any]]:
    """MediaPipe's vision tasks; it takes most of a second, so only when somebody wants it."""
    if sys.platform == "linux" and not CPUS.exists():
        # Its memory allocator would abort the process.
        raise LandmarkerError(f"MediaPipe needs {CPUS}, which is not there; mount /sys where this runs")
    # MediaPipe reports its use to its maker and has no switch for that, but it does ask which proxy to take.
    os.environ["https_proxy"] = _NOWHERE
    spared = [os.environ.get(name, "") for name in ("no_proxy", "NO_PROXY")]
    os.environ["no_proxy"] = ",".join(dict.fromkeys(",".join([*spared, _HERE]).strip(",").split(",")))
    try:
        from mediapipe.tasks.python import BaseOptions, vision  # noqa: PLC0415
    except OSError as error:  # its library could not be loaded
        raise LandmarkerError(
            f"a system library is missing ({error}); on Debian run: apt-get install libegl1 libgles2 libgl1"
        ) from error
    return vision, BaseOptions


def _asset(base: Callable[..., Any], model: str, member: str | None) -> Any:
    """A task file, or one model out of it."""
    path = landmarker_path(model)
    if member is None:
        return base(model_asset_path=str(path))
    try:
        with zipfile.ZipFile(path) as bundle:
            return base(model_asset_buffer=bundle.read(member))
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise LandmarkerError(f"{model} holds no {member} ({error}); run kemps models") from error


def _close(task: Any) -> None:
    try:
        with quiet_stderr():
            task.close()
    except RuntimeError:
        # At the end of the process its threads are gone already; without a handle its own clean-up, which
        # would fail with a traceback, does nothing.
        task._handle = None  # noqa: SLF001


def _image(pixels: Image) -> Any:
    import mediapipe  # noqa: PLC0415

    return mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=pixels)


def _points(found: Any) -> Landmarks:
    return np.array([(point.x, point.y, point.z) for point in found], np.float32)
