"""The report of ``kemps bench cards`` as the tables of a document, put between its two marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kemps_server.bench.card_photos import SMALL_HAND
from kemps_server.bench.marked_document import markdown_table, put_between

BEGIN: Final = "<!-- kemps bench cards --docs: begin -->"
END: Final = "<!-- kemps bench cards --docs: end -->"

_SPLITS: Final = ("tuning sources", "reporting sources", "sources neither tuned on nor listed")
_LAYOUTS: Final = (
    "layout separate",
    f"layout separate, up to {SMALL_HAND} cards",
    "layout overlap",
    "layout fan",
    f"overlaps and fans, up to {SMALL_HAND} cards",
    "layout single",
)
_MAIN: Final = (
    "all",
    *_SPLITS,
    *(name for layout in _LAYOUTS for name in (layout, *(f"{layout}, {split}" for split in _SPLITS))),
    "640x480 webcam singles, jumbo index",
)
_KINDS: Final = ("card length", "light", "contrast", "jumbo", "source ")
_FAN_KINDS: Final = ("all", "layout", "lying", "deck", "card length", "light", "surface", "tilt")
_SCENE_KINDS: Final = ("deck", "surface", "camera", "light", "layout", "size")


def put_into(path: Path, report: Mapping[str, Any]) -> None:
    """Writes the tables into a document in place of those between its marks.

    Raises:
        KempsServerError: The document is not there, or lacks the marks.
        WorkFailedError: It cannot be written.
    """
    put_between(path, BEGIN, END, markdown(report))


def markdown(report: Mapping[str, Any]) -> str:
    """The tables of all parts that were measured."""
    return "\n".join(line for part in _parts(report) for line in (*part, ""))


def _parts(report: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    weights = ", ".join(f"{name} {digest[:12]}" for name, digest in report["weights"].items())
    yield [f"Weights (sha256): {weights}."]
    yield ["### Bars", "", *_bars(report["bars"])]
    if photos := report.get("photos"):
        size, part = next(iter(photos.items()))
        groups = part["groups"]
        yield [f"### Photos, {size}", "", *_detail(groups, [name for name in _MAIN if name in groups])]
        yield ["By length of the cards as read, light, contrast and source:"]
        yield _detail(groups, [name for kind in _KINDS for name in groups if name.startswith(kind)])
        yield [
            "### Photos, F1 by width",
            "",
            *_by_width({size: one["groups"] for size, one in photos.items()}),
        ]
    if german := report.get("german"):
        widths = {size: part["groups"] for size, part in german.items()}
        yield ["### German letters, F1 by width", "", *_by_width(widths, next(iter(widths.values())))]
        yield [_settled(size, part) for size, part in german.items()]
    if rendered := report.get("rendered"):
        groups = rendered["groups"]
        first, last = rendered["seeds"]
        yield [f"### Made-up hands, seeds {first} to {last}"]
        yield _detail(groups, [name for kind in _FAN_KINDS for name in groups if name.startswith(kind)])
    if scenes := report.get("scenes"):
        yield from _scenes(scenes)
    if speed := report.get("speed"):
        yield ["### Speed, one thread", "", *_speed(speed)]


def _bars(bars: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = []
    for bar in bars:
        figures = "<br>".join(f"{where}: {figure}" for where, figure in bar["figures"].items())
        rows.append([bar["what"], bar["bar"], figures or "–", f"**{bar['verdict']}**"])
    return markdown_table(["what", "bar", "figure (95 %)", ""], rows)


def _detail(groups: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    heads = [
        "pictures",
        "n",
        "cards",
        "precision (95 %)",
        "recall (95 %)",
        "F1 (95 %)",
        "read exactly (95 %)",
    ]
    rows = []
    for name in names:
        figures = groups[name]
        shares = [_share(figures, part) for part in ("precision", "recall", "f1")]
        low, high = figures["exact_95"]
        exact = f"{round(figures['exact'] * figures['photos'])}/{figures['photos']} ({low:.3f}–{high:.3f})"
        rows.append([name, str(figures["photos"]), str(figures["cards"]), *shares, exact])
    return markdown_table(heads, rows)


def _by_width(
    widths: Mapping[str, Mapping[str, Mapping[str, Any]]], names: Mapping[str, Any] | None = None
) -> list[str]:
    first = next(iter(widths.values()))
    chosen = [name for name in (names or _MAIN) if name in first]
    return markdown_table(
        ["pictures", *widths],
        [[name, *(_share(groups[name], "f1") for groups in widths.values())] for name in chosen],
    )


def _settled(size: str, part: Mapping[str, Any]) -> str:
    after = part["settled_after_photos"]
    told = "did not settle" if after is None else f"settled as {part['settled_as']} after photo {after}"
    return f"* {size}: the alphabet {told}."


def _scenes(scenes: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    first, last = scenes["seeds"]
    heads = ["cards", "observations", "wrong (95 %)", "found within 1 s (95 %)", "named later", "lost"]
    rows = [_scene_row("from 70 px", scenes["counted"]), _scene_row("36–70 px", scenes["small"])]
    for kind in _SCENE_KINDS:
        seen = {name: one for name, one in scenes["by"].get(kind, {}).items() if one["observations"]}
        rows += [_scene_row(f"{kind} {name}", one) for name, one in seen.items()]
    yield [
        f"### Scene clips, {scenes['clips']} of them, seeds {first} to {last}",
        "",
        *markdown_table(heads, rows),
    ]
    right, moments = scenes["centre_right"], scenes["centre_moments"]
    low, high = scenes["centre_95"]
    centre = f"The centre was right at {right} of {moments} moments ({low:.4f}–{high:.4f}); "
    yield [centre + f"{scenes['made_up']} settled names stood where no card lies."]


def _scene_row(name: str, figures: Mapping[str, Any]) -> list[str]:
    wrong, found = figures["wrong_95"], figures["found_95"]
    return [
        name,
        str(figures["observations"]),
        f"{figures['wrong']} ({wrong[0]:.4f}–{wrong[1]:.4f})",
        f"{figures['found_share']:.4f} ({found[0]:.4f}–{found[1]:.4f})",
        str(figures["named_later"]),
        str(figures["lost"]),
    ]


def _speed(speed: Sequence[Mapping[str, Any]]) -> list[str]:
    return markdown_table(
        ["picture", "CPU-ms", "wall ms, fastest"],
        [
            [
                f"{one['width']}x{one['height']}, {one['crops']} crops",
                f"{one['cpu_ms']:.1f}",
                f"{one['fastest_ms']:.1f}",
            ]
            for one in speed
        ],
    )


def _share(figures: Mapping[str, Any], name: str) -> str:
    low, high = figures[f"{name}_95"]
    return f"{figures[name]:.4f} ({low:.3f}–{high:.3f})"
