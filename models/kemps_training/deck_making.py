"""Makes all decks of a training: rendered art and decks by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kemps_models.alphabets import ALPHABETS
from kemps_training.art import render_art
from kemps_training.decks import PRINTED, Deck, face_number, load_decks, save_deck
from kemps_training.glyphs import (
    STROKE_FONTS,
    Font,
    SuitSet,
    distinct,
    drawn_suits,
    face_suits,
    find_fonts,
    font_suits,
    is_held_out,
)
from kemps_training.packages import fetch_packages
from kemps_training.procedural import make_deck
from kemps_training.workspace import Workspace

SEED = 20_240
TRAIN_DECKS = 340
HELD_OUT_DECKS = 44
# The first decks are international; of those after them two in three print other letters.
INTERNATIONAL_DECKS = {"train": 150, "held_out": 16}
OTHER_ALPHABETS = tuple(name for name in ALPHABETS if name != "international")
SPLITS = ("train", "held_out")


def make_decks(workspace: Workspace, train: int = TRAIN_DECKS, held_out: int = HELD_OUT_DECKS) -> int:
    """Fetches, renders and draws whatever is missing; returns how many decks stand."""
    fetched = fetch_packages(workspace)
    render_art(workspace, fetched)
    missing = _missing(workspace, train, held_out)
    if missing:
        art = [deck for deck in load_decks(workspace.decks, "train") if not deck.name.startswith("chance_")]
        fonts = find_fonts(fetched)
        suits = distinct(font_suits(fetched) + _art_suits(art))
        courts = [deck for deck in art if deck.usable.all() and deck.glyphs == PRINTED["international"]]
        for split in SPLITS:
            is_held = split == "held_out"
            own_fonts = [font for font in fonts if is_held_out(font.name) == is_held]
            own_suits = [design for design in suits if is_held_out(design.name) == is_held]
            _draw(workspace, missing, split, own_fonts, own_suits, courts)
    return sum(1 for _ in workspace.decks.glob("*/deck.json"))


def make_smoke_decks(workspace: Workspace, train: int = 6, held_out: int = 2) -> int:
    """A few decks from stroke fonts and drawn suits, for which nothing is fetched; returns how many stand."""
    missing = _missing(workspace, train, held_out)
    for split in SPLITS:
        _draw(workspace, missing, split, STROKE_FONTS, [], [])
    return sum(1 for _ in workspace.decks.glob("*/deck.json"))


def _missing(workspace: Workspace, train: int, held_out: int) -> dict[str, str]:
    """Names of the decks by chance that do not stand yet, with their split."""
    wanted = {f"chance_{number:03d}": "train" for number in range(train)}
    wanted |= {f"chance_h{number:02d}": "held_out" for number in range(held_out)}
    return {
        name: split for name, split in wanted.items() if not (workspace.decks / name / "deck.json").exists()
    }


def _draw(
    workspace: Workspace,
    missing: dict[str, str],
    split: str,
    fonts: Sequence[Font],
    suits: list[SuitSet],
    courts: list[Deck],
) -> None:
    for name in [name for name, wanted in missing.items() if wanted == split]:
        rng = np.random.default_rng([SEED, *name.encode()])
        own_suits = suits + [drawn_suits(rng) for _ in range(max(2, len(suits) // 3))]
        deck = None
        while deck is None:
            deck = make_deck(rng, name, fonts, own_suits, courts, split, alphabet_of(name, split))
        save_deck(deck, workspace.decks)


def alphabet_of(name: str, split: str) -> str:
    """The letters of the deck by chance called ``name``, which ends with its number."""
    later = int(name.rpartition("_")[2].removeprefix("h")) - INTERNATIONAL_DECKS[split]
    if later < 0 or later % 3 == 0:
        return "international"
    return OTHER_ALPHABETS[(later - 1 - later // 3) % len(OTHER_ALPHABETS)]


def _art_suits(art: list[Deck]) -> list[SuitSet]:
    twos = [face_number(1, suit) for suit in range(4)]
    found = [face_suits(deck.name, np.asarray(deck.faces[twos])) for deck in art]
    return [suits for suits in found if suits is not None]
