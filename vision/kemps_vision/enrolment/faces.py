"""Whole cards compared with the faces of a deck: what tells a card that has no index, or an odd one.

A card is set upright at a low resolution and its paper's colour is divided out, which leaves the ink: in
that, two pictures of one card correlate whatever the light, and those of different cards less. Normalised
cross-correlation (Lewis, "Fast Normalized Cross-Correlation", 1995) over a few shifts, both ways up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import Floats, Pixels

FACE_WIDTH: Final = 46
FACE_HEIGHT: Final = 64
_SHIFTS: Final = (-2, -1, 0, 1, 2)  # px of a face, 1.4 mm each: what a quad is usually off by
_TRIM: Final = 2  # px left out at the edges, where the table shows when the quad is a little large
_SOFTNESS: Final = 0.7  # px: no sharper than a far card is
_LEAST_NATS: Final = -14.0  # what no picture alone may outweigh
_PAPER_SHARE: Final = 0.35  # of the face, the brightest, is looked at for the paper

Face = NDArray[np.float32]


def upright_face(pixels: Pixels, quad: Floats) -> Face:
    """(64, 46, 3): the ink of the card in a quad, 0 where the paper shows, 1 where no light comes back."""
    length = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    shrink = length / FACE_HEIGHT
    corners = np.array(
        [[0, 0], [FACE_WIDTH, 0], [FACE_WIDTH, FACE_HEIGHT], [0, FACE_HEIGHT]], np.float32
    ) - np.float32(0.5)
    if shrink > 1.5:  # a warp that shrinks must not skip pixels: first upright and large, then averaged
        times = int(np.ceil(shrink))
        large = (corners + np.float32(0.5)) * times - np.float32(0.5)
        warp = cv2.getPerspectiveTransform(quad.astype(np.float32), large)
        size = (FACE_WIDTH * times, FACE_HEIGHT * times)
        big = cv2.warpPerspective(pixels, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        upright = cv2.resize(big, (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_AREA)
    else:
        warp = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
        upright = cv2.warpPerspective(
            pixels, warp, (FACE_WIDTH, FACE_HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return _ink(np.asarray(upright, np.float32))


def _ink(card: Face) -> Face:
    flat = card.reshape(-1, 3)
    total = flat.sum(axis=1)
    paper = np.median(flat[total >= np.quantile(total, 1 - _PAPER_SHARE)], axis=0)
    ink = np.clip(1.0 - card / np.maximum(paper, 1.0), -0.2, 1.0)
    return np.asarray(cv2.GaussianBlur(ink, (0, 0), _SOFTNESS), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class FaceBook:
    """The faces of a deck.

    Attributes:
        cards: (n,) places in ``kemps_rules.cards.DECK_52``.
        faces: (n, 64, 46, 3) their ink.
    """

    cards: NDArray[np.int64]
    faces: Face

    @classmethod
    def empty(cls) -> FaceBook:
        """A book without faces, which knows no card."""
        return cls(np.zeros(0, np.int64), np.zeros((0, FACE_HEIGHT, FACE_WIDTH, 3), np.float32))

    def likeness(self, face: Face) -> Floats:
        """(52,) correlations, -1..1, with the cards; -1 for those that the book lacks."""
        if not len(self.cards):
            return np.full(52, -1.0)
        seen = np.stack([_trimmed(face, dx, dy) for dx, dy in product(_SHIFTS, _SHIFTS)])
        found = (_normal(seen) @ _normal(self._templates()).T).max(axis=0)
        both = found.reshape(2, -1).max(axis=0)
        result = np.full(52, -1.0)
        np.maximum.at(result, self.cards, both)
        return result

    def log_p(self, likeness: Floats, sharpness: float) -> Floats:
        """(52,) log-probabilities of the cards from their likeness to a face.

        What a template leaves unexplained is taken for noise, so a correlation r of ``2 * sharpness``
        independent places has the likelihood ``(1 - r²) ** -sharpness``.
        """
        nats = -sharpness * np.log(1.0 - np.clip(likeness, 0.0, 0.9995) ** 2)
        shifted = np.maximum(nats - nats.max(), _LEAST_NATS)
        return np.asarray(shifted - np.log(np.exp(shifted).sum()), dtype=np.float64)

    def _templates(self) -> Face:
        upright = self.faces[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
        return np.concatenate([upright, upright[:, ::-1, ::-1]])


_MARGIN: Final = _TRIM + max(_SHIFTS)


def _trimmed(face: Face, dx: int, dy: int) -> Face:
    return face[_MARGIN + dy : FACE_HEIGHT - _MARGIN + dy, _MARGIN + dx : FACE_WIDTH - _MARGIN + dx]


def _normal(faces: Face) -> Face:
    flat = faces.reshape(len(faces), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6), np.float32)


def mean_face(faces: Sequence[Face]) -> Face:
    """The mean of faces of one card."""
    return np.asarray(np.mean(faces, axis=0), np.float32)
