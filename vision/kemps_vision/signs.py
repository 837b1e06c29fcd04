"""A card's large signs, read by the classifier of its small ones.

Pips are several times as large as the suit in the corner, and some decks print the letter of a court large
in its middle. Put together like an index, the letter above and the suit below, the classifier reads them as
it does an index: of a card whose index is a few px high they tell what that does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import glyph_ranks
from kemps_rules.cards import RANKS
from kemps_vision.cards.alphabets import INTERNATIONAL
from kemps_vision.cards.classify import CROP_HEIGHT, CROP_WIDTH, IndexClassifier
from kemps_vision.cards.reading import Floats, Pixels

Place: TypeAlias = tuple[float, float]

PIP_FILLS: Final = 0.75  # of the square cut out round it
PIP_SHARE: Final = 0.12  # of the card's length, the side of that square on a court
MOST_PIPS: Final = 6  # that are asked about; more say the same
COURT_PIP: Final[Place] = (0.3, 0.165)  # where a court's own large pip is, as shares of the card
LETTER_REACH: Final = 0.2  # of the card's length round its middle, in which a letter is looked for
MIDDLE_SHARE: Final = 0.05  # ... and in which some of it must lie
LEAST_LETTER_SHARE, MOST_LETTER_SHARE = 0.07, 0.38  # of the card's length, how high it is
INK_SHARE: Final = 0.35  # of the strongest ink
LEAST_INK_GREYS: Final = 20.0
LETTER_PX: Final = (24, 28)  # how high it is made in the crop
LETTER_FOOT: Final = 33  # the row of the crop that it stands on
SUIT_BOX: Final = (slice(34, 62), slice(6, 34))  # of the crop: where an index has its suit
COURTS: Final = ("J", "Q", "K")
LEAST_LETTER: Final = 0.6  # of all crops together: less is no letter
LETTER_FLOOR: Final = 0.1
FLOOR_NATS: Final = -8.0


class SignReader:
    """Reads the large signs of cards set upright, (h, w, 3) in grey levels 0..255."""

    def __init__(self, classifier: IndexClassifier) -> None:
        self._classifier = classifier

    def suits(self, card: NDArray[np.float32], places: Sequence[Place], size: float) -> Floats:
        """(4,) log-likelihoods of the suits, by pips of this size at these places, all in px of the card."""
        height, width = card.shape[:2]
        chosen = np.linspace(0, len(places) - 1, min(MOST_PIPS, len(places))).round().astype(int)
        crops = []
        for x, y in (places[place] for place in chosen):
            is_turned = y > height / 2
            upright, at = (card[::-1, ::-1], (width - 1 - x, height - 1 - y)) if is_turned else (card, (x, y))
            crops.append(_crop(upright, at, size / PIP_FILLS))
        return _agreed(self._classifier.beliefs(crops).suit_log_p, pips=len(crops))

    def court(self, card: NDArray[np.float32], alphabet: str | None) -> tuple[Floats, Floats] | None:
        """(13,) and (4,) log-likelihoods of a court by its letter and pips; None without one."""
        crops = list(_court_crops(card))
        if not crops:
            return None
        beliefs = self._classifier.beliefs(crops)
        glyphs = (1.0 - beliefs.none_p) @ np.exp(beliefs.glyph_log_p)
        means = np.array(glyph_ranks(alphabet or INTERNATIONAL))
        letters = np.array([glyphs[means == RANKS.index(rank)].sum() for rank in COURTS])
        if letters.max() < LEAST_LETTER:
            return None
        rank_log_p = np.full(len(RANKS), FLOOR_NATS)
        for rank, letter in zip(COURTS, letters.tolist(), strict=True):
            rank_log_p[RANKS.index(rank)] = np.log((letter + LETTER_FLOOR) / (letters.max() + LETTER_FLOOR))
        return rank_log_p, _agreed(beliefs.suit_log_p, pips=2)


def _agreed(log_p: Floats, *, pips: int) -> Floats:
    """(4,) what crops (n, 4) of so many pips say together: two blur in two ways, more are much the same."""
    total = log_p.mean(axis=0) * min(pips, 2)
    return np.asarray(np.maximum(total - total.max(), FLOOR_NATS), np.float64)


def _court_crops(card: NDArray[np.float32]) -> Iterator[Pixels]:
    """The two ways up of what may be a letter in the middle, each in some sizes; none where there is none."""
    letter = _letter(card)
    if letter is None:
        return
    for upright, sign in ((card, letter), (card[::-1, ::-1], letter[::-1, ::-1])):
        for height in LETTER_PX:
            pip = COURT_PIP[0] * card.shape[1], COURT_PIP[1] * card.shape[0]
            yield _crop(upright, pip, PIP_SHARE * card.shape[0], _sized(sign, height))


def _letter(card: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """(h, w, 3): the ink round the card's middle, cut out, with what is not connected to it painted over."""
    height, width = card.shape[:2]
    reach = round(LETTER_REACH * height)
    part = card[height // 2 - reach : height // 2 + reach, width // 2 - reach : width // 2 + reach]
    ground = np.median(part.reshape(-1, 3)[part.sum(axis=2).ravel() >= np.median(part.sum(axis=2))], axis=0)
    ink = np.abs(part - ground).max(axis=2)
    is_ink = np.asarray(ink > max(INK_SHARE * float(ink.max()), LEAST_INK_GREYS), np.uint8)
    _, pieces, boxes, _ = cv2.connectedComponentsWithStats(is_ink, connectivity=8)
    near = round(MIDDLE_SHARE * height)
    middle = pieces[reach - near : reach + near, reach - near : reach + near]
    found = np.bincount(middle.ravel(), minlength=len(boxes))
    found[0] = 0
    if not found.any():
        return None
    whole = [piece for piece in range(1, len(boxes)) if _is_inside(boxes[piece], 2 * reach)]
    is_letter = np.isin(pieces, [*whole, int(found.argmax())])  # faint strokes tear a letter into pieces
    rows, columns = np.nonzero(is_letter)
    top, high = int(rows.min()), int(np.ptp(rows)) + 1
    left, wide = int(columns.min()), int(np.ptp(columns)) + 1
    if not LEAST_LETTER_SHARE <= high / height <= MOST_LETTER_SHARE or wide >= 2 * reach - 1:
        return None
    is_other = (pieces > 0) & ~is_letter
    clean = np.where(is_other[:, :, None], ground.astype(np.float32), part)
    margin = 2
    cut = clean[max(0, top - margin) : top + high + margin, max(0, left - margin) : left + wide + margin]
    return np.asarray(cut, np.float32)


def _is_inside(box: NDArray[np.int32], size: int) -> bool:
    """Whether a piece touches no edge of a square of this size; ``box`` is (left, top, width, height, …)."""
    left, top, width, height = box[:4].tolist()
    return bool(left > 0 and top > 0 and left + width < size and top + height < size)


def _sized(sign: NDArray[np.float32], height: int) -> NDArray[np.float32]:
    width = min(CROP_WIDTH, max(1, round(sign.shape[1] * height / sign.shape[0])))
    return np.asarray(cv2.resize(sign, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def _crop(
    card: NDArray[np.float32], pip: Place, side: float, letter: NDArray[np.float32] | None = None
) -> Pixels:
    """(64, 40, 3): paper, the letter above if there is one, and the square round the pip below, in px."""
    crop = np.empty((CROP_HEIGHT, CROP_WIDTH, 3), np.float32)
    crop[:] = np.median(card.reshape(-1, 3), axis=0)
    if letter is not None:
        crop[: LETTER_FOOT + 2] = letter[[0, 0, -1, -1], [0, -1, 0, -1]].mean(axis=0)
        height, width = letter.shape[:2]
        left = (CROP_WIDTH - width) // 2
        crop[LETTER_FOOT - height : LETTER_FOOT, left : left + width] = letter
    rows, columns = SUIT_BOX
    height, width = rows.stop - rows.start, columns.stop - columns.start
    step = side / height
    to_card = np.array([[step, 0, pip[0] - step * width / 2], [0, step, pip[1] - step * height / 2]])
    crop[rows, columns] = cv2.warpAffine(
        np.ascontiguousarray(card),
        to_card,
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.clip(crop, 0, 255).astype(np.uint8)
