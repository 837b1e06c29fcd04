"""Decks that read badly until they are enrolled; none is among ``looks.DECKS``: nothing else draws them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from kemps_scenes.deck import Deck
from kemps_scenes.errors import SpecError
from kemps_scenes.glyphs import Face
from kemps_scenes.looks import DeckLook, Inks
from kemps_scenes.pen import Points, arc


def _outline(*points: tuple[float, float]) -> Points:
    return np.asarray(points, np.float64)


_RING: Final = np.vstack([arc((0, 0), (0.46, 0.46), 0, 360, 40), arc((0, 0), (0.26, 0.26), 360, 0, 40)])
_SWORD: Final = (
    _outline((0, -0.5), (0.07, -0.36), (0.07, 0.16), (-0.07, 0.16), (-0.07, -0.36)),
    _outline((-0.26, 0.14), (0.26, 0.14), (0.26, 0.22), (-0.26, 0.22)),
    _outline((-0.05, 0.2), (0.05, 0.2), (0.05, 0.5), (-0.05, 0.5)),
)
_CUP: Final = (
    np.vstack([_outline((-0.36, -0.46), (0.36, -0.46)), arc((0, -0.2), (0.34, 0.36), 0, 180, 24)]),
    _outline((-0.06, 0.1), (0.06, 0.1), (0.08, 0.36), (0.28, 0.5), (-0.28, 0.5), (-0.08, 0.36)),
)
_CUDGEL: Final = (
    _outline((-0.1, 0.5), (-0.24, -0.3), (-0.1, -0.5), (0.16, -0.46), (0.24, -0.2), (0.08, 0.5)),
    arc((-0.27, 0.0), (0.1, 0.07), 0, 360, 16),
    arc((0.26, 0.12), (0.1, 0.07), 0, 360, 16),
)
LATIN_SIGNS: Final[Mapping[str, tuple[Points, ...]]] = {
    "h": _CUP,
    "d": (_RING,),
    "s": _SWORD,
    "c": _CUDGEL,
}
"""Cups, coins, swords and cudgels, as in Spain and Italy."""

_STAR: Final = _outline(
    *(
        (0.5 * r * np.sin(a), -0.5 * r * np.cos(a))
        for a, r in zip(np.radians(range(0, 360, 45)), [1, 0.34] * 4, strict=True)
    )
)
DRAWN_SIGNS: Final[Mapping[str, tuple[Points, ...]]] = {
    "h": (
        np.vstack(
            [
                _outline((0, 0.5), (-0.42, -0.1)),
                arc((-0.22, -0.2), (0.22, 0.3), 180, 330),
                _outline((0, -0.02)),
            ]
        ),
        np.vstack(
            [_outline((0, 0.5), (0.3, 0.0)), arc((0.2, -0.2), (0.12, 0.16), 360, 200), _outline((0, 0.02))]
        ),
    ),
    "d": (_STAR,),
    "s": (
        np.vstack([arc((0.0, 0.0), (0.34, 0.5), -90, 90, 24), arc((-0.0, 0.0), (0.2, 0.34), 90, 270, 24)]),
        _outline((-0.03, 0.2), (0.03, 0.2), (0.12, 0.5), (-0.12, 0.5)),
    ),
    "c": (
        arc((-0.24, -0.22), (0.2, 0.16), 0, 360, 20),
        arc((0.24, -0.22), (0.2, 0.16), 0, 360, 20),
        arc((0.0, -0.32), (0.14, 0.18), 0, 360, 20),
        arc((0.0, 0.1), (0.3, 0.2), 0, 360, 20),
        _outline((-0.02, 0.1), (0.02, 0.1), (0.06, 0.5), (-0.06, 0.5)),
    ),
}
"""The four usual suits as an artist may draw them: a lopsided heart, a star, a leaf, a clover in flower."""

ODD_DECKS: Final[dict[str, DeckLook]] = {
    look.name: look
    for look in (
        DeckLook(
            name="tiny",
            face=Face(weight=0.13, contrast=0.3, width=0.56, serif=0.05),
            rank_mm=4.6,
            suit_mm=3.4,
            index_x=4.2,
            index_top=3.2,
            pip_mm=11.0,
        ),
        DeckLook(
            name="script",
            face=Face(weight=0.105, contrast=0.55, width=0.6, slant=0.2),
            letters={"A": "𝒜", "J": "𝒥", "Q": "𝒬", "K": "𝒦"},
            signs=DRAWN_SIGNS,
            inks=Inks(diamonds=(170, 30, 60), hearts=(170, 30, 60), red=(150, 60, 80), gold=(214, 180, 110)),
            rank_mm=8.2,
            suit_mm=5.6,
            index_x=6.0,
            pip_mm=12.0,
            frame=False,
        ),
        DeckLook(
            name="bare",
            face=Face(weight=0.15, contrast=0.4, width=0.56, serif=0.06),
            bare="AJQK",
            rank_mm=6.4,
            suit_mm=4.8,
            index_x=5.2,
            paper=(247, 242, 230),
        ),
        DeckLook(
            name="greek",
            face=Face(weight=0.14, contrast=0.35, width=0.6, serif=0.07),
            letters={"J": "Φ", "Q": "N", "K": "P"},
            bare="A",
            rank_mm=8.6,
            suit_mm=6.2,
            index_x=6.0,
        ),
        DeckLook(
            name="latin",
            face=Face(weight=0.2, width=0.6),
            signs=LATIN_SIGNS,
            inks=Inks(
                clubs=(40, 110, 50), diamonds=(196, 140, 20), hearts=(190, 40, 40), spades=(40, 70, 150)
            ),
            rank_mm=8.0,
            suit_mm=7.0,
            index_x=6.2,
            frame=False,
        ),
        DeckLook(
            name="plaque",
            face=Face(weight=0.17, width=0.6),
            plaque=True,
            inks=Inks(
                clubs=(20, 140, 150), diamonds=(226, 120, 20), hearts=(206, 40, 130), spades=(90, 50, 150)
            ),
            paper=(250, 246, 236),
            rank_mm=8.0,
            suit_mm=6.0,
            index_x=5.8,
            index_top=4.4,
            frame=False,
        ),
    )
}
"""Tiny indices; a running hand and drawn suits; aces and courts without index; Greek letters; Latin suits;
white indices on coloured plates."""


DRAWN: Final = "drawn-"
"""``drawn-N`` names the odd deck that is drawn by lot from the seed N."""

_LETTERS: Final[tuple[Mapping[str, str], ...]] = (
    {},
    {"A": "𝒜", "J": "𝒥", "Q": "𝒬", "K": "𝒦"},
    {"J": "Φ", "Q": "N", "K": "P"},
)
_BARE: Final = ("", "", "A", "JQK", "AJQK")
_INKS: Final = (
    Inks(),
    Inks(clubs=(40, 110, 50), diamonds=(196, 140, 20), hearts=(190, 40, 40), spades=(40, 70, 150)),
    Inks(clubs=(20, 140, 150), diamonds=(226, 120, 20), hearts=(206, 40, 130), spades=(90, 50, 150)),
)


def drawn_odd_look(seed: int) -> DeckLook:
    """An odd deck's look, its letters, signs, inks, sizes and bare ranks drawn by lot."""
    rng = np.random.default_rng([seed, 403])
    return DeckLook(
        name=f"{DRAWN}{seed}",
        face=Face(
            weight=float(rng.uniform(0.1, 0.2)),
            contrast=float(rng.uniform(0.0, 0.5)),
            width=float(rng.uniform(0.52, 0.64)),
            serif=float(rng.choice([0.0, 0.06])),
            slant=float(rng.choice([0.0, 0.15])),
        ),
        letters=_LETTERS[int(rng.integers(len(_LETTERS)))],
        signs=(LATIN_SIGNS, DRAWN_SIGNS)[int(rng.integers(2))],
        inks=_INKS[int(rng.integers(len(_INKS)))],
        bare=_BARE[int(rng.integers(len(_BARE)))],
        plaque=bool(rng.uniform() < 0.25),
        rank_mm=float(rng.uniform(4.8, 8.6)),
        suit_mm=float(rng.uniform(3.6, 6.6)),
        index_x=float(rng.uniform(4.4, 6.2)),
        pip_mm=float(rng.uniform(10.5, 13.0)),
        frame=bool(rng.integers(2)),
    )


@lru_cache(maxsize=8)
def open_odd_deck(name: str, back: str = "lattice") -> Deck:
    """The odd deck of that name; ``drawn-N`` is one drawn by lot.

    Raises:
        SpecError: There is no such deck or back.
    """
    if name.startswith(DRAWN) and name.removeprefix(DRAWN).isdecimal():
        return Deck(drawn_odd_look(int(name.removeprefix(DRAWN))), back)
    if name not in ODD_DECKS:
        raise SpecError(f"no odd deck {name!r}; there are {', '.join(ODD_DECKS)} and {DRAWN}N")
    return Deck(ODD_DECKS[name], back)
