"""Scripts of calls: a table, a swap perhaps, the call, a shown hand; and what the call must come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, RANKS, SUITS, Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CentreTurned,
    DealStarted,
    Event,
    GameOpened,
    HandShown,
    Json,
)
from kemps_scenes.table_scripts import Script

CALL_MS: Final = 1500
AFTER_SWAP_MS: Final = 2700  # a call, when there is a swap before it
LONGEST_MS: Final = 8000
_SHOWN_AFTER_MS: Final = {"singly": 2900, "row": 2100, "fan": 1500, "pile": 1500, "held_up": 1700}


@dataclass(slots=True)
class _Scene:
    """A table at which ``owner`` is asked to show, and ``caller`` calls."""

    rng: np.random.Generator
    seats: str
    style: str
    owner: str = ""
    caller: str = ""
    rank: str = ""
    call_ms: int = CALL_MS
    deck: list[Card] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner = str(self.rng.choice(list(self.seats)))
        self.caller = self.opposite(self.owner)
        self.rank = str(self.rng.choice(list(RANKS)))
        drawn = [DECK_52[int(index)] for index in self.rng.permutation(len(DECK_52))]
        self.deck = [card for card in drawn if card.rank != self.rank]

    def opposite(self, seat: str) -> str:
        """The partner of a seat."""
        return self.seats[(self.seats.index(seat) + len(self.seats) // 2) % len(self.seats)]

    def rival(self) -> str:
        """A seat of another pair than the owner's."""
        return self.seats[(self.seats.index(self.owner) + 1) % len(self.seats)]

    def alike(self) -> list[Card]:
        """The four of the rank that the scene is about, in any order."""
        suits = [str(suit) for suit in self.rng.permutation(list(SUITS))]
        return [Card(self.rank, suit) for suit in suits]

    def others(self, count: int) -> list[Card]:
        """Cards of other ranks, each drawn once."""
        return [self.deck.pop() for _ in range(count)]

    def open(self, *centre: Card) -> None:
        """The table is there with these cards in the centre, filled up with others."""
        names = {seat: f"Player {seat}" for seat in self.seats}
        cards = (*centre, *self.others(4 - len(centre)))
        self.events += [
            GameOpened(at_ms=0, rules="leaflet", seats=names),
            DealStarted(at_ms=0, dealer=self.rival()),
            CentreTurned(at_ms=0, cards=cards, first_sight=True),
        ]

    def take(self, at_ms: int, card: Card) -> None:
        """The owner takes a card."""
        self.events.append(CardTaken(at_ms=at_ms, seat=self.owner, card=card))

    def lay(self, at_ms: int, card: Card) -> None:
        """The owner lays a card."""
        self.events.append(CardLaid(at_ms=at_ms, seat=self.owner, card=card))

    def kemps(self, by: str = "", late_ms: int = 0) -> None:
        """The owner's partner calls, or somebody else."""
        self.events.append(
            Called(at_ms=self.call_ms + late_ms, seat=by or self.caller, call="kemps", uncertainty_ms=60)
        )

    def stop(self, late_ms: int = 0) -> None:
        """A rival calls against the owner's pair."""
        self.events.append(
            Called(
                at_ms=self.call_ms + late_ms,
                seat=self.rival(),
                call="stop",
                against=self.owner,
                uncertainty_ms=60,
            )
        )

    def show(self, *cards: Card, seat: str = "", after_ms: int = 0, **more: Json) -> None:
        """A seat lays its hand open, each in the scene's style, some time after the call."""
        mixed = [cards[int(index)] for index in self.rng.permutation(len(cards))]
        at_ms = self.call_ms + _SHOWN_AFTER_MS[self.style] + after_ms
        self.events.append(HandShown(at_ms=at_ms, seat=seat or self.owner, cards=tuple(mixed), **more))


def _quad(scene: _Scene) -> str:
    scene.open()
    scene.kemps()
    scene.show(*scene.alike())
    return "right"


def _quad_just_laid(scene: _Scene) -> str:
    """The swap that made it a quad was over shortly before the call."""
    four, (odd,) = scene.alike(), scene.others(1)
    scene.call_ms = AFTER_SWAP_MS
    scene.open(four[0])
    scene.take(scene.call_ms - 1400, four[0])
    scene.lay(scene.call_ms - 500, odd)
    scene.kemps()
    scene.show(*four)
    return "right"


def _three_alike(scene: _Scene) -> str:
    four = scene.alike()
    scene.open(*four[3:])
    scene.kemps()
    scene.show(*four[:3], *scene.others(1))
    return "wrong"


def _nothing_alike(scene: _Scene) -> str:
    scene.open()
    scene.kemps()
    scene.show(*scene.others(4))
    return "wrong"


def _five_with_quad(scene: _Scene) -> str:
    """A swap was open at the call, and all five cards are shown."""
    four, (odd,) = scene.alike(), scene.others(1)
    scene.call_ms = AFTER_SWAP_MS
    scene.open(four[0])
    scene.take(scene.call_ms - 1000, four[0])
    scene.kemps()
    scene.show(*four, odd)
    return "wrong"


def _laid_after_call(scene: _Scene) -> str:
    """A swap was open at the call; the fifth card is laid after it, and four are shown."""
    four, (odd,) = scene.alike(), scene.others(1)
    scene.call_ms = AFTER_SWAP_MS
    scene.open(four[0])
    scene.take(scene.call_ms - 1100, four[0])
    scene.kemps()
    scene.lay(scene.call_ms + 700, odd)
    scene.show(*four, after_ms=900)
    return "wrong"


def _taken_after_call(scene: _Scene) -> str:
    """The fourth card is taken after the call."""
    four, (odd,) = scene.alike(), scene.others(1)
    scene.open(four[0])
    scene.kemps()
    scene.take(scene.call_ms + 600, four[0])
    scene.lay(scene.call_ms + 1400, odd)
    scene.show(*four, after_ms=1100)
    return "wrong"


def _covered_quad(scene: _Scene) -> str:
    """One of four alike lies under the player's hand."""
    four = scene.alike()
    scene.open()
    scene.kemps()
    scene.show(*four[:3], unread=1, extra={"under": [str(four[3])]})
    return "right"


def _covered_odd_card(scene: _Scene) -> str:
    """Three alike are seen, and another card lies under the player's hand."""
    four, (odd,) = scene.alike(), scene.others(1)
    scene.open()
    scene.kemps()
    scene.show(*four[:3], unread=1, extra={"under": [str(odd)]})
    return "wrong"


def _fifth_face_down(scene: _Scene) -> str:
    """Four alike, and one more that lies face down among them."""
    four, (odd,) = scene.alike(), scene.others(1)
    scene.call_ms = AFTER_SWAP_MS
    scene.open(odd)
    scene.take(scene.call_ms - 1000, odd)
    scene.kemps()
    scene.show(*four, face_down=1)
    return "wrong"


def _tie_of_kemps(scene: _Scene) -> str:
    """Two seats of different pairs call at once; nobody can tell who was first."""
    scene.open()
    scene.kemps()
    scene.kemps(by=scene.rival(), late_ms=40)
    scene.show(*scene.alike())
    return "open"


def _tie_with_stop(scene: _Scene) -> str:
    """A Kemps and a Stop against the same pair at once: the Stop goes first."""
    four = scene.alike()
    is_quad = bool(scene.rng.random() < 0.5)
    scene.open()
    scene.kemps()
    scene.stop(late_ms=40)
    scene.show(*four[: 4 if is_quad else 3], *scene.others(0 if is_quad else 1))
    scene.show(*scene.others(4), seat=scene.opposite(scene.owner), after_ms=250)
    return "right" if is_quad else "wrong"


def _stop_right(scene: _Scene) -> str:
    scene.open()
    scene.stop()
    scene.show(*scene.alike())
    scene.show(*scene.others(4), seat=scene.opposite(scene.owner), after_ms=250)
    return "right"


def _stop_wrong(scene: _Scene) -> str:
    four = scene.alike()
    scene.open(four[3])
    scene.stop()
    scene.show(*four[:3], *scene.others(1))
    scene.show(*scene.others(4), seat=scene.opposite(scene.owner), after_ms=250)
    return "wrong"


KINDS: Final[dict[str, Callable[[_Scene], str]]] = {
    "quad": _quad,
    "three_alike": _three_alike,
    "quad_just_laid": _quad_just_laid,
    "five_with_quad": _five_with_quad,
    "stop_right": _stop_right,
    "covered_quad": _covered_quad,
    "laid_after_call": _laid_after_call,
    "tie_of_kemps": _tie_of_kemps,
    "stop_wrong": _stop_wrong,
    "covered_odd_card": _covered_odd_card,
    "taken_after_call": _taken_after_call,
    "nothing_alike": _nothing_alike,
    "fifth_face_down": _fifth_face_down,
    "tie_with_stop": _tie_with_stop,
}
"""What a scene is about, in the order in which scenes are made."""


def call_script(kind: str, seed: int, seats: str, style: str) -> Script:
    """The scene of a kind; it lasts at most eight seconds with a tail of two."""
    scene = _Scene(np.random.default_rng([seed, 812]), seats, style)
    verdict = KINDS[kind](scene)
    return Script(tuple(sorted(scene.events, key=lambda event: event.at_ms)), (verdict,))
