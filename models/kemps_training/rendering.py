"""Renders SVG deck art to flat face pictures with librsvg's `rsvg-convert`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import FACE_WIDTH_PX, RANKS, SUITS, Image
from kemps_training.errors import FetchError

SHEET_COLUMNS = 13
SHEET_ROWS = 5
# Rendered finer than needed and shrunk, because thin lines of the art alias at 240 px.
FINENESS = 2


def render_svg(source: Path, width_px: int, element: str | None = None) -> NDArray[np.uint8] | None:
    """The picture of ``source`` or of one element of it, (h, w, 4) RGBA; None if that is not there."""
    command = ["rsvg-convert", "-w", str(width_px), str(source)]
    if element is not None:
        command[1:1] = [f"--export-id={element}"]
    try:
        done = subprocess.run(command, check=False, capture_output=True)
    except FileNotFoundError as error:
        raise FetchError("rsvg-convert is not installed; `apt-get install librsvg2-bin`") from error
    if done.returncode or not done.stdout:
        return None
    pixels = cv2.imdecode(np.frombuffer(done.stdout, np.uint8), cv2.IMREAD_UNCHANGED)
    if pixels is None:
        return None
    return np.asarray(
        cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGBA if pixels.ndim == 3 else cv2.COLOR_GRAY2RGBA), np.uint8
    )


def flat_face(rendered: NDArray[np.uint8]) -> Image:
    """The card in ``rendered`` (h, w, 4) cut out along its opaque part, laid on white, 240 px wide, RGB."""
    opaque = rendered[..., 3] > 128
    rows, columns = np.flatnonzero(opaque.any(1)), np.flatnonzero(opaque.any(0))
    if len(rows) < 2 or len(columns) < 2:
        return np.full((8, FACE_WIDTH_PX, 3), 255, np.uint8)
    cut = rendered[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.float32)
    alpha = cut[..., 3:] / 255
    flat = (cut[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    height = round(FACE_WIDTH_PX * flat.shape[0] / flat.shape[1])
    return np.asarray(cv2.resize(flat, (FACE_WIDTH_PX, height), interpolation=cv2.INTER_AREA), np.uint8)


def sheet_faces(source: Path) -> list[Image | None]:
    """The 52 faces of a sheet: 13 columns by rank, rows clubs, diamonds, hearts, spades."""
    sheet = render_svg(source, SHEET_COLUMNS * FACE_WIDTH_PX * FINENESS)
    if sheet is None:
        return [None] * (len(RANKS) * len(SUITS))
    height, width = sheet.shape[:2]
    faces: list[Image | None] = []
    for rank in range(len(RANKS)):
        left, right = rank * width // SHEET_COLUMNS, (rank + 1) * width // SHEET_COLUMNS
        for suit in range(len(SUITS)):
            top, bottom = suit * height // SHEET_ROWS, (suit + 1) * height // SHEET_ROWS
            faces.append(flat_face(sheet[top:bottom, left:right]))
    return faces
