"""Letters and points: what a ruling gives (R12, R13), and when the game is over (R15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kemps_rules.deal import CallMade, Deal
from kemps_rules.errors import HouseError
from kemps_rules.events import GameOpened
from kemps_rules.house import House
from kemps_rules.seats import Pair, Seat, pair_of, pairs_of


@dataclass(frozen=True, slots=True)
class Stakes:
    """The pairs that get a letter, once for each letter, and the points that pairs win or lose."""

    letters_to: tuple[Pair, ...] = ()
    points_to: Mapping[Pair, int] = field(default_factory=dict)


def stakes_of(deal: Deal, call: CallMade, asked: tuple[Seat, ...], ruling: str, *, is_double: bool) -> Stakes:
    """What a ruling gives in the deal's house: nothing while it, the caller or the accused is not known."""
    caller, house = call.event.seat, deal.house
    if caller is None or not asked or ruling not in ("right", "wrong"):
        return Stakes()
    count = len(deal.seats)
    own = pair_of(caller, count)
    others = tuple(pair for pair in pairs_of(count) if pair != own)
    rivals = (pair_of(asked[0], count),) if call.call == "stop" else others
    wrong = house.wrong_stop if call.call == "stop" else house.wrong_kemps
    gains: Counter[Pair] = Counter()
    if house.scoring == "penalty_letters":
        gains.update(rivals if ruling == "right" else (own,))
    elif ruling == "right":
        gains.update((own,))
    elif wrong == "opponents":
        gains.update(rivals)
    else:
        gains[own] -= 1
    if is_double and ruling == "right":
        gains = Counter({pair: 2 * gain for pair, gain in gains.items()})
    _add_signs(deal, call, rivals, own, gains)
    if house.scoring == "points":
        return Stakes(points_to={pair: gain for pair, gain in gains.items() if gain})
    return Stakes(tuple(pair for pair in sorted(gains) for _ in range(gains[pair])))


def _add_signs(deal: Deal, call: CallMade, rivals: tuple[Pair, ...], own: Pair, gains: Counter[Pair]) -> None:
    """One more for the secret sign named with a Stop, one less when a person says that it was not it."""
    if deal.house.naming_sign == "off" or call.call != "stop":
        return
    for _, sign in deal.signs:
        if sign.is_right is None or sign.seat is None or pair_of(sign.seat, len(deal.seats)) != own:
            continue
        if deal.house.scoring == "points":
            gains[own] += 1 if sign.is_right else -1
        elif deal.house.scoring == "reward_letters":
            gains.update((own,) if sign.is_right else rivals)
        else:
            gains.update(rivals if sign.is_right else (own,))


@dataclass(slots=True)
class Score:
    """The letters or points of each pair, deal by deal, and who has lost or won."""

    house: House
    counts: dict[Pair, int]

    @classmethod
    def at_start(cls, header: GameOpened, house: House) -> Score:
        """Nothing yet, or what the header carries on from an earlier sitting.

        Raises:
            HouseError: The header's letters are not the beginning of the house's word, or no pair's.
        """
        pairs = pairs_of(len(header.seats))
        counts = dict.fromkeys(pairs, 0)
        for name, count in (*_letters(header, house), *header.points.items()):
            pair = "".join(sorted(name))
            if pair not in counts:
                raise HouseError(f"{name} is no pair of this table; the pairs are {', '.join(pairs)}")
            counts[pair] = count
        return cls(house, counts)

    def copy(self) -> Score:
        """The same score, counting by itself from now on."""
        return Score(self.house, self.counts.copy())

    def add(self, stakes: Stakes) -> None:
        """Count what a deal gives; after the end of the game nothing more counts."""
        if self.is_over:
            return
        for pair in stakes.letters_to:
            self.counts[pair] = min(self.counts[pair] + 1, self.house.full_score)
        for pair, points in stakes.points_to.items():
            self.counts[pair] = max(0, self.counts[pair] + points)

    @property
    def full(self) -> tuple[Pair, ...]:
        """The pairs with all letters or enough points."""
        return tuple(pair for pair, count in self.counts.items() if count >= self.house.full_score)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.full)

    @property
    def lost(self) -> tuple[Pair, ...]:
        """The pairs that have lost; several at once can."""
        return self.full if self.house.scoring == "penalty_letters" else self._others()

    @property
    def won(self) -> tuple[Pair, ...]:
        """The pairs that share the success once the game is over."""
        return self._others() if self.house.scoring == "penalty_letters" else self.full

    def _others(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.counts if self.is_over and pair not in self.full)

    @property
    def letters(self) -> dict[Pair, str]:
        """What each pair spells; always empty when points are counted."""
        is_points = self.house.scoring == "points"
        return {pair: "" if is_points else self.house.word[:count] for pair, count in self.counts.items()}

    @property
    def points(self) -> dict[Pair, int]:
        """The points of each pair, when points are counted."""
        return dict(self.counts) if self.house.scoring == "points" else {}


def _letters(header: GameOpened, house: House) -> list[tuple[str, int]]:
    for pair, letters in header.letters.items():
        if not house.word.startswith(letters):
            raise HouseError(f"letters of {pair} are {letters!r}, but the word here is {house.word}")
    return [(pair, len(letters)) for pair, letters in header.letters.items()]
