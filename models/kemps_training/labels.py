"""What is known of each index in a made-up picture, and the sums that go with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Columns of a label row; the order of the stored pools.
CENTRE, UP, RIGHT, MIDDLE = slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 8)
RANK, SUIT, VISIBLE, RANK_VISIBLE, SUIT_VISIBLE = 8, 9, 10, 11, 12
COLUMNS = 13

# An index counts as readable when this much shows of the whole, of its rank and of its suit.
READABLE = (0.7, 0.92, 0.5)


@dataclass(frozen=True, slots=True)
class IndexLabel:
    """One index: pose in picture px, identity, and how much of it is in sight (0..1).

    ``up`` leads from the index centre to the top of its rank; ``right``, as long on the card, to its right;
    ``middle`` is the middle of its card; ``rank`` is the class of the printed glyph, a place in `GLYPHS`.
    """

    centre: Floats
    up: Floats
    right: Floats
    middle: Floats
    rank: int
    suit: int
    visible: float
    rank_visible: float
    suit_visible: float

    def row(self) -> NDArray[np.float32]:
        """The label as a row of a pool, (13,)."""
        poses = np.concatenate([self.centre, self.up, self.right, self.middle])
        rest = [self.rank, self.suit, self.visible, self.rank_visible, self.suit_visible]
        return np.concatenate([poses, rest]).astype(np.float32)


def is_readable(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which of the label ``rows`` (n, 13) show the whole rank and at least half the suit."""
    whole, rank, suit = READABLE
    return np.asarray(
        (rows[:, VISIBLE] >= whole) & (rows[:, RANK_VISIBLE] >= rank) & (rows[:, SUIT_VISIBLE] >= suit)
    )


def height_and_width(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """For each of ``rows``: the length of up, and how wide right is across up, both in px."""
    up, right = rows[:, UP], rows[:, RIGHT]
    height = np.asarray(np.hypot(up[:, 0], up[:, 1]) + np.float32(1e-6), np.float32)
    across = np.abs(up[:, 0] * right[:, 1] - up[:, 1] * right[:, 0]) / height
    return height, np.asarray(across, np.float32)


# Columns of a row about a card that lies face down: its corners in turn, and how much of it is in sight.
BACK_QUAD, BACK_VISIBLE, BACK_COLUMNS = slice(0, 8), 8, 9


def turned_backs(backs: NDArray[np.float32], turns: int, side: int) -> NDArray[np.float32]:
    """Rows about face-down cards after ``np.rot90(picture, turns)`` of a picture of ``side`` px."""
    turned = backs.copy()
    for _ in range(turns % 4):
        x, y = turned[:, 0:8:2].copy(), turned[:, 1:8:2].copy()
        turned[:, 0:8:2], turned[:, 1:8:2] = y, side - 1 - x
    return turned


def quarter_turns(rows: NDArray[np.float32], turns: int, side: int) -> NDArray[np.float32]:
    """``rows`` after the picture of ``side`` px was turned by ``np.rot90(picture, turns)``."""
    turned = rows.copy()
    for _ in range(turns % 4):
        for columns in (CENTRE, MIDDLE):
            x, y = turned[:, columns].T.copy()
            turned[:, columns] = np.column_stack([y, side - 1 - x])
        for columns in (UP, RIGHT):
            x, y = turned[:, columns].T.copy()
            turned[:, columns] = np.column_stack([y, -x])
    return turned
