"""A deck as the scenes need it: 52 flat pictures, and where on them the index is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import ALPHABETS, GLYPHS
from kemps_training.errors import WorkspaceError

Image = NDArray[np.uint8]

RANKS = "A23456789TJQK"
SUITS = "cdhs"
FACE_WIDTH_PX = 240
FACES = len(RANKS) * len(SUITS)

# What a deck of each alphabet prints for the ranks; where an alphabet has several, the first.
PRINTED = {
    name: tuple(next(glyph for glyph in meanings if meanings[glyph] == rank) for rank in RANKS)
    for name, meanings in ALPHABETS.items()
}


def face_number(rank: int, suit: int) -> int:
    """The place of a face in `Deck.faces`."""
    return rank * len(SUITS) + suit


@dataclass(frozen=True, slots=True)
class IndexBox:
    """The top-left index of a face, in px; ``split`` is the row between its rank and its suit."""

    left: float
    top: float
    right: float
    bottom: float
    split: float

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box, which is the index centre that the detector finds."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def half_height(self) -> float:
        """The length of the up vector on the face: from the centre to the top of the rank."""
        return (self.bottom - self.top) / 2


@dataclass(frozen=True, slots=True)
class Deck:
    """Faces ``(52, h, 240, 3)`` RGB; ``usable[i]`` is false for faces that are lacking or not standard.

    ``corners`` is 2 (top left and bottom right) or 4; ``weight`` says how often the deck is drawn;
    ``split`` is "train" or "held_out", which is never trained on; ``glyphs`` are what is printed for each of
    ``RANKS``.
    """

    name: str
    faces: Image
    usable: NDArray[np.bool_]
    box: IndexBox
    corners: int = 2
    weight: float = 1.0
    split: str = "train"
    licence: str = "made here"
    glyphs: tuple[str, ...] = PRINTED["international"]

    def glyph_class(self, number: int) -> int:
        """The class of what is printed as the rank of a face: its place in `GLYPHS`."""
        return GLYPHS.index(self.glyphs[number // len(SUITS)])

    def face(self, number: int) -> Image:
        """One face as an array in memory."""
        return np.asarray(self.faces[number])


def save_deck(deck: Deck, folder: Path) -> None:
    """Writes ``deck`` under ``folder``; `load_decks` reads it back."""
    place = folder / deck.name
    place.mkdir(parents=True, exist_ok=True)
    np.save(place / "faces.npy", deck.faces)
    facts = {
        "usable": deck.usable.tolist(),
        "box": asdict(deck.box),
        "corners": deck.corners,
        "weight": deck.weight,
        "split": deck.split,
        "licence": deck.licence,
        "glyphs": list(deck.glyphs),
    }
    (place / "deck.json").write_text(json.dumps(facts))


def load_deck(place: Path) -> Deck:
    """The deck in the folder ``place``; its faces stay on disk until used."""
    try:
        facts = json.loads((place / "deck.json").read_text())
        faces = np.load(place / "faces.npy", mmap_mode="r")
    except (OSError, ValueError) as error:
        raise WorkspaceError(
            f"{place} holds no readable deck ({error}); delete it and make the decks again"
        ) from error
    facts["box"] = IndexBox(**facts["box"])
    facts["glyphs"] = tuple(facts.get("glyphs", PRINTED["international"]))
    facts["usable"] = np.array(facts["usable"], dtype=bool)
    return Deck(name=place.name, faces=faces, **facts)


def load_decks(folder: Path, split: str) -> list[Deck]:
    """All decks of ``split`` under ``folder``, by name."""
    decks = [load_deck(place.parent) for place in sorted(folder.glob("*/deck.json"))]
    chosen = [deck for deck in decks if deck.split == split]
    if not chosen:
        raise WorkspaceError(f"no {split} decks in {folder}; run `python -m kemps_training decks` first")
    return chosen
