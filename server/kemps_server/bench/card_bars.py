"""The bars that the card reader is held to, and whether a report meets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

WIDTHS: Final = ("native", "1600 px", "1280 px", "960 px")
"""The widths at which a bar about photos has to be met."""

_FEW_ERRORS: Final = 1
_LEAST_FANS: Final = 300
_LEAST_OBSERVATIONS: Final = 3000
_MOST_BYTES: Final = 3_000_000
_MOST_LOSS: Final = 0.003
_SPEEDS: Final = (("centre region", "640x384", 20.0), ("whole frame", "1280x720", 50.0))


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        what: What is measured.
        bar: What is asked.
        figures: What was measured; by width where photos are read at several.
        is_met: Whether it is, at all of ``WIDTHS``; None when that was not measured, or on too few; what
            fails at one width or on few clips fails.
    """

    what: str
    bar: str
    figures: Mapping[str, str]
    is_met: bool | None

    @property
    def verdict(self) -> str:
        """``met``, ``not met``, ``too few to tell`` or ``not measured``."""
        if self.is_met is None:
            return "too few to tell" if self.figures else "not measured"
        return "met" if self.is_met else "not met"

    def as_json(self) -> dict[str, Any]:
        """The bar as plain values."""
        return {"what": self.what, "bar": self.bar, "figures": dict(self.figures), "verdict": self.verdict}


def bars(report: Mapping[str, Any]) -> list[Bar]:
    """All bars, in their order, held against a report of ``kemps bench cards``."""
    return [
        _share(report, "single frame, separate cards: F1", "layout separate", "f1", 0.993),
        _share(report, "single frame, separate cards: precision", "layout separate", "precision", 0.997),
        _few_errors(report),
        _fans(report),
        _share(report, "whole photo exact, up to 6 separate cards", _SEPARATE, "exact", 0.97),
        _german(report),
        _share(report, "640x480 webcam singles, jumbo index: F1", _WEBCAM, "f1", 0.98),
        *_scenes(report),
        _wrong_and_sure(report),
        *_speeds(report),
        *_weights(report),
    ]


_SEPARATE: Final = "layout separate, up to 6 cards"
_WEBCAM: Final = "640x480 webcam singles, jumbo index"
_OVERLAPS: Final = "overlaps and fans, up to 6 cards"


def _sizes(report: Mapping[str, Any], group: str) -> dict[str, Mapping[str, Any]]:
    sizes = report.get("photos", {}).items()
    return {size: part["groups"][group] for size, part in sizes if group in part["groups"]}


def _share(report: Mapping[str, Any], what: str, group: str, name: str, least: float) -> Bar:
    return _least(what, _sizes(report, group), name, least)


def _least(what: str, by_size: Mapping[str, Mapping[str, Any]], name: str, least: float) -> Bar:
    figures = {size: _with_interval(scores, name) for size, scores in by_size.items()}
    held = {size: scores[name] >= least for size, scores in by_size.items()}
    return Bar(what, f"at least {least:g}", figures, _everywhere(held))


def _everywhere(held: Mapping[str, bool]) -> bool | None:
    if not all(held.values()):
        return False
    return True if all(size in held for size in WIDTHS) else None


def _with_interval(scores: Mapping[str, Any], name: str) -> str:
    low, high = scores[f"{name}_95"]
    return f"{scores[name]:.4f} ({low:.3f}–{high:.3f})"


def _few_errors(report: Mapping[str, Any]) -> Bar:
    by_size = _sizes(report, _OVERLAPS)
    errors = {size: scores["wrong"] + scores["missed"] for size, scores in by_size.items()}
    figures = {
        size: f"{count} in {by_size[size]['photos']} photos, {by_size[size]['cards']} cards"
        for size, count in errors.items()
    }
    held = {size: count <= _FEW_ERRORS for size, count in errors.items()}
    what = "single frame, overlaps and fans of up to 6 cards: errors"
    return Bar(what, "at most 1", figures, _everywhere(held))


def _fans(report: Mapping[str, Any]) -> Bar:
    scores = report.get("rendered", {}).get("groups", {}).get("all")
    what, bar = f"the same, at least {_LEAST_FANS} made-up ones: F1", "at least 0.985"
    if scores is None or scores["photos"] < _LEAST_FANS:
        few = (
            {} if scores is None else {"1280x720": f"{_with_interval(scores, 'f1')}, {scores['photos']} only"}
        )
        return Bar(what, bar, few, None)
    figures = {"1280x720": f"{_with_interval(scores, 'f1')}, {scores['photos']} pictures"}
    return Bar(what, bar, figures, scores["f1"] >= 0.985)


def _german(report: Mapping[str, Any]) -> Bar:
    parts = report.get("german", {}).items()
    given = {size: part["groups"]["given"] for size, part in parts if part["groups"]["given"]["photos"]}
    return _least("German decks with --alphabet german: F1", given, "f1", 0.95)


def _scenes(report: Mapping[str, Any]) -> Iterator[Bar]:
    scenes = report.get("scenes")
    names = ("wrong identity", "found within 1 s of lying free", "centre right")
    texts = (
        f"at most 0.001 of at least {_LEAST_OBSERVATIONS}",
        "at least 0.995",
        "at least 0.995 of the time",
    )
    if not scenes:
        yield from (
            Bar(f"scene clips: {name}", text, {}, None) for name, text in zip(names, texts, strict=True)
        )
        return
    counted = scenes["counted"]
    count = counted["observations"]
    wrong, found = counted["wrong"] / max(1, count), counted["found_share"]
    centre = scenes["centre_right"] / max(1, scenes["centre_moments"])
    told = (
        f"{counted['wrong']} of {count} ({_span(counted['wrong_95'])})",
        f"{found:.4f} ({_span(counted['found_95'])})",
        f"{centre:.4f} ({_span(scenes['centre_95'])})",
    )
    is_enough = count >= _LEAST_OBSERVATIONS
    met = (wrong <= 0.001, found >= 0.995, centre >= 0.995)
    for name, text, figure, is_met in zip(names, texts, told, met, strict=True):
        yield Bar(
            f"scene clips: {name}", text, {"clips": figure}, is_met if is_enough or not is_met else None
        )


def _span(interval: list[float]) -> str:
    return f"{interval[0]:.4f}–{interval[1]:.4f}"


def _wrong_and_sure(report: Mapping[str, Any]) -> Bar:
    parts = {size: part["wrong_and_sure"] for size, part in report.get("photos", {}).items()}
    figures = {
        size: f"{part['wrong']} at {part['score']:.3f}, {part['cards']} cards" for size, part in parts.items()
    }
    # A score of 0 says that not even so many cards were read as should lie above it.
    held = {size: part["wrong"] <= 1 and part["score"] > 0 for size, part in parts.items()}
    return Bar(
        "wrong and sure, single frames",
        "at most 1 at a score that 90 % of the cards have",
        figures,
        _everywhere(held),
    )


def _speeds(report: Mapping[str, Any]) -> Iterator[Bar]:
    measured = {f"{one['width']}x{one['height']}": one for one in report.get("speed", [])}
    for name, size, most in _SPEEDS:
        one = measured.get(size)
        crops = "" if one is None else f" + {one['crops']} crops"
        figures = {} if one is None else {size: f"{one['cpu_ms']:.1f} CPU-ms"}
        met = None if one is None else one["cpu_ms"] <= most
        yield Bar(f"speed, one thread: {name}{crops}", f"at most {most:g} CPU-ms", figures, met)


def _weights(report: Mapping[str, Any]) -> Iterator[Bar]:
    size = report.get("weights_bytes")
    figures = {} if size is None else {"all": f"{size / 1e6:.2f} MB"}
    yield Bar("weights", "at most 3 MB", figures, None if size is None else size <= _MOST_BYTES)
    losses = report.get("int8_loss", {})
    told = {where: f"{loss:+.4f}" for where, loss in losses.items()}
    met = all(loss <= _MOST_LOSS for loss in losses.values()) if losses else None
    yield Bar("F1 lost by int8", f"at most {_MOST_LOSS}", told, met)
