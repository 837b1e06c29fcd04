"""How far a measured share may lie from the true one."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]

_Z: Final = 1.959964  # 95 % of a normal distribution lie within
_RESAMPLES: Final = 1000


def wilson(right: int, of: int) -> Interval:
    """The 95 % interval of a share (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson(9, 10)]
    [0.596, 0.982]
    """
    if of == 0:
        return 0.0, 1.0
    share, spread = right / of, _Z * _Z / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * np.sqrt(share * (1 - share) / of + spread / (4 * of))
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def f1_of(hits: float, labelled: float, extra: float) -> float:
    """F1 of so many right cards among those labelled, and so many that are not there; 0 without any.

    >>> f1_of(8, 10, 0)
    0.8888888888888888
    """
    return 2 * hits / max(1e-9, hits + labelled + extra) if labelled + extra else 0.0


def f1_interval(counts: NDArray[np.float64]) -> Interval:
    """The 95 % interval of F1 over pictures with (n, 3) counts of right, labelled and extra cards.

    Whole pictures are drawn again (bootstrap, Efron 1979), since cards of a picture share its light and deck.
    Where nothing or hardly anything went wrong that knows no doubt, so the interval is at least as wide as
    Wilson's for the share of right cards among all that were labelled or read, J, with F1 = 2 J / (1 + J).
    """
    if len(counts) == 0:
        return 0.0, 1.0
    rows = np.random.default_rng(0).integers(0, len(counts), (_RESAMPLES, len(counts)))
    hits, labelled, extra = counts[rows].sum(axis=1).T
    drawn = 2 * hits / np.maximum(1e-9, hits + labelled + extra)
    low, high = np.percentile(drawn, [2.5, 97.5])
    total = counts.sum(axis=0)
    least, most = (2 * share / (1 + share) for share in wilson(int(total[0]), int(total[1] + total[2])))
    return min(float(low), least), max(float(high), most)
