"""Which alphabet a deck has, and what its letters mean: printed signs become ranks.

A deck has one alphabet, so all indices of a picture, or of a game, speak about it together. Numerals tell
nothing. Nearly every deck is international, so others need clear letters; until these were seen, a letter
that the international alphabet lacks makes a card unread, never another card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import ALPHABETS, GLYPHS, glyph_ranks
from kemps_rules.cards import RANKS
from kemps_vision.cards.reading import Floats, IndexReading
from kemps_vision.errors import ReaderError

INTERNATIONAL: Final = "international"
ANY: Final = "any"
"""What people write for an alphabet that is to be found out."""

NAMES: Final = tuple(ALPHABETS)

# How much rarer (nats) than international a deck of another alphabet is held to be: two indices with a letter
# of its own are not enough (see _FLOOR_NATS), three are.
_RARER_NATS: Final = 7.0
_RARER_STILL_NATS: Final = {"nordic": 0.7, "dutch": 0.7, "italian": 0.7, "portuguese": 1.4}
_FLOOR_NATS: Final = -3.9  # the most that one index can say against an alphabet: one in fifty is misread
_SURE_NATS: Final = 3.9  # 50 to 1
_LEAST_PRESENCE: Final = 0.8
_LEAST_CLEARNESS: Final = 0.5
# Of the share of signs that the alphabet lacks; from 0.05 down German letters were misread on open photos.
_OUTSIDE_WEIGHT: Final = 0.1
_LEAST_READS: Final = 3
_LIKE_A_NUMERAL: Final = GLYPHS.index("1")  # a ten whose nought is covered looks like it


@dataclass(frozen=True, slots=True, eq=False)
class AlphabetBelief:
    """How likely each alphabet is.

    Attributes:
        log_p: (8,) log-probabilities in the order of ``NAMES``.
        is_given: Whether a person said so.
    """

    log_p: Floats
    is_given: bool = False

    @classmethod
    def given(cls, name: str) -> AlphabetBelief:
        """The belief after a person has named the alphabet.

        Raises:
            ReaderError: There is no such alphabet; the text says which there are.
        """
        check_alphabet(name)
        return cls(np.where(np.array(NAMES) == name, 0.0, -np.inf), is_given=True)

    @classmethod
    def from_evidence(cls, evidence: Floats) -> AlphabetBelief:
        """The belief after (8,) log-likelihoods were seen, see ``letter_evidence``."""
        log_p = _prior() + evidence
        return cls(log_p - np.logaddexp.reduce(log_p))

    @property
    def name(self) -> str:
        """The alphabet that cards are read by: international until another is settled."""
        return NAMES[int(self.log_p.argmax())] if self.is_settled else INTERNATIONAL

    @property
    def is_settled(self) -> bool:
        """Whether it is clear if the deck is international or another; then its letters have a meaning."""
        others = float(np.logaddexp.reduce(self.log_p[1:]))
        return abs(float(self.log_p[0]) - others) >= _SURE_NATS

    @property
    def is_assumed(self) -> bool:
        """Whether the alphabet is international because most are, not because letters or a person say so."""
        if self.is_given or self.name != INTERNATIONAL:
            return False
        evidence = self.log_p - _prior()
        return bool(evidence[0] - evidence[1:].max() < _SURE_NATS)

    def rank_log_p(self, glyph_log_p: Floats) -> Floats:
        """(n, 13) log-probabilities of the ranks, in the order of ``RANKS``, from (n, 24) of the glyphs.

        A glyph that the alphabet lacks says nothing about the rank, so its share is spread over all ranks,
        though only a tenth of it counts: most often it is a numeral misread, an 8 as a B. A real letter of
        another alphabet leaves so little for the numerals that the card stays unread all the same. Where
        several alphabets are left, a letter means what it means in each of them.
        """
        weights = np.exp(self.log_p) if self.is_settled else np.eye(len(NAMES))[0]
        meanings = np.tensordot(weights, _meanings(), axes=1)
        inside = np.exp(glyph_log_p) @ meanings
        outside = np.maximum(1.0 - inside.sum(axis=1, keepdims=True), 0.0)
        p = inside + _OUTSIDE_WEIGHT * outside / len(RANKS)
        return np.asarray(np.log(p / p.sum(axis=1, keepdims=True) + 1e-30), dtype=np.float64)


@dataclass(slots=True)
class GameLetters:
    """What the cards of a game say about the alphabet; each card at rest speaks once, however long it lies.

    The readings of one card repeat their error, so it is their mean that counts, and that of a card which was
    read too seldom does not: a ghost comes and goes.
    """

    _sums: dict[int, tuple[Floats, int]] = field(default_factory=dict)
    _evidence: Floats = field(default_factory=lambda: np.zeros(len(NAMES)))

    def see(self, card: int, indices: Sequence[IndexReading]) -> None:
        """One more reading of the card that is known by a number."""
        total, count = self._sums.get(card, (np.zeros(len(NAMES)), 0))
        before = _mean(total, count)
        total, count = total + letter_evidence(indices), count + 1
        self._sums[card] = total, count
        self._evidence = self._evidence + _mean(total, count) - before

    @property
    def alphabet(self) -> str | None:
        """The alphabet that the letters seen so far settle; None while each picture must tell by itself."""
        belief = AlphabetBelief.from_evidence(self._evidence)
        return None if belief.is_assumed else belief.name


def _mean(total: Floats, count: int) -> Floats:
    return total / count if count >= _LEAST_READS else np.zeros(len(NAMES))


def letter_evidence(indices: Sequence[IndexReading]) -> Floats:
    """(8,): the log-likelihood of the clear letters among some indices, for each alphabet."""
    clear = [
        index.glyph_log_p
        for index in indices
        if index.presence >= _LEAST_PRESENCE
        and index.clearness >= _LEAST_CLEARNESS
        and GLYPHS[int(index.glyph_log_p.argmax())].isalpha()
    ]
    if not clear:
        return np.zeros(len(NAMES))
    shares = np.exp(np.stack(clear)) @ _printed().T
    floor = np.exp(_FLOOR_NATS)
    return np.asarray(np.log(shares * (1.0 - floor) + floor).sum(axis=0), dtype=np.float64)


def check_alphabet(name: str) -> None:
    """Nothing, when there is such an alphabet.

    Raises:
        ReaderError: There is none; the text says which there are.
    """
    if name not in NAMES:
        raise ReaderError(f"no alphabet {name!r}; known: {', '.join(NAMES)}, or {ANY} to find it out")


@cache
def _prior() -> Floats:
    nats = [
        0.0 if name == INTERNATIONAL else -_RARER_NATS - _RARER_STILL_NATS.get(name, 0.0) for name in NAMES
    ]
    return np.asarray(nats - np.logaddexp.reduce(nats), dtype=np.float64)


@cache
def _meanings() -> NDArray[np.float64]:
    """(8, 24, 13): 1 where in an alphabet a glyph means a rank."""
    meanings = np.zeros((len(NAMES), len(GLYPHS), len(RANKS)))
    for alphabet, name in enumerate(NAMES):
        for glyph, rank in enumerate(glyph_ranks(name)):
            if rank >= 0:
                meanings[alphabet, glyph, rank] = 1.0
    return meanings


@cache
def _printed() -> NDArray[np.float64]:
    """(8, 24): 1 where an alphabet has a glyph, as far as that tells alphabets apart."""
    printed = _meanings().sum(axis=2)
    printed[:, _LIKE_A_NUMERAL] = 1.0
    return np.asarray(printed, dtype=np.float64)
