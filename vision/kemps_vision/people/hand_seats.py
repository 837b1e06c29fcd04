"""Whose hand it is: bound to a seat by where its forearm comes from and where it was before.

A picture says little: a forearm may be bent, and over the centre all seats are about as far. But a hand that
is followed from its own side of the table stays its owner's. So what each picture says is summed along the
track, and forgotten when two hands came so close that they may have been exchanged. Handedness and the order
in which hands are found say nothing here: both are often wrong. What is not clear has no seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.people.hand_tracks import HandTrack, HandTracks
from kemps_vision.people.landmarks import HandPose

DIRECTION_NATS: Final = 2.5  # that a forearm which points straight at a seat says for it
HOME_NATS: Final = 3.0  # that a hand which lies half as far from one seat as from the others says
EACH_MS: Final = 400  # pictures nearer to each other than this repeat one another
MEMORY_MS: Final = 20_000  # in which what was said fades to a third
MOST_NATS: Final = 14.0
LEAST_SHARE: Final = 0.9  # of the posterior, before a seat is named
HANDS_A_SEAT: Final = 2
SURE: Final = 0.99  # of the posterior of two hands, that then leave no third to their seat
THIRD_LOOKS: Final = 8  # at a third hand beside two sure ones, until it is known to be another's


@dataclass(frozen=True, slots=True)
class SeatedHand:
    """A hand in one picture: its track, how it was seen, whose it is if that is clear, and how sure it is.

    ``odds`` are the shares of all seats, which sum to 1; empty where there are no seats.
    """

    track: int
    pose: HandPose
    seat: Seat | None
    share: float
    odds: Mapping[Seat, float] = field(default_factory=dict)


class HandSeats:
    """Follows the hands in one camera's pictures and says whose they are.

    Args:
        seats: Where each player sits, in px of the pictures; may lie outside them.
        middle: The middle of the table's centre.
    """

    def __init__(self, seats: Mapping[Seat, tuple[float, float]], middle: tuple[float, float]) -> None:
        self._names = sorted(seats)
        self._at = np.array([seats[name] for name in self._names], np.float64).reshape(-1, 2)
        away = np.linalg.norm(self._at - np.asarray(middle), axis=1) if len(self._at) else np.ones(1)
        self._away = np.maximum(away, 1.0)
        self._tracks = HandTracks()
        self._nats: dict[int, tuple[int, NDArray[np.float64]]] = {}
        self._third: Counter[tuple[int, int]] = Counter()  # looks at a track as the third hand of a seat

    def step(self, at_ms: int, hands: Sequence[HandPose]) -> list[SeatedHand]:
        """The hands of this picture with their seats; times must rise."""
        seen = self._tracks.step(at_ms, hands)
        alive = {track.id for track in self._tracks.tracks}
        self._nats = {number: kept for number, kept in self._nats.items() if number in alive}
        for key in [key for key in self._third if key[0] not in alive]:
            del self._third[key]
        if not self._names:
            return [SeatedHand(track.id, track.pose, None, 0.0) for track in seen]
        for track in seen:
            self._learn(track, at_ms)
        return self._named(seen)

    def says(self, hand: HandPose) -> NDArray[np.float64]:
        """(seats,) what one picture of a hand says for each seat, in nats, the best at 0."""
        wrist = np.asarray(hand.landmarks[0, :2], np.float64)
        knuckles = np.asarray(hand.landmarks[[5, 9, 13, 17], :2].mean(axis=0), np.float64)
        back = (wrist - knuckles) / max(float(np.linalg.norm(wrist - knuckles)), 1e-6)
        ways = self._at - wrist
        distances = np.maximum(np.linalg.norm(ways, axis=1), 1.0)
        nats = DIRECTION_NATS * (ways @ back) / distances
        nats -= HOME_NATS * np.log(distances / self._away) / np.log(2)
        return np.asarray(nats - nats.max(), np.float64)

    def _learn(self, track: HandTrack, at_ms: int) -> None:
        now = self.says(track.pose)
        if track.id not in self._nats or track.is_doubtful:
            self._nats[track.id] = at_ms, now
            for seat in range(len(self._names)):
                del self._third[track.id, seat]
            return
        then_ms, nats = self._nats[track.id]
        span_ms = at_ms - then_ms
        summed = nats * np.exp(-span_ms / MEMORY_MS) + now * min(1.0, span_ms / EACH_MS)
        self._nats[track.id] = at_ms, np.maximum(summed - summed.max(), -MOST_NATS)

    def _named(self, seen: Sequence[HandTrack]) -> list[SeatedHand]:
        """Each hand's seat; nobody has a third hand, so the least sure of three has none.

        Nor does it get that seat when another of the three is lost: it is still there, perhaps with cards.
        """
        shares = {track.id: self._shares(track.id) for track in seen}
        count = dict.fromkeys(self._names, 0)
        sure = Counter(int(share.argmax()) for share in shares.values() if share.max() >= SURE)
        named: dict[int, tuple[Seat | None, float]] = {}
        for track in sorted(seen, key=lambda track: (-shares[track.id].max(), track.id)):
            best = int(shares[track.id].argmax())
            share, name = float(shares[track.id][best]), self._names[best]
            is_clear = share >= LEAST_SHARE and count[name] < HANDS_A_SEAT
            is_third = count[name] >= HANDS_A_SEAT and sure[best] - (share >= SURE) >= HANDS_A_SEAT
            self._third[track.id, best] += is_third
            count[name] += is_clear
            named[track.id] = (name if is_clear else None, share)
        return [
            SeatedHand(
                track.id,
                track.pose,
                *named[track.id],
                dict(zip(self._names, shares[track.id].tolist(), strict=True)),
            )
            for track in seen
        ]

    def _shares(self, track: int) -> NDArray[np.float64]:
        """(seats,) the posterior of one hand, without the seats that have two others."""
        nats = self._nats[track][1]
        is_open = [self._third[track, seat] < THIRD_LOOKS for seat in range(len(nats))]
        if any(is_open):
            nats = np.where(is_open, nats, -np.inf)
        weights = np.exp(nats - nats.max())
        return np.asarray(weights / weights.sum(), np.float64)
