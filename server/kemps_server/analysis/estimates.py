"""Figures with how far they may be off: 95 % intervals that also hold for small numbers.

Shares have Wilson's interval, rates the exact one of a Poisson count, medians that of the order statistics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from typing import Final

from scipy.special import betaincinv, gammaincinv

LEAST_COMPARED: Final = 10
"""People and gestures are not put in order by a figure that rests on fewer occasions than this."""
MINUTE_MS: Final = 60_000
_Z: Final = 1.959964  # the normal distribution's 97.5 %
_TAIL: Final = 0.025
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``of``; ``share``, ``low`` and ``high`` are None when there was no occasion.

    >>> Share.of_count(8, 10)
    Share(count=8, of=10, share=0.8, low=0.4902, high=0.9433)
    """

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None

    @classmethod
    def of_count(cls, count: int, of: int) -> Share:
        """The share with Wilson's interval."""
        if not of:
            return cls(count, of, None, None, None)
        share, z2 = count / of, _Z * _Z / of
        middle = (share + z2 / 2) / (1 + z2)
        reach = _Z * sqrt(share * (1 - share) / of + z2 / (4 * of)) / (1 + z2)
        low, high = max(0.0, middle - reach), min(1.0, middle + reach)
        return cls(count, of, round(share, _DIGITS), round(low, _DIGITS), round(high, _DIGITS))


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a minute; the figures are None when nothing was watched.

    >>> Rate.of_count(6, 120_000)
    Rate(count=6, watched_ms=120000, a_minute=3.0, low=1.1009, high=6.5297)
    """

    count: int
    watched_ms: int
    a_minute: float | None
    low: float | None
    high: float | None

    @classmethod
    def of_count(cls, count: int, watched_ms: int) -> Rate:
        """The rate with the exact interval of a Poisson count."""
        if watched_ms <= 0:
            return cls(count, 0, None, None, None)
        minutes = watched_ms / MINUTE_MS
        low = float(gammaincinv(count, _TAIL)) if count else 0.0
        high = float(gammaincinv(count + 1, 1 - _TAIL))
        figures = (round(value / minutes, _DIGITS) for value in (count, low, high))
        return cls(count, watched_ms, *figures)


@dataclass(frozen=True, slots=True)
class Spread:
    """Times of several occasions: the median, its interval (from six occasions on), the least and the most.

    >>> Spread.of_times([1000, 4000, 2000])
    Spread(n=3, median_ms=2000, low_ms=None, high_ms=None, least_ms=1000, most_ms=4000)
    """

    n: int
    median_ms: int | None
    low_ms: int | None
    high_ms: int | None
    least_ms: int | None
    most_ms: int | None

    @classmethod
    def of_times(cls, times_ms: Iterable[int]) -> Spread:
        """The spread of these times."""
        ordered = sorted(times_ms)
        n = len(ordered)
        if not n:
            return cls(0, None, None, None, None, None)
        median = (ordered[(n - 1) // 2] + ordered[n // 2]) // 2
        rank = _outer_rank(n)
        low, high = (ordered[rank - 1], ordered[n - rank]) if rank else (None, None)
        return cls(n, median, low, high, ordered[0], ordered[-1])


def _outer_rank(n: int) -> int:
    """The rank whose value and its mirror hold the median with 95 %; 0 when there are too few.

    >>> _outer_rank(5), _outer_rank(6), _outer_rank(20)
    (0, 1, 6)
    """
    rank, below = 0, 0
    while (below + comb(n, rank)) / 2**n <= _TAIL:
        below += comb(n, rank)
        rank += 1
    return rank


@dataclass(frozen=True, slots=True)
class Times:
    """How many times as often something happens in one kind of time as in another.

    ``high`` is None where it has no upper end, and all are None when one of the two was never watched.
    """

    times: float | None
    low: float | None
    high: float | None

    @classmethod
    def of_rates(cls, one: Rate, other: Rate) -> Times:
        """``one`` by ``other``, with the exact interval of two Poisson counts.

        >>> Times.of_rates(Rate.of_count(4, 60_000), Rate.of_count(8, 240_000))
        Times(times=2.0, low=0.4407, high=7.4654)
        """
        total = one.count + other.count
        if not total or not one.watched_ms or not other.watched_ms:
            return cls(None, None, None)
        scale = other.watched_ms / one.watched_ms
        low = float(betaincinv(one.count, other.count + 1, _TAIL)) if one.count else 0.0
        high = float(betaincinv(one.count + 1, other.count, 1 - _TAIL)) if other.count else 1.0
        times = round(one.count / other.count * scale, _DIGITS) if other.count else None
        return cls(times, round(_odds(low) * scale, _DIGITS), _finite(high, scale))


def _odds(share: float) -> float:
    return share / (1 - share)


def _finite(share: float, scale: float) -> float | None:
    return None if share >= 1 else round(_odds(share) * scale, _DIGITS)


def chance_of_so_many(count: int, chances: Sequence[float]) -> float:
    """How likely ``count`` or more of independent occasions with these chances are.

    >>> chance_of_so_many(2, [0.5, 0.5]), chance_of_so_many(0, [0.1])
    (0.25, 1.0)
    """
    likely = [1.0]
    for chance in chances:
        likely = [
            (likely[k] if k < len(likely) else 0.0) * (1 - chance) + (likely[k - 1] * chance if k else 0.0)
            for k in range(len(likely) + 1)
        ]
    return min(1.0, sum(likely[count:]))
