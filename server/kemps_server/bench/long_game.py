"""A believable evening of Kemps, made up from a seed: for figures and pages of long games.

People play deal after deal until a pair has its fifth letter; what a camera would tell of it is the journal,
with its doubts: some seats and cards not known, spans not observed, gestures that mean nothing. Nothing of it
was ever filmed, and no figure about the observer may come from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final

from kemps_rules import events
from kemps_rules.events import Event
from kemps_rules.journal import format_event
from kemps_rules.seats import Seat, next_seat, seats_of
from kemps_server.bench.played_deal import Manners, PlayedDeal, Told

NAMES: Final = ("Ana", "Bruno", "Clara", "Davi", "Elsa", "Fedor", "Greta", "Hugo")
LETTERS: Final = 5
SETTLED_EVERY_MS: Final = 10_000
SETTLED_BEHIND_MS: Final = 3_000
_TRIES: Final = 40  # so many evenings are made up to find one of the length that was asked for
_PACES: Final = (1.3, 1.6, 1.9)
_NEAR: Final = 0.03
_PAUSE_MS: Final = (9_000, 26_000)
_MINUTE_MS: Final = 60_000

# Chosen so that an hour goes by before a pair has lost, as it does with beginners.
_MANNERS: Final = {
    4: Manners(overlook=0.82, notice=0.06, greed=0.9),
    6: Manners(overlook=0.88, notice=0.04, greed=0.45, think_ms=3600, rival=0.02),
    8: Manners(overlook=0.9, notice=0.035, greed=0.4, think_ms=3600, rival=0.02, decoy=0.04),
}

# What people's faces and hands do for no reason, times a minute.
_HABITS: Final = {
    "look_left": 0.9,
    "look_right": 0.9,
    "look_down": 0.8,
    "brow_raise": 0.35,
    "smile": 0.5,
    "tilt_left": 0.25,
    "hand_to_chin": 0.22,
    "hand_to_nose": 0.15,
    "hand_to_ear": 0.08,
    "mouth_open": 0.3,
    "wink_left": 0.04,
}


def long_game(seats: int = 4, *, minutes: float = 60, seed: int = 1) -> tuple[Event, ...]:
    """The events of one evening, the header first, in the order in which an observer would write them.

    The same arguments give the same events. A pair loses at its end, which comes about ``minutes`` after the
    beginning: of some evenings with this seed the one nearest to that is taken.
    """
    deals = _evening_of(seats, round(minutes * _MINUTE_MS), seed)
    random = Random(f"{seed}/seen")  # noqa: S311 - a game
    told = [one for deal in deals for one in deal.told]
    until_ms = deals[-1].until_ms
    told += _habits(seats_of(seats), until_ms, random)
    told += _views(seats_of(seats), until_ms, random)
    told = [_doubted(one, random) for one in _unseen(told, random)]
    told += _settled(until_ms)
    told.sort(key=lambda one: (one.known_ms, one.event.at_ms))
    closed_ms = max(until_ms, *(one.known_ms for one in told)) + 5_000
    header = events.GameOpened(at_ms=0, seats=dict(zip(seats_of(seats), NAMES, strict=False)))
    return (header, *(one.event for one in told), events.GameClosed(at_ms=closed_ms))


def journal_text(game: tuple[Event, ...]) -> str:
    """The events as the content of a journal."""
    return "".join(f"{format_event(event)}\n" for event in game)


def _evening_of(count: int, wanted_ms: int, seed: int) -> list[PlayedDeal]:
    """The evening whose length is nearest to the one wanted; the first that is near enough."""
    best: list[PlayedDeal] = []
    for number in range(_TRIES):
        deals = _evening(count, _PACES[number % len(_PACES)], Random(f"{seed}/{number}"))  # noqa: S311
        if not best or abs(deals[-1].until_ms - wanted_ms) < abs(best[-1].until_ms - wanted_ms):
            best = deals
        if abs(best[-1].until_ms - wanted_ms) < _NEAR * wanted_ms:
            break
    return best


def _evening(count: int, pace: float, random: Random) -> list[PlayedDeal]:
    """Deals until a pair has all its letters, by people who take ``pace`` times as long to think."""
    manners = replace(_MANNERS[count], think_ms=round(_MANNERS[count].think_ms * pace))
    letters: Counter[str] = Counter()
    deals: list[PlayedDeal] = []
    dealer, begins_ms = random.choice(seats_of(count)), 2_000
    while max(letters.values(), default=0) < LETTERS:
        deal = PlayedDeal(count, seats_of(count), dealer, begins_ms, manners, random).run()
        letters.update(deal.losers)
        deals.append(deal)
        dealer, begins_ms = next_seat(dealer, count), deal.until_ms + random.randint(*_PAUSE_MS)
    return deals


def _moments(a_minute: float, until_ms: int, random: Random) -> Iterator[int]:
    at_ms = 0.0
    while True:
        at_ms += random.expovariate(a_minute / _MINUTE_MS)
        if at_ms >= until_ms:
            return
        yield round(at_ms)


def _habits(seats: tuple[Seat, ...], until_ms: int, random: Random) -> Iterator[Told]:
    for seat in seats:
        liveliness = random.uniform(0.5, 1.7)
        for gesture, rate in _HABITS.items():
            for at_ms in _moments(rate * liveliness, until_ms, random):
                end_ms = at_ms + random.randint(200, 1400)
                event = events.Gesture(
                    at_ms=at_ms,
                    until_ms=end_ms,
                    seat=seat,
                    gesture=gesture,
                    strength=round(random.uniform(0.4, 0.95), 2),
                    confidence=round(random.uniform(0.5, 0.98), 2),
                    extra={"camera": "faces"},
                )
                yield Told(end_ms + 600, event)


def _views(seats: tuple[Seat, ...], until_ms: int, random: Random) -> Iterator[Told]:
    """Hands and packets out of view, faces turned away, and a camera that was gone for a while."""
    for seat in seats:
        for at_ms in _moments(0.09, until_ms, random):
            end_ms = at_ms + random.randint(600, 4_000)
            yield Told(end_ms + 500, events.HandHidden(at_ms=at_ms, until_ms=end_ms, seat=seat))
        for at_ms in _moments(0.03, until_ms, random):
            end_ms = at_ms + random.randint(600, 6_000)
            yield Told(end_ms + 500, events.PacketHidden(at_ms=at_ms, until_ms=end_ms, seat=seat))
        for at_ms in _moments(0.15, until_ms, random):
            end_ms = at_ms + random.randint(1_500, 9_000)
            yield Told(
                end_ms + 500,
                events.NotMeasurable(
                    at_ms=at_ms, until_ms=end_ms, seat=seat, what="face", extra={"camera": "faces"}
                ),
            )
    for camera, rate in (("faces", 0.05), ("table", 0.02)):
        for at_ms in _moments(rate, until_ms, random):
            end_ms = at_ms + random.randint(3_000, 20_000)
            yield Told(end_ms + 300, events.NotObserved(at_ms=at_ms, until_ms=end_ms, camera=camera))


def _unseen(told: list[Told], random: Random) -> Iterator[Told]:
    """What is left when that is taken out which happened while nobody filmed it, or was overlooked."""
    gone = [one.event for one in told if isinstance(one.event, events.NotObserved)]
    away = [one.event for one in told if isinstance(one.event, events.NotMeasurable)]
    for one in told:
        event = one.event
        if isinstance(event, events.Gesture):
            blind = any(_covers(span, event) for span in gone if span.camera == "faces") or any(
                _covers(span, event) for span in away if span.seat == event.seat
            )
        elif isinstance(event, events.CardTouched | events.HandReached):
            blind = any(_covers(span, event) for span in gone if span.camera == "table")
            blind = blind or random.random() < 0.04
        else:
            blind = False
        if not blind:
            yield one


def _covers(span: events.NotObserved | events.NotMeasurable, event: Event) -> bool:
    return span.at_ms <= event.at_ms < (span.until_ms or span.at_ms)


def _doubted(one: Told, random: Random) -> Told:
    """A seat or a card that could not be told, now and then."""
    event = one.event
    if isinstance(event, events.CardTaken | events.CardLaid):
        if random.random() < 0.02:
            return replace(one, event=replace(event, seat=None, confidence=0.5))
        if random.random() < 0.012:
            return replace(one, event=replace(event, card=None, confidence=0.5))
    return one


def _settled(until_ms: int) -> Iterator[Told]:
    for known_ms in range(SETTLED_EVERY_MS, until_ms + 3 * SETTLED_EVERY_MS, SETTLED_EVERY_MS):
        yield Told(known_ms, events.Settled(at_ms=known_ms - SETTLED_BEHIND_MS, camera="table"))
