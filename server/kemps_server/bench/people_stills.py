"""What ``kemps look`` says of labelled photos: faces by number and size, hands on faces, hands that touch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from kemps_server.bench.people_kept import Answer, content_hash, watcher_version
from kemps_server.bench.people_labels import Scene
from kemps_server.bench.people_shares import share
from kemps_server.cli import look_lines
from kemps_server.cli.look_lines import LEAST_LISTED, LEAST_TOLD, contacts_of
from kemps_vision.cards.stills import load_still
from kemps_vision.people.contact.stills import StillReader

TOUCH: Final = "hands_touched"
ON_FACE: Final = "hand_on_face"
THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WIDTHS_PX: Final = (32, 64, 128)


@dataclass(frozen=True, slots=True)
class StillTask:
    """A photo to be looked at."""

    path: Path

    @property
    def key(self) -> str:
        """The file, what is in it, and the code that looks."""
        code = watcher_version("kemps_vision.people.contact.stills", own=look_lines.__file__)
        return f"still {self.path.name} {content_hash(self.path)} {code}"

    def run(self, work: Path) -> Answer:
        """Faces as boxes, left, top, width, height, and contacts as the command tells them."""
        del work
        pixels = load_still(self.path)
        start = time.process_time()
        seen = _reader().read(pixels)
        cpu_ms = (time.process_time() - start) * 1000
        boxes = [face.box for face in seen.faces]
        return {
            "size": [pixels.shape[1], pixels.shape[0]],
            "faces": [
                [round(value, 1) for value in (box.left, box.top, box.width, box.height)] for box in boxes
            ],
            "contacts": contacts_of(seen, LEAST_LISTED),
            "cpu_ms": round(cpu_ms, 1),
        }


def best_score(answer: Mapping[str, Any], kind: str) -> float:
    """How sure the surest contact of a kind is, 0 without any."""
    scores = [one["score"] for one in answer["contacts"] if one["kind"] == kind]
    return float(max(scores, default=0.0))


def still_figures(pairs: Sequence[tuple[Scene, Answer]]) -> dict[str, Any]:
    """The figures of all photos, each with what was seen in it."""
    counted = [pair for pair in pairs if pair[0].counts_faces]
    touching = [pair for pair in pairs if pair[0].counts_touching]
    return {
        "photos": len(pairs),
        "faces": face_figures(counted),
        "faces_by_kind": {kind: face_figures(some) for kind, some in _grouped(counted, _kind).items()},
        "faces_by_width": {name: face_figures(some) for name, some in _grouped(counted, _width).items()},
        ON_FACE: _contact_figures(pairs, ON_FACE, lambda scene: scene.hand_on_face),
        TOUCH: _contact_figures(touching, TOUCH, lambda scene: scene.hands_touch),
        "cpu_ms_median": sorted(answer["cpu_ms"] for _, answer in pairs)[len(pairs) // 2] if pairs else None,
    }


def face_figures(pairs: Sequence[tuple[Scene, Answer]]) -> dict[str, Any]:
    """How many of the labelled faces were found, by number only, and how many were too many."""
    counts = [(scene.faces or 0, len(answer["faces"])) for scene, answer in pairs]
    labelled = sum(wanted for wanted, _ in counts)
    extra = sum(max(0, found - wanted) for wanted, found in counts)
    return {
        "photos": len(pairs),
        "found": share(sum(min(pair) for pair in counts), labelled),
        "extra": extra,
        "extra_share": round(extra / max(1, labelled), 4),
    }


def claims(pairs: Sequence[tuple[float, bool]], least: float = LEAST_TOLD) -> dict[str, Any]:
    """Precision, recall and F1 of claims: each a score with whether it is so."""
    hits = sum(is_so for score, is_so in pairs if score >= least)
    claimed = sum(score >= least for score, _ in pairs)
    positives = sum(is_so for _, is_so in pairs)
    return {
        "precision": share(hits, claimed),
        "recall": share(hits, positives),
        "f1": round(2 * hits / (claimed + positives), 4) if claimed + positives else None,
        "false": claimed - hits,
        "negatives": len(pairs) - positives,
    }


def _contact_figures(
    pairs: Sequence[tuple[Scene, Answer]], kind: str, label: Callable[[Scene], bool | None]
) -> dict[str, Any]:
    labelled = [
        (scene, best_score(answer, kind), is_so)
        for scene, answer in pairs
        if (is_so := label(scene)) is not None
    ]
    groups: dict[str, list[tuple[float, bool]]] = {}
    for scene, score, is_so in labelled:
        groups.setdefault(scene.kind, []).append((score, is_so))
    everything = [(score, is_so) for _, score, is_so in labelled]
    return {
        **claims(everything),
        "by_kind": {kind: claims(some) for kind, some in sorted(groups.items())},
        "curve": {f"{least:.1f}": claims(everything, least) for least in THRESHOLDS},
    }


def _grouped(
    pairs: Sequence[tuple[Scene, Answer]], name: Callable[[Scene, Answer], str]
) -> dict[str, list[tuple[Scene, Answer]]]:
    groups: dict[str, list[tuple[Scene, Answer]]] = {}
    for scene, answer in pairs:
        groups.setdefault(name(scene, answer), []).append((scene, answer))
    return dict(sorted(groups.items()))


def _kind(scene: Scene, answer: Answer) -> str:
    del answer
    return scene.kind


def _width(scene: Scene, answer: Answer) -> str:
    """The class of the median width of the faces found: only their number is labelled."""
    del scene
    widths = sorted(face[2] for face in answer["faces"])
    if not widths:
        return "no face found"
    return width_class(widths[len(widths) // 2])


def width_class(width_px: float) -> str:
    """The class of sizes that a face of this width stands under.

    >>> width_class(20), width_class(64), width_class(500)
    ('under 32 px', '64–128 px', 'from 128 px')
    """
    place = sum(width_px >= bound for bound in WIDTHS_PX)
    if place == 0:
        return f"under {WIDTHS_PX[0]} px"
    if place == len(WIDTHS_PX):
        return f"from {WIDTHS_PX[-1]} px"
    return f"{WIDTHS_PX[place - 1]}–{WIDTHS_PX[place]} px"


@cache
def _reader() -> StillReader:
    return StillReader()
