"""The scripts of clips, by name: a seed draws what happens, within what the name promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_scenes.bodies.acts import (
    FACE_PLACES,
    Act,
    behind_back,
    clasp,
    hand_to_face,
    near_miss,
    pass_card,
    reach,
    touch,
    under_table,
)
from kemps_scenes.bodies.behaviour import Manner
from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.expressions import Gesture
from kemps_scenes.bodies.figure import Look
from kemps_scenes.bodies.lens import Lamp, Lens
from kemps_scenes.bodies.players import Player, row_players, table_players
from kemps_scenes.bodies.scenery import centre_cards, long_table_thing, table_thing
from kemps_scenes.bodies.sitting import Sitting

SURFACES: Final = ("felt", "wood", "cloth", "slate", "gingham")
_EYES_M: Final = 0.46  # how high eyes are above the table top, about


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a script is played with.

    Attributes:
        seed: Of everything drawn at random.
        seconds: How long the clip lasts.
        people: How many there are, 1 to 4.
        distance_m: From the face camera to the faces.
        width: Of the picture.
        height: Of the picture.
        fps: Frames a second.
    """

    seed: int = 1
    seconds: float = 20.0
    people: int = 1
    distance_m: float = 1.2
    width: int = 1280
    height: int = 720
    fps: int = 15

    @property
    def duration_ms(self) -> int:
        """How long the clip lasts, in ms."""
        return round(self.seconds * 1000)


def sitting(script: str, setting: Setting | None = None) -> Sitting:
    """The clip of a script.

    Raises:
        ActError: There is no such script, or the setting does not suit it.
        BodyDataError: The MakeHuman data is not there and cannot be fetched.
    """
    chosen = setting or Setting()
    if script not in SCRIPTS:
        raise ActError(f"no script {script!r}; there are {', '.join(SCRIPTS)}")
    if not 1 <= chosen.people <= 4:
        raise ActError(f"{chosen.people} people; a clip has 1 to 4")
    return SCRIPTS[script](script, chosen)


def _faces(
    *kinds: str, manner: Manner, gap_ms: tuple[int, int] = (1800, 4200)
) -> Callable[[str, Setting], Sitting]:
    """A script for a face camera in which everybody makes gestures of these kinds now and then."""

    def made(name: str, setting: Setting) -> Sitting:
        rng = np.random.default_rng([setting.seed, 81])
        looks = [Look.random(int(rng.integers(0, 2**31))) for _ in range(setting.people)]
        players = row_players(looks, manner, setting.duration_ms, setting.seed, distance_m=setting.distance_m)
        for player in players:
            if kinds:
                player.gestures += _strewn(rng, kinds, setting.duration_ms, gap_ms, player)
        return _seen_by_face_camera(name, setting, players, [], rng)

    return made


_LASTS_MS: Final = {"blink": (220, 320), "wink_left": (330, 750), "wink_right": (330, 750)}


def _strewn(
    rng: np.random.Generator,
    kinds: tuple[str, ...],
    duration_ms: int,
    gap_ms: tuple[int, int],
    player: Player,
) -> list[Gesture]:
    """Gestures with gaps between them; blinks of their own stay away from them."""
    found, at = [], int(rng.integers(800, 2500))
    while True:
        kind = str(rng.choice(kinds))
        lasts = int(rng.integers(*_LASTS_MS.get(kind, (550, 1400))))
        if at + lasts > duration_ms - 300:
            break
        found.append(Gesture(kind, at, at + lasts, float(rng.uniform(0.8, 1.0))))
        at += lasts + int(rng.integers(*gap_ms))
    player.behaviour.gestures[:] = [
        own
        for own in player.behaviour.gestures
        if all(own.until_ms + 150 < g.at_ms or own.at_ms > g.until_ms + 150 for g in found)
    ]
    return found


def _hands_on_faces(name: str, setting: Setting) -> Sitting:
    rng = np.random.default_rng([setting.seed, 82])
    looks = [Look.random(int(rng.integers(0, 2**31))) for _ in range(setting.people)]
    players = row_players(looks, Manner(), setting.duration_ms, setting.seed, distance_m=setting.distance_m)
    acts = []
    for player in players:
        at = int(rng.integers(800, 2000))
        while at < setting.duration_ms - 3500:
            act = hand_to_face(
                player, str(rng.choice(tuple(FACE_PLACES))), at, rng, str(rng.choice(("L", "R")))
            )
            acts.append(act)
            at = act.until_ms + int(rng.integers(800, 2200))
    return _seen_by_face_camera(name, setting, players, acts, rng)


def _seen_by_face_camera(
    name: str, setting: Setting, players: list[Player], acts: list[Act], rng: np.random.Generator
) -> Sitting:
    spread = 0.72 * (len(players) - 1) + 0.75
    fov = 2 * np.degrees(np.arctan(spread / 2 / setting.distance_m))
    lens = Lens(
        (0.0, 0.0, _EYES_M + float(rng.uniform(-0.12, 0.25))),
        (0.0, setting.distance_m, _EYES_M - 0.06),
        fov_deg=float(np.clip(fov, 38, 74)),
        width=setting.width,
        height=setting.height,
    )
    way = (float(rng.uniform(-1, 1)), -1.0, float(rng.uniform(0.5, 1.2)))
    bright = float(rng.uniform(0.8, 1.15))
    lamp = Lamp(
        way=way,
        key=(0.62 * bright, 0.60 * bright, 0.56 * bright),
        reach_m=0.6 + 0.4 * len(players),
        middle=(0.0, setting.distance_m, 0.3),
    )
    ordered = sorted(acts, key=lambda act: act.at_ms)
    things = long_table_thing(str(rng.choice(SURFACES)), setting.seed, setting.distance_m)
    return Sitting(name, lens, lamp, players, ordered, things, setting.duration_ms, setting.fps, setting.seed)


def _table(
    build: Callable[[list[Player], Setting, np.random.Generator], list[Act]], *, may_hold_fans: bool = False
) -> Callable[[str, Setting], Sitting]:
    """A script for a table camera with four seats."""

    def made(name: str, setting: Setting) -> Sitting:
        rng = np.random.default_rng([setting.seed, 83])
        looks = [Look.random(int(rng.integers(0, 2**31))) for _ in range(4)]
        fans = may_hold_fans and bool(rng.random() < 0.5)
        players = table_players(looks, Manner(), setting.duration_ms, setting.seed, fans=fans)
        acts = sorted(build(players, setting, rng), key=lambda act: act.at_ms)
        # From above a corner: a camera behind a player sees little but the back of a head.
        tilt = np.radians(rng.uniform(5, 30))
        yaw = np.radians(45 + 90 * rng.integers(4) + rng.uniform(-18, 18))
        away = float(rng.uniform(1.35, 1.6))
        eye = (
            float(away * np.sin(tilt) * np.cos(yaw)),
            float(away * np.sin(tilt) * np.sin(yaw)),
            float(away * np.cos(tilt)),
        )
        lens = Lens(eye, (0.0, 0.0, 0.0), fov_deg=60.0, width=setting.width, height=setting.height)
        lamp = Lamp(way=(float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1)), 1.6))
        things = table_thing(str(rng.choice(SURFACES)), setting.seed) + centre_cards(setting.seed)
        clip = Sitting(
            name, lens, lamp, players, acts, things, setting.duration_ms, setting.fps, setting.seed
        )
        clip.samples = 0  # four people all over the picture take twice as long with smooth edges
        return clip

    return made


def _idle(players: list[Player], setting: Setting, rng: np.random.Generator) -> list[Act]:
    """Hands that lie still, and shift a little now and then."""
    for player in players:
        for side, path in player.paths.items():
            at = int(rng.integers(1000, 6000))
            while at < setting.duration_ms - 2000:
                home = player.home(side)
                shifted = type(home)(
                    home.wrist + np.append(rng.normal(0, 0.006, 2), 0), home.along, home.palm, home.grip
                )
                path.move(at, at + 500, shifted)
                at += int(rng.integers(3000, 9000))
    return []


def _reaches(players: list[Player], setting: Setting, rng: np.random.Generator) -> list[Act]:
    """Each player reaches into the centre again and again; two hands never want one slot at once."""
    acts: list[Act] = []
    at = int(rng.integers(300, 900))
    while at < setting.duration_ms - 3000:
        free = [p for p in players if p.paths["R"].free_ms < at - 300]
        busy = {act.more["slot"] for act in acts if act.until_ms > at}
        slots = [slot for slot in range(4) if all(abs(slot - other) > 1 for other in busy)]
        if free and slots and len(busy) < 2:
            player = free[int(rng.integers(len(free)))]
            acts.append(reach(player, int(rng.choice(slots)), at, rng))
        at += int(rng.integers(350, 1100))
    return acts


def _pairs(*kinds: str) -> Callable[[list[Player], Setting, np.random.Generator], list[Act]]:
    """Acts of two neighbours or single players, one after the other, with reaches between them."""

    def build(players: list[Player], setting: Setting, rng: np.random.Generator) -> list[Act]:
        acts: list[Act] = []
        at = int(rng.integers(500, 1200))
        while at < setting.duration_ms - 5500:
            kind = str(rng.choice(kinds))
            acts.append(_perform(kind, players, at, rng))
            at = acts[-1].until_ms + int(rng.integers(400, 1500))
            if rng.random() < 0.4 and at < setting.duration_ms - 3500:
                player = players[int(rng.integers(len(players)))]
                acts.append(reach(player, int(rng.integers(0, 4)), at, rng))
                at = acts[-1].until_ms + int(rng.integers(300, 1000))
        return acts

    return build


def _perform(kind: str, players: list[Player], at_ms: int, rng: np.random.Generator) -> Act:
    first = int(rng.integers(len(players)))
    one, two = players[first], players[(first + 1) % len(players)]
    if rng.random() < 0.5:
        one, two = two, one
    if kind == "touch":
        return touch(one, two, at_ms, rng)
    if kind == "clasp":
        return clasp(one, two, at_ms, rng)
    if kind == "near_miss":
        return near_miss(one, two, at_ms, rng)
    if kind in ("pass_over", "pass_under"):
        return pass_card(one, two, at_ms, rng, under=kind == "pass_under")
    if kind == "under_table":
        return under_table(one, at_ms, rng, str(rng.choice(("L", "R"))))
    return behind_back(one, at_ms, rng, str(rng.choice(("L", "R"))))


_LIVELY: Final = Manner(talks=0.5, looks=True, smiles=True)

SCRIPTS: Final[dict[str, Callable[[str, Setting], Sitting]]] = {
    "still": _faces(manner=Manner(blinks=False, stir=0.6)),
    "blinks": _faces("blink", manner=Manner(blinks=False), gap_ms=(900, 3000)),
    "winks": _faces("wink_left", "wink_right", manner=Manner()),
    "brows": _faces("brow_raise", "brow_raise_left", "brow_raise_right", manner=Manner()),
    "talk": _faces(manner=_LIVELY),
    "signals": _faces(
        "wink_left",
        "wink_right",
        "brow_raise",
        "brow_raise_left",
        "brow_raise_right",
        manner=_LIVELY,
        gap_ms=(2500, 6000),
    ),
    "grimaces": _faces(
        *("frown", "eyes_closed", "look_left", "look_right", "look_up", "look_down", "mouth_open", "pout"),
        *("smile", "tongue", "cheek_puff"),
        manner=Manner(),
    ),
    "nods": _faces(
        *("nod", "shake", "tilt_left", "tilt_right", "lean_forward", "lean_back"),
        manner=Manner(),
    ),
    "hands_on_faces": _hands_on_faces,
    "idle": _table(_idle, may_hold_fans=True),
    "reaches": _table(_reaches, may_hold_fans=True),
    "contacts": _table(_pairs("touch", "clasp")),
    "near_misses": _table(_pairs("near_miss")),
    "passes": _table(_pairs("pass_over", "pass_under")),
    "hidden": _table(_pairs("under_table", "under_table", "behind_back")),
    "fouls": _table(
        _pairs("touch", "clasp", "near_miss", "pass_over", "pass_under", "under_table", "behind_back")
    ),
}
"""The scripts; the first ones are seen by a face camera, those from ``idle`` on by a table camera."""
