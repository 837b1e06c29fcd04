"""Two reports of ``kemps bench people`` held against each other: which figures fell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kemps_server.errors import KempsServerError

TOLERANCE: Final = 0.01
"""Landmarks differ in the last digits from processor to processor, and a label more or less turns over."""

_UNCOMPARED: Final = frozenset({"speed", "bars", "curve", "failures"})


def fallen(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float = TOLERANCE) -> list[str]:
    """A line for each share of ``old`` that is lower in ``new``, and each rate of false ones that is higher.

    Only parts that both measured are compared. Speed depends on the machine and is left out.

    Raises:
        KempsServerError: Nothing was measured in both, or not on the same pictures and clips.
    """
    before, now = dict(_figures(old)), dict(_figures(new))
    common = [name for name in before if name in now]
    if not common:
        raise KempsServerError("the two reports have no part in common, so nothing can be compared")
    return [line for name in common for line in _fallen(name, before[name], now[name], tolerance)]


def _fallen(
    name: str, before: tuple[str, float, float], now: tuple[str, float, float], tolerance: float
) -> Iterator[str]:
    kind, was, size = before
    _, value, new_size = now
    if size != new_size:
        raise KempsServerError(f"{name}: not the same pictures in both reports; make the earlier one again")
    if kind == "share" and value < was - tolerance - 1e-9:
        yield f"{name}: fell from {was:.4f} to {value:.4f}"
    if kind == "rate" and value > was + tolerance + 1e-9:
        yield f"{name}: false ones rose from {was:.3f} to {value:.3f} a minute"


def _figures(report: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, tuple[str, float, float]]]:
    """The name, kind, value and size of each share and rate in a report; precision is of what was told."""
    for name, part in report.items():
        if not isinstance(part, Mapping) or name in _UNCOMPARED:
            continue
        place = f"{where}, {name}" if where else name
        if "share_95" in part:
            if part["share"] is not None:
                size = 0 if name in _SIZED_BY_OURSELVES else part["of"]
                yield place, ("share", part["share"], size)
        elif "a_minute" in part:
            if part["a_minute"] is not None:
                yield place, ("rate", part["a_minute"], part["minutes"])
        else:
            yield from _figures(part, place)


_SIZED_BY_OURSELVES: Final = frozenset({"precision", "right", "found_by_width"})
"""Shares of what we told ourselves: how many that are changes with the program."""
