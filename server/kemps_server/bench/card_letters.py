"""Photos of a deck with German letters: read by these, by what each photo tells, by what all told so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from kemps_server.bench.card_looks import Look, LookStore, PhotoPicture
from kemps_server.bench.card_photos import Photo, outcome_of
from kemps_server.bench.card_scores import score
from kemps_vision.cards.alphabets import ANY, INTERNATIONAL, NAMES, AlphabetBelief

GIVEN: Final = "german"


def letters_report(photos: Sequence[Photo], store: LookStore, long_side_px: int) -> dict[str, Any]:
    """The figures with ``--alphabet german``, with each photo by itself, and as in a game with this deck.

    In a game the alphabet is settled by all cards seen so far; here each photo's cards are seen once, in the
    order of the list, and a photo is read by what it and those before it told.
    """
    own = [PhotoPicture(photo.path, long_side_px) for photo in photos]
    alone = list(store.looks(own))
    beliefs = _beliefs(alone)
    as_in_game = [
        replace(picture, alphabet=belief.name if belief.is_settled else ANY)
        for picture, belief in zip(own, beliefs, strict=True)
    ]
    ways = {
        "given": [replace(picture, alphabet=GIVEN) for picture in own],
        "each photo by itself": own,
        "settled over the photos": as_in_game,
    }
    figures = {
        name: score(
            [outcome_of(photo, look) for photo, look in zip(photos, store.looks(some), strict=True)]
        ).as_json()
        for name, some in ways.items()
    }
    settled = [n for n, belief in enumerate(beliefs, 1) if belief.is_settled and belief.name != INTERNATIONAL]
    return {
        "groups": figures,
        "settled_after_photos": settled[0] if settled else None,
        "settled_as": beliefs[-1].name if beliefs and beliefs[-1].is_settled else None,
    }


def _beliefs(looks: Sequence[Look]) -> list[AlphabetBelief]:
    """What is believed after each look."""
    told = np.zeros(len(NAMES))
    beliefs = []
    for look in looks:
        told = told + np.sum([np.zeros(len(NAMES)), *map(np.asarray, look.letters)], axis=0)
        beliefs.append(AlphabetBelief.from_evidence(told))
    return beliefs
