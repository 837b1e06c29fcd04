"""Shares with their 95 % intervals, and rates, as plain values of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kemps_server.bench.confidence import wilson


def share(right: int, of: int) -> dict[str, Any]:
    """So many of so many; the interval is Wilson's. The share is None when there is nothing to count.

    >>> share(9, 10)
    {'right': 9, 'of': 10, 'share': 0.9, 'share_95': [0.5958, 0.9821]}
    """
    low, high = wilson(right, of)
    return {
        "right": right,
        "of": of,
        "share": round(right / of, 4) if of else None,
        "share_95": [round(low, 4), round(high, 4)],
    }


def rate(count: int, minutes: float) -> dict[str, Any]:
    """So many in so many minutes; a minute's share is None without any time.

    >>> rate(3, 6.0)
    {'false': 3, 'minutes': 6.0, 'a_minute': 0.5}
    """
    return {
        "false": count,
        "minutes": round(minutes, 2),
        "a_minute": round(count / minutes, 3) if minutes > 0 else None,
    }


def calibration(scored: Sequence[tuple[float, bool]], bins: int = 5) -> dict[str, Any]:
    """How far scores are from the share that is so: the expected calibration error over equal bins.

    Each of ``scored`` is a score 0.5..1, a claim, with whether it is so. The error is the mean over all
    claims of the distance between a bin's mean score and its share of true ones (Naeini et al., AAAI 2015).
    """
    rows = []
    error = 0.0
    for place in range(bins):
        low, high = 0.5 + place * 0.5 / bins, 0.5 + (place + 1) * 0.5 / bins
        some = [
            (score, is_so)
            for score, is_so in scored
            if low <= score < high or (place == bins - 1 and score >= high)
        ]
        if not some:
            continue
        mean = sum(score for score, _ in some) / len(some)
        true = sum(is_so for _, is_so in some)
        error += abs(mean - true / len(some)) * len(some) / len(scored)
        rows.append(
            {"from": round(low, 2), "to": round(high, 2), "score": round(mean, 3), **share(true, len(some))}
        )
    return {"spans": len(scored), "error": round(error, 4) if scored else None, "bins": rows}
