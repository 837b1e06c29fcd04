"""The decks: how each one's indices, pips, courts and paper look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kemps_scenes.errors import SpecError
from kemps_scenes.glyphs import Face
from kemps_scenes.pen import Colour, Points
from kemps_scenes.pips import SUIT_OUTLINES

CARD_MM: Final = (63.0, 88.0)  # poker size, also the default of real decks


@dataclass(frozen=True, slots=True, kw_only=True)
class Inks:
    """The colours of a deck: of each suit, and those of the court figures."""

    clubs: Colour = (22, 22, 26)
    diamonds: Colour = (200, 22, 38)
    hearts: Colour = (200, 22, 38)
    spades: Colour = (22, 22, 26)
    red: Colour = (196, 36, 44)
    blue: Colour = (38, 66, 140)
    gold: Colour = (240, 190, 60)
    line: Colour = (24, 24, 30)
    skin: Colour = (250, 226, 204)

    def of(self, suit: str) -> Colour:
        """The colour of a suit's sign and index."""
        return {"c": self.clubs, "d": self.diamonds, "h": self.hearts, "s": self.spades}[suit]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckLook:
    """One deck's look; lengths in millimetres on a card of 63 x 88.

    Attributes:
        rank_mm: Height of the rank in the index.
        suit_mm: Height of the suit sign under it.
        index_x: Distance of the index's middle from the card's left edge.
        index_top: Distance of the rank's top from the card's upper edge.
        pip_mm: Height of the pips in the middle.
        field_mm: Half the distance between the outer columns, and rows, of pips.
        frame: Whether courts stand in a ruled frame.
        corners: In how many corners the index stands, 2 or 4.
        courts: ``figures``, or ``emblems``: one large sign of the rank, as plain decks have.
        letters: What is printed for ranks whose letter is not the usual one.
        bare: Ranks that have no corner index.
        plaque: Whether the index stands in the paper's colour on a plate of the suit's.
        signs: The outlines of the suits' signs, as in ``SUIT_OUTLINES``.
    """

    name: str
    face: Face
    inks: Inks = field(default_factory=Inks)
    paper: Colour = (252, 251, 247)
    rank_mm: float = 10.6
    suit_mm: float = 7.6
    index_x: float = 6.4
    index_top: float = 4.2
    pip_mm: float = 13.0
    field_mm: tuple[float, float] = (11.2, 27.0)
    frame: bool = True
    corners: int = 2
    courts: str = "figures"
    letters: Mapping[str, str] = field(default_factory=dict)
    bare: str = ""
    plaque: bool = False
    signs: Mapping[str, tuple[Points, ...]] = field(
        default_factory=lambda: SUIT_OUTLINES, compare=False, repr=False
    )

    @property
    def index_mm(self) -> float:
        """Height of the whole index, from the rank's top to the suit's foot."""
        return self.rank_mm + 1.5 + self.suit_mm


DECKS: Final[dict[str, DeckLook]] = {
    look.name: look
    for look in (
        DeckLook(name="club", face=Face(weight=0.185, contrast=0.62, width=0.60, serif=0.085)),
        DeckLook(
            name="modern",
            face=Face(weight=0.165, width=0.62),
            inks=Inks(clubs=(16, 122, 62), diamonds=(20, 92, 190), hearts=(212, 28, 44), blue=(24, 88, 150)),
            paper=(253, 253, 253),
            rank_mm=11.2,
            frame=False,
        ),
        DeckLook(
            name="jumbo",
            face=Face(weight=0.19, width=0.60),
            rank_mm=15.2,
            suit_mm=10.4,
            index_x=7.6,
            index_top=3.8,
            pip_mm=11.5,
            field_mm=(9.4, 27.0),
            frame=False,
        ),
        DeckLook(
            name="antique",
            face=Face(weight=0.135, contrast=0.45, width=0.56, serif=0.11),
            inks=Inks(
                diamonds=(166, 40, 36),
                hearts=(166, 40, 36),
                clubs=(38, 34, 36),
                spades=(38, 34, 36),
                red=(160, 48, 42),
                blue=(50, 84, 100),
                gold=(206, 160, 76),
                line=(44, 36, 34),
            ),
            paper=(243, 234, 212),
            rank_mm=10.2,
            suit_mm=7.2,
        ),
        DeckLook(
            name="slant",
            face=Face(weight=0.17, contrast=0.25, width=0.60, slant=0.16),
            inks=Inks(diamonds=(220, 90, 20), clubs=(26, 52, 110), red=(214, 72, 48), blue=(46, 54, 122)),
            paper=(250, 250, 252),
            rank_mm=10.8,
            suit_mm=7.0,
            frame=False,
        ),
        DeckLook(
            name="bridge",
            face=Face(weight=0.15, contrast=0.35, width=0.52, serif=0.05),
            rank_mm=8.4,
            suit_mm=5.6,
            index_x=5.2,
            index_top=3.6,
            pip_mm=11.0,
            field_mm=(12.4, 28.0),
        ),
        DeckLook(
            name="poster",
            face=Face(weight=0.235, width=0.70),
            inks=Inks(diamonds=(226, 30, 52), hearts=(226, 30, 52), gold=(244, 204, 92)),
            paper=(255, 255, 255),
            rank_mm=11.4,
            suit_mm=8.6,
            index_x=7.4,
            index_top=4.6,
            frame=False,
            courts="emblems",
        ),
        DeckLook(
            name="fine",
            face=Face(weight=0.105, contrast=0.5, width=0.64, serif=0.075),
            inks=Inks(diamonds=(186, 46, 66), hearts=(186, 46, 66), clubs=(44, 48, 56), spades=(44, 48, 56)),
            paper=(249, 250, 250),
            rank_mm=9.8,
            suit_mm=6.4,
            index_x=6.2,
            index_top=5.0,
            pip_mm=11.6,
        ),
        DeckLook(
            name="quarters",
            face=Face(weight=0.175, contrast=0.3, width=0.58),
            rank_mm=10.0,
            suit_mm=7.0,
            index_x=6.0,
            field_mm=(8.6, 27.0),
            pip_mm=10.6,
            frame=False,
            corners=4,
        ),
        DeckLook(
            name="column",
            face=Face(weight=0.15, width=0.42),
            inks=Inks(diamonds=(206, 18, 30), hearts=(206, 18, 30), red=(206, 40, 40), blue=(32, 74, 120)),
            rank_mm=13.0,
            suit_mm=5.4,
            index_x=5.6,
            index_top=3.4,
            courts="emblems",
        ),
    )
}


def deck_look(name: str) -> DeckLook:
    """The deck of that name.

    Raises:
        SpecError: There is no such deck.
    """
    if name not in DECKS:
        raise SpecError(f"no deck {name!r}; there are {', '.join(DECKS)}")
    return DECKS[name]
