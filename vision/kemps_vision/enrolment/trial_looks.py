"""What a learnt deck is scored with: cards of pictures that were kept back, alone and under another card.

In a game half of what is read lies in fans and hands, where a strip with one index is all that is seen of a
card. A deck without indices reads well alone and not at all there, which looks at single cards do not tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kemps_rules.cards import Card
from kemps_vision.cards.reading import CardReader, Floats, Pixels
from kemps_vision.enrolment.looks import Look, look_at

Placed = tuple[Pixels, Floats]
"""A picture of a card and the card's corners in it."""

_STRIP: Final = (0.22, 0.40)  # of the width is left of the covered card at its foot: 14 to 25 mm
_TURN: Final = (0.0, 0.22)  # radians that the card above is turned by, so that the strip opens to the top
_SHADE: Final = 0.3  # how much darker it is at the edge of the card above
_SHADE_PX: Final = 2.5
_NEAR: Final = (0.5, 0.9)  # of the card's length from its middle: alone, and with another card there


@dataclass(frozen=True, slots=True, eq=False)
class TrialLook:
    """A look at a card, and the card that lies over it, if one does."""

    card: Card
    look: Look
    above: Card | None

    def outcome(self, reader: CardReader) -> bool | None:
        """Whether the card is read right; False when it is another that is read, None when it is not read."""
        read = reader.read(self.look.pixels, card_length_px=self.look.card_px).known
        middle = self.look.quad.mean(axis=0)
        reach = self.look.card_px * _NEAR[self.above is not None]
        names = {one.card for one in read if np.linalg.norm(one.centre - middle) < reach}
        if names - {self.card, self.above}:
            return False
        return True if self.card in names else None


def trial_looks(kept_back: Mapping[Card, Sequence[Placed]], rng: np.random.Generator) -> list[TrialLook]:
    """Two looks at each card: one at the card alone, one with the strip at its left uncovered."""
    cards = sorted(card for card, pictures in kept_back.items() if pictures)
    alone = [
        TrialLook(card, look_at(*kept_back[card][int(rng.integers(len(kept_back[card])))], rng), None)
        for card in cards
    ]
    order = [cards[int(n)] for n in rng.permutation(len(cards))]
    above = dict(zip(order, [*order[1:], *order[:1]], strict=True)) if len(order) > 1 else {}
    covered = []
    for card, other in sorted(above.items()):
        picture, quad = kept_back[card][int(rng.integers(len(kept_back[card])))]
        under = laid_over(picture, quad, *kept_back[other][0], rng)
        covered.append(TrialLook(card, look_at(under, quad, rng), other))
    return alone + covered


def laid_over(
    picture: Pixels, quad: Floats, other: Pixels, other_quad: Floats, rng: np.random.Generator
) -> Pixels:
    """The picture with the card of another laid over its card, as the next one of a fan or a row lies."""
    turn, strip = rng.uniform(*_TURN), rng.uniform(*_STRIP)
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    c, s = np.cos(turn), np.sin(turn)
    ratio = float(np.linalg.norm(down)) / max(float(np.linalg.norm(across)), 1e-6)
    right, below = across * c + down * (s / ratio), down * c - across * (s * ratio)
    foot = quad[3] + strip * across
    place = np.stack([foot - below, foot - below + right, foot + right, foot])
    warp = cv2.getPerspectiveTransform(other_quad.astype(np.float32), place.astype(np.float32))
    size = (picture.shape[1], picture.shape[0])
    card = cv2.warpPerspective(other, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros(picture.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, np.round(place * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    shade = 1.0 - _SHADE * cv2.GaussianBlur(mask, (0, 0), _SHADE_PX)[..., None]
    share = cv2.GaussianBlur(mask, (0, 0), 0.6)[..., None]
    return np.asarray(np.clip(card * share + picture * shade * (1 - share), 0, 255), np.uint8)
