"""The made-up table: games simulated, clips rendered with exact truth.

How a journal becomes a clip, and where to read on: `script.py` turns events into acts (`acts.py`,
`dealing.py`, `showing.py`) of a `troupe.py` of hands and cards that move (`motion.py`) between the places
of a `layout.py`; `stage.py` renders what `things.py` draws over a `backdrop.py`, seen by a `camera.py`;
`witness.py` counts what is to be seen and `truth.py` writes it down; `clips.py` puts it all together. The
art is in `deck.py` and `arms.py`.
"""

from __future__ import annotations

from kemps_scenes.clips import cached_clip, render_clip, render_scene
from kemps_scenes.deck import Deck, deck_sheet, open_deck
from kemps_scenes.errors import SceneError, ScenesError, SpecError
from kemps_scenes.pacing import paced
from kemps_scenes.spec import SceneSpec
from kemps_scenes.truth import ClipPaths, Truth

__all__ = [
    "ClipPaths",
    "Deck",
    "SceneError",
    "SceneSpec",
    "ScenesError",
    "SpecError",
    "Truth",
    "cached_clip",
    "deck_sheet",
    "open_deck",
    "paced",
    "render_clip",
    "render_scene",
]
