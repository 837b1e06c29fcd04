"""What a scene looks like: everything about a clip that its journal does not say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from kemps_scenes.backs import BACKS
from kemps_scenes.camera import View, camera_view
from kemps_scenes.errors import SpecError
from kemps_scenes.looks import DECKS

SHOW_STYLES: Final = ("row", "fan", "pile", "singly", "held_up")
CENTRE_LAYOUTS: Final = ("row", "square")
SURFACES: Final = ("felt", "wood", "cloth", "slate", "gingham")
CLUTTER: Final = ("none", "some", "much")
PACKETS: Final = ("held", "lying")


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSpec:
    """Looks, camera, light and encoding of a clip; two equal specs of one script give the same clip.

    Attributes:
        seed: Of everything uneven: motion, skew of cards, noise, clutter.
        camera: A name of :data:`~kemps_scenes.camera.VIEWS`.
        packets: Whether the seats' packets are held as fans or lie as piles.
        shows: Styles of the shown hands in order, taken in turn.
        flicker: Amplitude of flickering light, as a share.
        light_change: Share by which the light changes slowly through the clip.
        shake_px: Amplitude of camera shake.
        relit: ``(at_ms, level)``: from then on the light is as many times as bright as the usual.
        nudges: ``(at_ms, dx, dy)``: by how many pixels a nudge of the camera shifts the picture.
        noise: Standard deviation of sensor noise in grey levels.
        tail_ms: How long the clip goes on after the last event.
        quality: Constant rate factor of H.264: higher is smaller.
    """

    seed: int = 1
    width: int = 1280
    height: int = 720
    fps: int = 15
    deck: str = "club"
    back: str = "lattice"
    surface: str = "felt"
    camera: str = "arm"
    centre: str = "row"
    clutter: str = "some"
    packets: str = "held"
    shows: tuple[str, ...] = ("row",)
    flicker: float = 0.0
    light_change: float = 0.0
    shake_px: float = 0.0
    relit: tuple[tuple[int, float], ...] = ()
    nudges: tuple[tuple[int, float, float], ...] = ()
    noise: float = 1.6
    motion_blur: bool = True
    tail_ms: int = 1500
    quality: int = 27

    def __post_init__(self) -> None:
        choices: list[tuple[str, str, Iterable[str]]] = [
            (self.deck, "deck", DECKS),
            (self.back, "back", BACKS),
            (self.surface, "surface", SURFACES),
            (self.centre, "centre", CENTRE_LAYOUTS),
            (self.clutter, "clutter", CLUTTER),
            (self.packets, "packets", PACKETS),
            *((show, "show style", SHOW_STYLES) for show in self.shows),
        ]
        for value, name, known in choices:
            if value not in set(known):
                raise SpecError(f"no {name} {value!r}; there are {', '.join(known)}")
        if self.width % 2 or self.height % 2 or self.width < 160 or self.height < 90:
            raise SpecError(
                f"a picture of {self.width}x{self.height} cannot be encoded; give even sizes from 160x90"
            )
        if not 1 <= self.fps <= 120 or not self.shows:
            raise SpecError("give 1 to 120 frames a second and at least one show style")
        camera_view(self.camera)

    @property
    def view(self) -> View:
        """The camera's view."""
        return camera_view(self.camera)

    def as_json(self) -> dict[str, Any]:
        """The spec as plain values, for truth files and cache keys."""
        return {
            **asdict(self),
            "shows": list(self.shows),
            "nudges": [list(nudge) for nudge in self.nudges],
            "relit": [list(one) for one in self.relit],
        }
