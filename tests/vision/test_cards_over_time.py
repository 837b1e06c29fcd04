"""Cards at rest on rendered clips, with the committed weights: nothing flickers, and nothing is missed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import pytest

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, CentreTurned, Event, UnknownEvent
from kemps_scenes import SceneSpec
from kemps_scenes.script import Scene
from kemps_scenes.stage import Stage
from kemps_scenes.tables import covered_scene, still_scene
from kemps_scenes.truth import table_toml
from kemps_vision.cards.reader import default_reader
from kemps_vision.frame import Frame, SourceInfo
from kemps_vision.pipeline import Observer
from kemps_vision.zones import parse_config

pytestmark = pytest.mark.long

CENTRE: Final = [Card.parse(name) for name in ("9c", "2h", "5d", "Js")]
ALONE: Final = [Card.parse(name) for name in ("Ah", "Ts")]
LIGHTS: Final = {
    "noise and flickering light": (4.0, 0.05, 0.0, 0.0),
    "a shaken camera as it gets dark": (1.6, 0, 1.0, 0.3),
}


def spec_of(
    seed: int, deck: str, *, noise: float = 1.6, flicker: float = 0, shake: float = 0, dusk: float = 0
) -> SceneSpec:
    return SceneSpec(
        seed=seed,
        deck=deck,
        width=960,
        height=540,
        fps=10,
        noise=noise,
        flicker=flicker,
        shake_px=shake,
        light_change=dusk,
    )


class Watched:
    """A scene watched to its end."""

    def __init__(self, scene: Scene) -> None:
        self.names: set[frozenset[str]] = set()
        stage = Stage(scene)
        spec = scene.spec
        info = SourceInfo(
            name="made", where="made", kind="file", width=spec.width, height=spec.height, fps=float(spec.fps)
        )
        self.observer = Observer(info, default_reader(), parse_config(table_toml(scene, stage.camera)))
        self.events: list[Event] = []
        for frame in frames_of(stage):
            self.events += self.observer.step(frame)
            settled = self.observer.tracker.settled
            self.names.add(frozenset(f"{spot.id} {spot.card}" for spot in settled))
        self.events += self.observer.finish()

    @property
    def told(self) -> list[str]:
        """Takes, lays and conflicts in the order of their times."""
        events = sorted(self.events, key=lambda event: event.at_ms)
        return [
            f"{event.kind} {event.card}" if isinstance(event, CardTaken | CardLaid) else event.kind
            for event in events
            if isinstance(event, CardTaken | CardLaid | UnknownEvent)
        ]

    @property
    def turned(self) -> list[set[str]]:
        """The cards of each time that the centre was turned."""
        return [set(map(str, event.cards)) for event in self.events if isinstance(event, CentreTurned)]


def frames_of(stage: Stage) -> Iterator[Frame]:
    for frame in stage.frames():
        yield Frame("table", frame.index, frame.at_ms, frame.pixels)


@pytest.mark.parametrize("light", LIGHTS)
def test_on_a_still_table_nothing_changes_for_ten_seconds(light: str) -> None:
    noise, flicker, shake, dusk = LIGHTS[light]
    spec = spec_of(11, "modern", noise=noise, flicker=flicker, shake=shake, dusk=dusk)
    watched = Watched(still_scene(spec, CENTRE, ALONE))
    assert watched.turned == [set(map(str, CENTRE))]
    assert watched.told == []
    # Names come and stay: each set of cards that was settled holds the one before it.
    sets = sorted(watched.names, key=len)
    assert all(fewer <= more for fewer, more in pairwise(sets))
    assert {name.split()[1] for name in sets[-1]} == {str(card) for card in (*CENTRE, *ALONE)}


def test_a_card_covered_for_five_seconds_stays_the_same_card() -> None:
    watched = Watched(covered_scene(spec_of(12, "club"), CENTRE, from_ms=1500, until_ms=6500))
    assert watched.turned == [set(map(str, CENTRE))]
    assert watched.told == []
    assert max(watched.names, key=len) == frozenset(
        f"{spot.id} {spot.card}" for spot in watched.observer.tracker.settled
    )
    assert len(watched.observer.tracker.settled) == len(CENTRE)


def test_a_card_swapped_under_the_hand_is_noticed() -> None:
    scene = covered_scene(
        spec_of(13, "antique"),
        CENTRE,
        from_ms=1500,
        until_ms=5000,
        swapped_for=Card.parse("Kd"),
        duration_ms=9000,
    )
    watched = Watched(scene)
    assert watched.turned == [set(map(str, CENTRE))]
    assert watched.told == ["card_taken 2h", "card_laid Kd"]
    assert {str(spot.card) for spot in watched.observer.tracker.settled} == {"9c", "Kd", "5d", "Js"}
