"""What lies under and about the cards: wallpapers, felt, wood, white tables, clutter, printed text."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from kemps_training.decks import Image
from kemps_training.errors import WorkspaceError
from kemps_training.workspace import Workspace

LONG_SIDE_PX = 900
TEXT_LETTERS = "AJQKT0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh&%#"


def gather_backgrounds(workspace: Workspace, fetched: Path) -> int:
    """Shrinks the fetched wallpapers into ``backgrounds/``; returns how many there are."""
    target = workspace.backgrounds
    if not any(target.glob("*.npy")):
        for number, path in enumerate(_wallpapers(fetched)):
            pixels = cv2.imread(str(path))
            if pixels is None:
                continue
            scale = LONG_SIDE_PX / max(pixels.shape[:2])
            small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            np.save(target / f"{number:03d}.npy", np.ascontiguousarray(small[..., ::-1]))
    return sum(1 for _ in target.glob("*.npy"))


def load_backgrounds(folder: Path) -> list[Image]:
    """The pictures that `gather_backgrounds` made; they stay on disk until used."""
    found = [np.load(path, mmap_mode="r") for path in sorted(folder.glob("*.npy"))]
    if not found:
        raise WorkspaceError(f"no backgrounds in {folder}; run `python -m kemps_training decks` first")
    return found


def draw_background(rng: np.random.Generator, side: int, wallpapers: list[Image]) -> Image:
    """A square picture of a table, (side, side, 3), with a little clutter and print."""
    if wallpapers and rng.random() < 0.45:
        pixels = _cut(rng, side, wallpapers[int(rng.integers(len(wallpapers)))])
    else:
        pixels = _surface(rng, side)
    pixels = np.ascontiguousarray(pixels)
    for _ in range(int(rng.integers(0, 6))):
        _draw_clutter(rng, pixels)
    return pixels


def _wallpapers(fetched: Path) -> list[Path]:
    found = [
        path
        for path in sorted((fetched / "usr/share").glob("**/*"))
        if path.suffix.lower() in {".jpg", ".jpeg", ".png", ".webp"} and "screenshot" not in path.name
    ]
    return [path for path in found if path.stat().st_size > 40_000 and "carddecks" not in str(path)]


def _cut(rng: np.random.Generator, side: int, wallpaper: Image) -> Image:
    height, width = wallpaper.shape[:2]
    size = int(rng.uniform(0.25, 1) * min(height, width))
    top, left = int(rng.integers(height - size + 1)), int(rng.integers(width - size + 1))
    part = np.asarray(wallpaper[top : top + size, left : left + size])
    pixels = cv2.resize(part, (side, side), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.3:
        pixels = cv2.GaussianBlur(pixels, (0, 0), rng.uniform(1, 4))
    return np.asarray(pixels, np.uint8)


def _surface(rng: np.random.Generator, side: int) -> Image:
    """Felt, wood, grey, white or any colour, with soft and fine grain."""
    white = rng.uniform(175, 255)
    tables = [
        rng.uniform([10, 60, 20], [60, 130, 70]),  # green felt
        np.full(3, rng.uniform(25, 95)),  # dark or grey
        rng.uniform([100, 70, 40], [185, 140, 110]),  # wood
        white * rng.uniform(0.93, 1, 3),  # white table or cloth
        rng.uniform([20, 30, 70], [60, 80, 150]),  # blue cloth
    ]
    colour = (
        rng.uniform(0, 255, 3)
        if rng.random() < 0.3
        else tables[int(rng.choice(5, p=[0.22, 0.2, 0.2, 0.28, 0.1]))]
    )
    rows = side // 4 if rng.random() < 0.5 else 8
    soft = cv2.resize(
        rng.standard_normal((rows, side // 4), np.float32), (side, side), interpolation=cv2.INTER_CUBIC
    )
    if rng.random() < 0.5:
        soft = soft.T
    fine = rng.standard_normal((side, side), np.float32)
    grain = soft * rng.uniform(0, 14) + fine * rng.uniform(0, 8)
    return np.asarray((colour + grain[..., None]).clip(0, 255), np.uint8)


def _draw_clutter(rng: np.random.Generator, pixels: Image) -> None:
    side = pixels.shape[0]
    colour = tuple(int(value) for value in rng.integers(0, 256, 3))
    points = rng.integers(0, side, (4, 2))
    x, y = int(points[0, 0]), int(points[0, 1])
    kind = rng.choice(["disc", "paper", "text", "line"], p=[0.28, 0.25, 0.27, 0.2])
    if kind == "disc":
        thickness = -1 if rng.random() < 0.6 else 2
        cv2.circle(pixels, (x, y), int(rng.integers(4, 50)), colour, thickness, cv2.LINE_AA)
    elif kind == "paper":
        size = (float(rng.uniform(10, 150)), float(rng.uniform(10, 150)))
        outline = cv2.boxPoints(((float(x), float(y)), size, float(rng.uniform(0, 180))))
        fill = (255, 255, 255) if rng.random() < 0.35 else colour
        cv2.fillPoly(pixels, [np.asarray(outline, np.int32)], fill, cv2.LINE_AA)
    elif kind == "text":
        _print_text(rng, pixels, (x, y), colour)
    else:
        cv2.polylines(pixels, [points.astype(np.int32)], False, colour, int(rng.integers(1, 8)), cv2.LINE_AA)


def _print_text(
    rng: np.random.Generator, pixels: Image, place: tuple[int, int], colour: tuple[int, ...]
) -> None:
    """A label: a few letters and digits, turned, often on white paper, as on boxes near a table."""
    side = pixels.shape[0]
    letters = [TEXT_LETTERS[int(rng.integers(len(TEXT_LETTERS)))] for _ in range(int(rng.integers(1, 9)))]
    font, size = int(rng.integers(0, 8)), float(rng.uniform(0.35, 1.8))
    width = int(rng.integers(1, 4))
    layer = np.zeros((side, side), np.uint8)
    paper = np.zeros((side, side), np.uint8)
    rows = int(rng.integers(1, 4))
    for row in range(rows):
        corner = (place[0], place[1] + int(row * 32 * size))
        rng.shuffle(letters)
        cv2.putText(layer, "".join(letters), corner, font, size, 255, width, cv2.LINE_AA)
    x, y, w, h = cv2.boundingRect(layer)
    cv2.rectangle(paper, (x - 6, y - 6), (x + w + 6, y + h + 6), 255, -1)
    turn = cv2.getRotationMatrix2D((float(place[0]), float(place[1])), float(rng.uniform(0, 360)), 1.0)
    ink = cv2.warpAffine(layer, turn, (side, side)).astype(np.float32)[..., None] / 255
    under = cv2.warpAffine(paper, turn, (side, side)).astype(np.float32)[..., None] / 255
    if rng.random() < 0.5:
        shade = rng.uniform(190, 255)
        pixels[:] = (pixels * (1 - under) + shade * under).astype(np.uint8)
        colour = (20, 20, 25) if rng.random() < 0.6 else (190, 30, 30)
    pixels[:] = (pixels * (1 - ink) + np.array(colour, np.float32) * ink).astype(np.uint8)
