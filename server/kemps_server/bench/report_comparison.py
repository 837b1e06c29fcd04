"""Two reports of ``kemps bench cards`` held against each other: which figures fell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kemps_server.errors import KempsServerError

TOLERANCE: Final = 0.003

_FIGURES: Final = ("precision", "recall", "f1", "exact")
_READ_BY_ITSELF: Final = ", as read"  # these groups change with the reader, whatever it reads


def fallen(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float = TOLERANCE) -> list[str]:
    """A line for each figure of ``old`` that is lower in ``new`` by more than ``tolerance``.

    Only parts that both measured are compared: photos by width, German letters, made-up hands, scene clips.
    Shares of wrong things count the other way round. Speed depends on the machine and is left out.

    Raises:
        KempsServerError: Nothing was measured in both, or not on the same pictures.
    """
    before, now = dict(_parts(old)), dict(_parts(new))
    common = [name for name in before if name in now]
    if not common:
        raise KempsServerError("the two reports have no part in common, so nothing can be compared")
    return [line for name in common for line in _fallen_in(name, before[name], now[name], tolerance)]


def _fallen_in(
    part: str,
    before: Mapping[str, Mapping[str, float]],
    now: Mapping[str, Mapping[str, float]],
    tolerance: float,
) -> Iterator[str]:
    for group, figures in before.items():
        if group.endswith(_READ_BY_ITSELF) or group == "card length unknown":
            continue
        if group not in now or now[group]["cards"] != figures["cards"]:
            raise KempsServerError(
                f"{part}, {group}: not the same pictures in both reports; make the earlier one again"
            )
        for name, was in figures.items():
            if name != "cards" and now[group][name] < was - tolerance - 1e-9:
                yield f"{part}, {group}: {name} fell from {was:.4f} to {now[group][name]:.4f}"


def _parts(report: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    for kind in ("photos", "german"):
        for size, part in report.get(kind, {}).items():
            yield f"{kind} at {size}", _groups(part["groups"])
    for size, part in report.get("photos", {}).items():
        sure = part["wrong_and_sure"]
        right = 1 - sure["wrong"] / max(1, sure["cards"])
        yield f"photos at {size}, sure", {"all": {"cards": sure["cards"], "not wrong": right}}
    if rendered := report.get("rendered"):
        yield "made-up hands", _groups(rendered["groups"])
    if scenes := report.get("scenes"):
        yield "scene clips", {"all": _scene_figures(scenes)}


def _groups(groups: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        name: {figure: scores[figure] for figure in ("cards", *_FIGURES)} for name, scores in groups.items()
    }


def _scene_figures(scenes: Mapping[str, Any]) -> dict[str, float]:
    counted = scenes["counted"]
    return {
        "cards": scenes["clips"],
        "not wrong": 1 - counted["wrong"] / max(1, counted["observations"]),
        "found": counted["found_share"],
        "centre right": scenes["centre_right"] / max(1, scenes["centre_moments"]),
    }
