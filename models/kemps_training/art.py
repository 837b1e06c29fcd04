"""Deck art from packages, rendered to decks."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from kemps_training.decks import FACE_WIDTH_PX, PRINTED, Deck, Image, IndexBox, save_deck
from kemps_training.errors import FetchError
from kemps_training.index_box import find_index_box
from kemps_training.packages import load_sources
from kemps_training.rendering import FINENESS, flat_face, render_svg, sheet_faces
from kemps_training.workspace import Workspace

# How often a deck of art is drawn; one drawn by chance has 0.9.
WEIGHT = 2.5


def render_art(workspace: Workspace, fetched: Path) -> list[str]:
    """Renders every deck of `sources.toml` that is not rendered yet; returns the names of all that stand."""
    names = []
    for family in load_sources()["art"]:
        for name in family["names"]:
            full_name = f"{family['family']}_{name}"
            if not (workspace.decks / full_name / "deck.json").exists():
                deck = _render_deck(full_name, name, family, fetched)
                if deck is None:
                    continue
                save_deck(deck, workspace.decks)
            names.append(full_name)
    return names


def _render_deck(full_name: str, name: str, family: dict[str, Any], fetched: Path) -> Deck | None:
    faces = _RENDERERS[family["kind"]](name, family, fetched)
    found = [face for face in faces if face is not None and face.shape[0] > FACE_WIDTH_PX]
    if len(found) < 40:
        return None
    height = int(np.median([face.shape[0] for face in found]))
    blank = np.full((height, FACE_WIDTH_PX, 3), 255, np.uint8)
    even = [blank if face is None else cv2.resize(face, (FACE_WIDTH_PX, height)) for face in faces]
    facts = family.get("decks", {}).get(name, {})
    box = IndexBox(*facts["box"]) if "box" in facts else find_index_box([np.asarray(f) for f in even[4:36]])
    if box is None:
        return None
    usable = np.array([face is not None for face in faces])
    return Deck(
        name=full_name,
        faces=np.stack([np.asarray(face, np.uint8) for face in even]),
        usable=usable,
        box=box,
        corners=facts.get("corners", 2),
        weight=facts.get("weight", WEIGHT),
        split=facts.get("split", "train"),
        licence=family["licence"],
        glyphs=PRINTED[facts.get("alphabet", "international")],
    )


def _from_sheet(name: str, family: dict[str, Any], fetched: Path) -> list[Image | None]:
    return sheet_faces(fetched / family["files"].format(name=name))


def _from_ids(name: str, family: dict[str, Any], fetched: Path) -> list[Image | None]:
    sources = sorted(fetched.glob(family["files"].format(name=name)))
    if not sources:
        raise FetchError(f"the art of deck {name} is not among the fetched files")
    return [
        _flat(render_svg(sources[0], FACE_WIDTH_PX * FINENESS, element)) for element in _spellings(family)
    ]


def _from_files(name: str, family: dict[str, Any], fetched: Path) -> list[Image | None]:
    folder = fetched / family["files"].format(name=name)
    return [_flat(render_svg(folder / file, FACE_WIDTH_PX * FINENESS)) for file in _spellings(family)]


def _from_jsx(_name: str, family: dict[str, Any], fetched: Path) -> list[Image | None]:
    script = Path(__file__).with_name("jsx_faces.mjs")
    with tempfile.TemporaryDirectory() as folder:
        command = ["node", str(script), str(fetched / family["files"]), folder]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise FetchError(f"the React deck art cannot be read: {done.stderr.strip().splitlines()[-1]}")
        made = {path.stem.lower(): path for path in Path(folder).glob("*.svg")}
        chosen = [made.get(spelling.lower()) for spelling in _spellings(family)]
        return [
            None if path is None else _flat(render_svg(path, FACE_WIDTH_PX * FINENESS)) for path in chosen
        ]


_RENDERERS = {"sheet": _from_sheet, "ids": _from_ids, "files": _from_files, "jsx": _from_jsx}


def _spellings(family: dict[str, Any]) -> list[str]:
    pattern: str = family["pattern"]
    return [pattern.format(rank=rank, suit=suit) for rank in family["ranks"] for suit in family["suits"]]


def _flat(rendered: Image | None) -> Image | None:
    return None if rendered is None else flat_face(rendered)
