"""How a face is at rest, learnt from how it mostly is: gestures are measured from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.gestures.brow_lift import USUAL, Lift, lift_of
from kemps_vision.people.gestures.measures import Measures

_BELOW: Final = 0.35
# Quantiles of ordinary behaviour taken as rest. Eyes are mostly open but for blinks and looks down; brows,
# mouths and smiles leave rest to one side only, so rest is below the middle.
_QUANTILES: Final = Measures(
    open_left=0.75,
    open_right=0.75,
    brow_left=_BELOW,
    brow_right=_BELOW,
    brow_down=_BELOW,
    gaze_left=0.5,
    gaze_up=0.6,
    jaw_open=_BELOW,
    pucker=0.5,
    smile=_BELOW,
    yaw=0.5,
    pitch=0.5,
    roll=0.5,
    span_px=0.5,
    width_px=0.5,
    iris_up=0.5,
)
_FROWNING: Final = 0.3  # such frames tell nothing about brows at rest
_SHUT: Final = 0.5  # of the open eye; such frames tell nothing about anything but eyes
_ENOUGH: Final = 0.3  # share of the frames that must be left
_LIDS_AT_LEAST: Final = 0.12  # of an eye's width: a face that was only seen with its eyes shut
STEADY: Final = Measures(*(0.0 for _ in Measures._fields))


@dataclass(frozen=True, slots=True)
class Neutral:
    """A face at rest, and how far its measures ordinarily are from there.

    Attributes:
        rest: The value of each measure at rest.
        spread: Half the width of the middle two thirds, for each measure; for one that leaves rest to one
            side only, the gestures' own, how far the lower sixth is from rest.
        scatter: The middle change from one look to the next, which is mostly the measuring's own.
        lift: What looking down adds to the measured height of its brows.
    """

    rest: Measures
    spread: Measures
    scatter: Measures = STEADY
    lift: Lift = USUAL

    def nearer_to(self, other: Neutral, share: float) -> Neutral:
        """This neutral, moved by ``share`` of the way to another."""
        return Neutral(
            Measures(*_between(self.rest, other.rest, share)),
            Measures(*_between(self.spread, other.spread, share)),
            Measures(*_between(self.scatter, other.scatter, share)),
            Lift(*_between(self.lift, other.lift, share)),
        )


def neutral_of(seen: Sequence[Measures]) -> Neutral | None:
    """The rest of a face from ordinary behaviour, 20 s of it or what there is; None when nothing was seen."""
    if not seen:
        return None
    table = np.array(seen, np.float64)
    lids = (table[:, 0] + table[:, 1]) / 2
    is_open = lids > _SHUT * np.quantile(lids, _QUANTILES.open_left)
    is_calm = is_open & (table[:, Measures._fields.index("brow_down")] < _FROWNING)
    rest, spread = [], []
    for place, (name, share) in enumerate(zip(Measures._fields, _QUANTILES, strict=True)):
        rows = table[:, place]
        if not name.startswith("open"):
            rows = _enough(rows, is_calm if name in ("brow_left", "brow_right") else is_open)
        low, middle, high = np.quantile(rows, (1 / 6, share, 5 / 6))
        rest.append(float(middle))
        spread.append(float(middle - low if share == _BELOW else (high - low) / 2))
    at_rest = Measures(*rest)
    at_rest = at_rest._replace(
        open_left=max(at_rest.open_left, _LIDS_AT_LEAST),
        open_right=max(at_rest.open_right, _LIDS_AT_LEAST),
    )
    scatter = np.median(np.abs(np.diff(table, axis=0)), axis=0) if len(table) > 1 else STEADY
    return Neutral(
        at_rest,
        Measures(*spread),
        Measures(*(float(value) for value in scatter)),
        lift_of(_enough(table, is_open), at_rest),
    )


def _enough(rows: NDArray[np.float64], wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
    return rows[wanted] if wanted.sum() >= max(1.0, _ENOUGH * len(rows)) else rows


def _between(one: Iterable[float], other: Iterable[float], share: float) -> Iterator[float]:
    return (a + share * (b - a) for a, b in zip(one, other, strict=True))
