"""Photos of a deck with German letters: read by these, by what each photo tells, by what all told so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from kemps_server.bench.card_looks import Look, LookStore, PhotoPicture
from kemps_server.bench.card_photos import Outcome, Photo, outcome_of
from kemps_server.bench.card_scores import error_line, score
from kemps_vision.cards.alphabets import ANY, INTERNATIONAL, NAMES, AlphabetBelief

GERMAN: Final = "german"
GIVEN: Final = "given"


@dataclass(frozen=True, slots=True)
class LettersFigures:
    """What was measured on photos of one deck.

    Attributes:
        outcomes: For each way of telling the letters, how each photo was read.
        given: The photos as they are read when the letters are given.
        settled_after: After how many photos the alphabet was another than the international one, if ever.
        settled_as: The alphabet that was settled in the end.
    """

    outcomes: dict[str, list[Outcome]]
    given: list[PhotoPicture]
    settled_after: int | None
    settled_as: str | None

    def as_json(self) -> dict[str, Any]:
        """The figures as plain values, with the errors when the letters are given."""
        return {
            "groups": {name: score(some).as_json() for name, some in self.outcomes.items()},
            "settled_after_photos": self.settled_after,
            "settled_as": self.settled_as,
            "errors": [error_line(one) for one in self.outcomes[GIVEN] if not one.is_exact],
        }


def letters_figures(photos: Sequence[Photo], store: LookStore, long_side_px: int) -> LettersFigures:
    """The figures with ``--alphabet german``, with each photo by itself, and as in a game with this deck.

    In a game the alphabet is settled by all cards seen so far; here each photo's cards are seen once, in the
    order of the list, and a photo is read by what it and those before it told.
    """
    own = [PhotoPicture(photo.path, long_side_px) for photo in photos]
    given = [replace(picture, alphabet=GERMAN) for picture in own]
    beliefs = _beliefs(list(store.looks(own)))
    as_in_game = [
        replace(picture, alphabet=belief.name if belief.is_settled else ANY)
        for picture, belief in zip(own, beliefs, strict=True)
    ]
    ways = {GIVEN: given, "each photo by itself": own, "settled over the photos": as_in_game}
    outcomes = {
        name: [outcome_of(photo, look) for photo, look in zip(photos, store.looks(some), strict=True)]
        for name, some in ways.items()
    }
    settled = [n for n, belief in enumerate(beliefs, 1) if belief.is_settled and belief.name != INTERNATIONAL]
    last = beliefs[-1]
    return LettersFigures(
        outcomes, given, settled[0] if settled else None, last.name if last.is_settled else None
    )


def _beliefs(looks: Sequence[Look]) -> list[AlphabetBelief]:
    """What is believed after each look."""
    told = np.zeros(len(NAMES))
    beliefs = []
    for look in looks:
        told = told + np.sum([np.zeros(len(NAMES)), *map(np.asarray, look.letters)], axis=0)
        beliefs.append(AlphabetBelief.from_evidence(told))
    return beliefs
