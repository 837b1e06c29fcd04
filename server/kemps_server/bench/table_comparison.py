"""Two reports of ``kemps bench table`` held against each other: which figures fell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kemps_server.errors import KempsServerError

TOLERANCE: Final = 0.01


def fallen(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float = TOLERANCE) -> list[str]:
    """A line for each figure of ``old`` that is lower in ``new`` by more than ``tolerance``.

    Wrong verdicts and invented swaps may not become more at all. Speed is the machine's, and left out.

    Raises:
        KempsServerError: The reports are not of the same clips.
    """
    clips = [[clip["name"] for clip in report.get("clips", ())] for report in (old, new)]
    if not clips[0] or clips[0] != clips[1]:
        raise KempsServerError("the reports are not of the same clips; make the earlier one again")
    now = dict(_shares(new))
    lines = [
        f"{name} fell from {was:.4f} to {now[name]:.4f}"
        for name, was in _shares(old)
        if now[name] < was - tolerance - 1e-9
    ]
    counts = dict(_counts(new))
    more = [f"{name} rose from {was} to {counts[name]}" for name, was in _counts(old) if counts[name] > was]
    return lines + more


def _shares(report: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for part in ("games", "shared"):
        if figures := report.get(part):
            for name in ("recall", "precision"):
                yield f"{part}: {name} of swaps", figures["swaps"][name]["share"] or 0.0
            yield f"{part}: right seat", figures["seats"]["share"] or 0.0
            yield f"{part}: centre right", figures["centre"]["share"] or 0.0
            yield f"{part}: hands shown", figures["reveals"]["recall"]["share"] or 0.0
    if calls := report.get("calls"):
        yield "calls: ruled as they are", calls["right_rulings"] / max(1, calls["calls"])
    if fouls := report.get("fouls"):
        for kind, found in fouls["recall"].items():
            yield f"{kind}: recall", found["share"] or 0.0


def _counts(report: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for part in ("games", "shared"):
        if figures := report.get(part):
            yield f"{part}: wrong verdicts", figures["verdicts"]["wrong"]
    if calls := report.get("calls"):
        yield "calls: wrong verdicts", calls["wrong"]
    if restless := report.get("restless"):
        yield "restless play: swaps invented", restless["swaps_invented"]
