"""Ink masks of index letters and suit signs: from fonts, from drawn shapes, from rendered decks."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from kemps_training.decks import Image

Mask = NDArray[np.uint8]
# A font file, or one of OpenCV's stroke fonts, which need no file.
Font = Path | int
STROKE_FONTS: tuple[Font, ...] = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX)
SIZE_PX = 150
SUIT_SIGNS = "♣♦♥♠"
# No font has a sign for this one, so it shows what a font draws for signs that it lacks.
MISSING_SIGN = "\U0010fffd"
# Slanted and hairline cuts are not printed on cards; the last ones have no upright Latin capitals.
LEFT_OUT = (
    "Ital", "Obli", "Thin", "Hairline", "ExtraLight", "ExLight", "UltraLight", "-Light", "Light.",
    "D050", "Z003", "Math", "Symbol", "Dingbat",
    "Icons", "Emoji", "BI.", "-It", "ital", "It.", "Sym", "chorus", "zapf", "Junicode-F",
)  # fmt: skip
# FreeSerif Bold draws a spade for the club and the other way round.
SWAPPED_SUITS = ("FreeSerifBold",)
NOTO_KEPT = ("NotoSans-", "NotoSerif-", "NotoSansDisplay-", "NotoSerifDisplay-", "NotoMono", "NotoSansMono-")


@dataclass(frozen=True, slots=True)
class SuitSet:
    """The four suit signs of one design, in the order clubs, diamonds, hearts, spades."""

    name: str
    masks: tuple[Mask, Mask, Mask, Mask]


def trimmed(mask: Mask) -> Mask | None:
    """``mask`` cut down to its ink; None if there is none."""
    rows, columns = np.flatnonzero((mask > 64).any(1)), np.flatnonzero((mask > 64).any(0))
    if len(rows) < 3 or len(columns) < 3:
        return None
    return mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def text_mask(font: Font, text: str, stroke: int = 0) -> Mask | None:
    """The ink of ``text`` in ``font``, trimmed; None if the font draws nothing for it."""
    if isinstance(font, int):
        drawn = np.zeros((SIZE_PX * 2, SIZE_PX * 3), np.uint8)
        cv2.putText(
            drawn, text, (SIZE_PX // 4, SIZE_PX * 3 // 2), font, 5.0, 255, 14 + 2 * stroke, cv2.LINE_AA
        )
        return trimmed(drawn)
    opened = ImageFont.truetype(str(font), SIZE_PX)
    canvas = Pillow.new("L", (SIZE_PX * 3, SIZE_PX * 3), 0)
    ImageDraw.Draw(canvas).text(
        (SIZE_PX // 2, SIZE_PX // 2), text, fill=255, font=opened, stroke_width=stroke
    )
    return trimmed(np.asarray(canvas, np.uint8))


def draws(font: Font, text: str) -> bool:
    """Whether ``font`` has a sign of its own for each character of ``text``."""
    if isinstance(font, int):
        return text.isascii()
    missing = text_mask(font, MISSING_SIGN)
    masks = [text_mask(font, character) for character in text]
    return all(mask is not None and not _are_equal(mask, missing) for mask in masks)


def find_fonts(folder: Path) -> list[Path]:
    """Upright text fonts under ``folder``, sorted, that have all letters of an index."""
    found = sorted([*folder.glob("**/*.ttf"), *folder.glob("**/*.otf")], key=lambda path: path.name)
    kept = [path for path in found if not any(part in path.name for part in LEFT_OUT)]
    kept = [path for path in kept if not path.name.startswith("Noto") or path.name.startswith(NOTO_KEPT)]
    return [path for path in kept if _has_index(path)]


def is_held_out(name: str) -> bool:
    """Whether the font or design ``name`` belongs to the held-out decks: one in eight, by its checksum."""
    return zlib.crc32(name.encode()) % 8 == 0


def font_suits(fonts_folder: Path) -> list[SuitSet]:
    """Suit signs of those fonts that really have them (not four equal "missing" boxes)."""
    sets = []
    for path in sorted([*fonts_folder.glob("**/*.ttf"), *fonts_folder.glob("**/*.otf")]):
        if any(part in path.name for part in ("Ital", "Obli", "ital", *SWAPPED_SUITS)):
            continue
        masks = [_drawn(path, sign) for sign in SUIT_SIGNS]
        if any(mask is None for mask in masks) or len({mask.shape for mask in masks if mask is not None}) < 3:
            continue
        club, diamond, heart, spade = (mask for mask in masks if mask is not None)
        sets.append(SuitSet(path.stem, (club, diamond, heart, spade)))
    return sets


def face_suits(name: str, faces: Image) -> SuitSet | None:
    """Suit signs cut out of the upper pip of a deck's four twos, (4, h, w, 3)."""
    masks = []
    for face in faces:
        height, width = face.shape[:2]
        paper = np.median(face[10:-10, 10:-10].reshape(-1, 3), axis=0)
        ink = np.abs(face.astype(np.float32) - paper).max(2).clip(0, 120) / 120 * 255
        part = np.ascontiguousarray(ink[: height // 2, int(width * 0.3) : int(width * 0.7)].astype(np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats((part > 100).astype(np.uint8))
        if count < 2:
            return None
        largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
        near = cv2.dilate((labels == largest).astype(np.uint8), np.ones((3, 3), np.uint8))
        mask = trimmed(np.where(near > 0, part, 0).astype(np.uint8))
        if mask is None or min(mask.shape) < 12:
            return None
        masks.append(mask)
    return SuitSet(name, (masks[0], masks[1], masks[2], masks[3]))


def distinct(sets: list[SuitSet]) -> list[SuitSet]:
    """``sets`` without those that look like an earlier one; font families share their signs."""
    seen: dict[bytes, SuitSet] = {}
    for design in sets:
        small = [cv2.resize(mask, (8, 8), interpolation=cv2.INTER_AREA) // 52 for mask in design.masks]
        seen.setdefault(np.stack(small).tobytes(), design)
    return list(seen.values())


def drawn_suits(rng: np.random.Generator) -> SuitSet:
    """Suit signs from circles and curves with random proportions."""
    return SuitSet("drawn", (_club(rng), _diamond(rng), _heart(rng), _spade(rng)))


def _has_index(font: Path) -> bool:
    try:
        masks = [text_mask(font, text) for text in ("A", "4", "7", "Q")]
    except OSError:
        return False
    shapes = {mask.shape for mask in masks if mask is not None}
    return all(mask is not None for mask in masks) and len(shapes) > 2


def _are_equal(first: Mask, second: Mask | None) -> bool:
    return second is not None and first.shape == second.shape and bool((first == second).all())


def _drawn(font: Path, sign: str) -> Mask | None:
    try:
        return text_mask(font, sign)
    except OSError:
        return None


def _blank() -> Mask:
    return np.zeros((400, 400), np.uint8)


def _finished(mask: Mask) -> Mask:
    rows, columns = np.nonzero(mask > 64)
    found = mask[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return np.asarray(cv2.resize(found, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def _lobes(rng: np.random.Generator, tip: float) -> NDArray[np.float64]:
    """The outline of a heart about the origin, point down, as (n, 2)."""
    angle = np.linspace(0, 2 * np.pi, 120)
    x = 16 * np.sin(angle) ** 3 * rng.uniform(0.85, 1.1)
    dip = rng.uniform(3.5, 6.5)
    y = -(13 * np.cos(angle) - dip * np.cos(2 * angle) - 2 * np.cos(3 * angle) - np.cos(4 * angle))
    y = np.where(y > 0, y * tip, y)
    return np.column_stack([x, y])


def _fill(mask: Mask, outline: NDArray[np.float64], scale: float, sign: int = 1) -> None:
    points = outline * [scale, scale * sign] + 200
    cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)


def _stem(mask: Mask, rng: np.random.Generator, top: float, bottom: float) -> None:
    foot, waist = rng.uniform(35, 75), rng.uniform(6, 18)
    left = [(200 - waist, top), (200 - waist * 1.1, (top + bottom) / 2), (200 - foot, bottom)]
    outline = [*left, *[(400 - x, y) for x, y in reversed(left)]]
    cv2.fillPoly(mask, [np.array(outline, np.int32)], 255, cv2.LINE_AA)


def _heart(rng: np.random.Generator) -> Mask:
    mask = _blank()
    _fill(mask, _lobes(rng, rng.uniform(0.9, 1.15)), 8)
    return _finished(mask)


def _spade(rng: np.random.Generator) -> Mask:
    mask = _blank()
    _fill(mask, _lobes(rng, rng.uniform(0.95, 1.2)), 7.5, sign=-1)
    _stem(mask, rng, 200, 200 + rng.uniform(105, 150))
    return _finished(mask)


def _diamond(rng: np.random.Generator) -> Mask:
    angle = np.linspace(0, 2 * np.pi, 120)
    power = rng.uniform(0.85, 1.7)  # below one the sides bulge, above one they curve inwards
    x = np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** (2 * power) * rng.uniform(85, 130)
    y = np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** (2 * power) * rng.uniform(125, 160)
    mask = _blank()
    _fill(mask, np.column_stack([x, y]), 1)
    return _finished(mask)


def _club(rng: np.random.Generator) -> Mask:
    mask = _blank()
    radius, spread = int(rng.uniform(52, 68)), rng.uniform(56, 72)
    for x, y in ((0.0, -spread * 1.15), (-spread, rng.uniform(15, 30)), (spread, 22.0)):
        cv2.circle(mask, (int(200 + x), int(200 + y)), radius, 255, -1, cv2.LINE_AA)
    if rng.random() < 0.6:
        cv2.circle(mask, (200, 200), int(radius * 0.6), 255, -1, cv2.LINE_AA)
    _stem(mask, rng, 190, 200 + rng.uniform(105, 150))
    return _finished(mask)
