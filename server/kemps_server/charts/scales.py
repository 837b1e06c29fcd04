"""From values to places on an axis, and which values stand on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_STEPS: Final = (1, 2, 5, 10)
_TIME_STEPS_MS: Final = (
    *(1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000),
    *(900_000, 1_800_000, 3_600_000),
)


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from values to px; ``end_px`` may lie before ``start_px``, as on an upright axis.

    >>> Scale(0, 10, 100, 300).at(5)
    200.0
    """

    low: float
    high: float
    start_px: float
    end_px: float

    def at(self, value: float) -> float:
        """Where a value stands; what lies outside stands at the nearer end."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start_px + min(max(share, 0.0), 1.0) * (self.end_px - self.start_px), 1)


def ticks_up_to(high: float, *, most: int = 6) -> tuple[float, ...]:
    """Round values from 0 on, the last not below ``high``, at most ``most`` steps.

    >>> ticks_up_to(7.3), ticks_up_to(0.9), ticks_up_to(0)
    ((0.0, 2.0, 4.0, 6.0, 8.0), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 1.0))
    """
    if high <= 0:
        return (0.0, 1.0)
    power = 1e-6
    while True:
        for step in _STEPS[:-1]:
            size = step * power
            count = -int(-(high / size) // 1)
            if count <= most:
                return tuple(round(size * number, 6) for number in range(count + 1))
        power *= 10


def time_ticks_up_to(high_ms: int, *, most: int = 8) -> tuple[int, ...]:
    """Round times from 0 on, the last not below ``high_ms``, at most about ``most`` steps.

    >>> time_ticks_up_to(95_000)
    (0, 15000, 30000, 45000, 60000, 75000, 90000, 105000)
    """
    size = next((step for step in _TIME_STEPS_MS if step * most >= high_ms), _TIME_STEPS_MS[-1])
    while size * most < high_ms:
        size *= 2
    count = max(1, -(-high_ms // size))
    return tuple(size * number for number in range(count + 1))
