"""The clips that followers of cards are measured on: tables full of cards, short games, and promises.

A promise is a clip of which it is known what must be told: nothing while a table is still for ten seconds
or a hand covers a card for five, and a take and a lay when a card was swapped under the hand.

The decks are this package's own; nothing here is used in training. A trial of a number is always the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CentreSwept,
    CentreTurned,
    Event,
    GameOpened,
    HandShown,
)
from kemps_rules.journal import format_event
from kemps_scenes.backs import BACKS
from kemps_scenes.camera import VIEWS
from kemps_scenes.looks import deck_look
from kemps_scenes.pacing import paced
from kemps_scenes.script import Scene, plan_scene
from kemps_scenes.sightings import Sightings
from kemps_scenes.spec import PACKETS, SURFACES, SceneSpec
from kemps_scenes.stage import Stage
from kemps_scenes.tables import covered_scene, still_scene, table_scene
from kemps_scenes.truth import table_toml
from kemps_scenes.video import ClipWriter

TRIAL_DECKS: Final = ("club", "modern", "jumbo", "antique", "slant")
FIRST_SEED: Final = 90_001
FIRST_PROMISE: Final = 95_001
PROMISES: Final = ("still", "covered", "swapped")
GAME_EVERY: Final = 8  # each so-manieth trial is a game, ...
SIZES: Final[dict[int, tuple[int, int]]] = {8: (640, 360), 14: (1920, 1080)}
"""Sizes of the picture of some trials among each eighteen; the others have 1280x720."""

LIGHTS: Final[dict[str, dict[str, float]]] = {
    "steady": {},
    "flickering": {"flicker": 0.05},
    "changing": {"light_change": 0.25},
    "noisy": {"noise": 4.5},
    "steady, camera shakes": {"shake_px": 1.2},
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One clip to be.

    ``kind`` is ``table``, ``game`` or one of ``PROMISES``, ``light`` a name of ``LIGHTS``.
    """

    name: str
    kind: str
    light: str
    spec: SceneSpec

    def scene(self) -> Scene:
        """What happens in it."""
        centre, others = _dealt(self.spec.seed)
        match self.kind:
            case "table":
                return table_scene(self.spec)
            case "still":
                return still_scene(self.spec, centre, others[1:])
            case "covered":
                return covered_scene(self.spec, centre)
            case "swapped":
                return covered_scene(self.spec, centre, swapped_for=others[0])
            case _:
                return plan_scene(short_game(self.spec.seed), self.spec)

    @property
    def promised(self) -> tuple[str, ...]:
        """What must be told of a promise after the centre, as ``card_taken 9s``."""
        centre, others = _dealt(self.spec.seed)
        return (f"card_taken {centre[1]}", f"card_laid {others[0]}") if self.kind == "swapped" else ()


@dataclass(frozen=True, slots=True)
class TrialPaths:
    """A rendered trial: the clip, and its truth as JSON.

    The truth holds ``stays`` (see :class:`~kemps_scenes.sightings.Stay`), ``centre``, ``calls`` as lines of a
    journal, ``table`` as the text of a table.toml, ``fps`` and ``spec``.
    """

    clip: Path
    truth: Path


def trials(count: int) -> list[Trial]:
    """The first ``count`` trials; decks and surfaces are gone through evenly, the rest is drawn by lot."""
    return [_trial(number) for number in range(count)]


def promises(count: int) -> list[Trial]:
    """The first ``count`` promises, all kinds in turn."""
    return [_promise(number) for number in range(count)]


def render_trial(trial: Trial, folder: Path) -> TrialPaths:
    """The trial's files in ``folder``, rendered unless they lie there, made by this version of the code.

    Raises:
        OSError: They cannot be written.
    """
    own = folder / f"{trial.name}-{trials_version()}"
    paths = TrialPaths(own / "clip.mp4", own / "truth.json")
    if paths.truth.is_file():
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        made = TrialPaths(Path(aside) / "clip.mp4", Path(aside) / "truth.json")
        _render(trial, made)
        own.mkdir(exist_ok=True)
        shutil.move(str(made.clip), paths.clip)
        shutil.move(str(made.truth), paths.truth)
    return paths


@lru_cache(maxsize=1)
def trials_version() -> str:
    """A hash of the modules of this package that a trial is made with; others may change."""
    folder, names, waiting = Path(__file__).parent, set[str](), {Path(__file__).stem}
    while waiting:
        names |= waiting
        source = "".join((folder / f"{name}.py").read_text("utf-8") for name in sorted(waiting))
        waiting = set(re.findall(r"^from kemps_scenes\.(\w+) ", source, re.MULTILINE)) - names
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + (folder / f"{name}.py").read_bytes())
    return digest.hexdigest()[:12]


def short_game(seed: int) -> list[Event]:
    """A centre, two swaps, a sweep and a new centre, another swap, a call and a shown hand."""
    rng = np.random.default_rng([seed, 700])
    deck = [DECK_52[int(index)] for index in rng.permutation(len(DECK_52))]
    header = GameOpened(at_ms=0, rules="leaflet", seats={seat: f"Player {seat}" for seat in "ABCD"})
    first, second = (tuple(deck.pop() for _ in range(4)) for _ in range(2))
    lots = [str(seat) for seat in rng.permutation(list("ABCD"))]
    swapped = [int(slot) for slot in rng.permutation(4)]
    dealer, shower = lots[2], lots[0]
    shown = (first[swapped[0]], *(deck.pop() for _ in range(3)))
    events: list[Event] = [header, CentreTurned(at_ms=0, cards=first, first_sight=True)]
    at_ms = 1600
    for seat, slot in zip(lots[:2], swapped[:2], strict=True):
        events += [
            CardTaken(at_ms=at_ms, seat=seat, card=first[slot]),
            CardLaid(at_ms=at_ms + 1000, seat=seat, card=deck.pop()),
        ]
        at_ms += 900
    events += [
        CentreSwept(at_ms=at_ms + 1500, seat=dealer),
        CentreTurned(at_ms=at_ms + 5200, cards=second),
        CardTaken(at_ms=at_ms + 6700, seat=lots[3], card=second[swapped[2]]),
        CardLaid(at_ms=at_ms + 7700, seat=lots[3], card=deck.pop()),
        Called(at_ms=at_ms + 8600, seat="ABCD"[("ABCD".index(shower) + 2) % 4], call="kemps"),
        HandShown(at_ms=at_ms + 11_000, seat=shower, cards=shown),
    ]
    return paced(events)


def _trial(number: int) -> Trial:
    seed = FIRST_SEED + number
    rng = np.random.default_rng([seed, 701])
    lights = list(LIGHTS)
    turn = number // len(TRIAL_DECKS)  # of the decks: surfaces and lights meet each of them equally often
    light = lights[(number + 2 * turn + turn // len(lights)) % len(lights)]
    kind = "game" if number % GAME_EVERY == GAME_EVERY - 1 else "table"
    width, height = SIZES.get(number % 18, (1280, 720))
    settings: dict[str, Any] = {"noise": float(rng.uniform(0.8, 2.6)), **LIGHTS[light]}
    spec = SceneSpec(
        seed=seed,
        width=width,
        height=height,
        deck=TRIAL_DECKS[number % len(TRIAL_DECKS)],
        surface=SURFACES[(number + turn) % len(SURFACES)],
        back=str(rng.choice(list(BACKS))),
        camera=str(rng.choice(list(VIEWS))),
        centre=str(rng.choice(["row", "row", "square"])),
        clutter=str(rng.choice(["none", "some", "much"])),
        packets=str(rng.choice(PACKETS)),
        shows=(str(rng.choice(["fan", "pile"] if kind == "table" else ["row", "fan", "pile"])),),
        tail_ms=3000,
        **settings,
    )
    return Trial(f"{number:04d}-{kind}-{spec.deck}-{spec.surface}-{spec.camera}", kind, light, spec)


def _promise(number: int) -> Trial:
    kind, seed = PROMISES[number % len(PROMISES)], FIRST_PROMISE + number
    rng = np.random.default_rng([seed, 703])
    light = list(LIGHTS)[number // len(PROMISES) % len(LIGHTS)]
    spec = SceneSpec(
        seed=seed,
        fps=10,
        deck=str(rng.choice(TRIAL_DECKS)),
        surface=str(rng.choice(SURFACES)),
        camera=str(rng.choice(list(VIEWS))),
        clutter=str(rng.choice(["none", "some", "much"])),
        packets=str(rng.choice(PACKETS)),
        **{"noise": 1.6, **LIGHTS[light]},  # type: ignore[arg-type]
    )
    return Trial(f"p{number:03d}-{kind}-{spec.deck}-{spec.surface}-{spec.camera}", kind, light, spec)


def _dealt(seed: int) -> tuple[list[Card], list[Card]]:
    """Four cards for the centre, and three others."""
    order = np.random.default_rng([seed, 704]).permutation(len(DECK_52))
    cards = [DECK_52[int(index)] for index in order[:7]]
    return cards[:4], cards[4:]


def _render(trial: Trial, paths: TrialPaths) -> None:
    spec, scene = trial.spec, trial.scene()
    stage = Stage(scene)
    seen = Sightings(stage.camera, deck_look(spec.deck), 1000 / spec.fps)
    with ClipWriter(
        paths.clip,
        width=spec.width,
        height=spec.height,
        fps=spec.fps,
        quality=spec.quality,
        preset="veryfast",
    ) as writer:
        for frame in stage.frames():
            writer.write(frame.pixels)
            at_ms = frame.index * 1000 / spec.fps
            seen.look(stage.things(at_ms), at_ms)
    truth = {
        "fps": spec.fps,
        "spec": spec.as_json(),
        "stays": [stay.as_json() for stay in seen.stays],
        "centre": list(scene.centre),
        "calls": [format_event(event) for event in scene.events if isinstance(event, Called)],
        "table": table_toml(scene, stage.camera, is_close=True),
    }
    paths.truth.write_text(json.dumps(truth) + "\n", "utf-8")
