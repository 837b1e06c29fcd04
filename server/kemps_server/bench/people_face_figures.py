"""Figures of made-up faces: gestures by class and kind of clip, and who the people are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kemps_server.bench.people_clips import BodyClip
from kemps_server.bench.people_episodes import SIGNALS, Matched, Span, class_figures, lines, matched, spans_of
from kemps_server.bench.people_kept import Answer
from kemps_server.bench.people_shares import rate, share

WINKS: Final = ("wink_left", "wink_right")
STILL: Final = "still"
LIVELY: Final = frozenset({"talk", "signals"})
"""Clips in which everybody talks and looks about."""


@dataclass(frozen=True, slots=True)
class FaceResult:
    """One clip, what was told of it, and that held against what happened."""

    clip: BodyClip
    answer: Answer
    found: Matched

    @property
    def minutes(self) -> float:
        """Minutes of one person."""
        return float(self.answer["duration_ms"]) * int(self.answer["seats"]) / 60_000


def face_result(clip: BodyClip, answer: Answer) -> FaceResult:
    """A clip with its answer."""
    want = spans_of(answer["want"], "gesture", "seat")
    return FaceResult(clip, answer, matched(want, spans_of(answer["told"], "gesture", "seat")))


def face_figures(results: Sequence[FaceResult]) -> dict[str, Any]:
    """The figures of all clips together, of those in which people talk, of still faces, and by script."""
    lively = [result for result in results if result.clip.script in LIVELY]
    still = [result for result in results if result.clip.script == STILL]
    whole = _together(results)
    winks = [span for span in whole.missed if span.what in WINKS]
    hit = sum(true.what in WINKS for true, _ in whole.hits)
    return {
        "clips": len(results),
        "person_minutes": _minutes(results),
        "winks": share(hit, hit + len(winks)),
        "lively": {
            "person_minutes": _minutes(lively),
            "false": {kind: rate(count, _minutes(lively)) for kind, count in _false(lively).items()},
        },
        "still": {
            "person_minutes": _minutes(still),
            "episodes": sum(len(result.answer["told"]) for result in still),
            "told": [row for result in still for row in result.answer["told"]],
        },
        "classes": class_figures(whole, _minutes(results)),
        "by_script": {
            script: class_figures(_together(some), _minutes(some))
            for script in sorted({result.clip.script for result in results})
            for some in [[result for result in results if result.clip.script == script]]
        },
        "found_by_width": _by_width(results),
        "anothers_face": sum(result.answer["sights"]["other"] for result in results),
        "failures": [
            line for result in results for line in lines(_signals_of(result.found), result.clip.name)
        ],
    }


def people_of(clips: Iterable[BodyClip]) -> dict[str, Any]:
    """Who is to be seen in clips: how many people, and their looks, as the renderer draws them."""
    from kemps_scenes.bodies.scripts import Setting, sitting  # noqa: PLC0415 - the wheel has no samples

    looks = [
        player.sitter.figure.look
        for clip in clips
        for player in sitting(
            clip.script,
            Setting(
                seed=clip.seed,
                seconds=float(clip.seconds),
                people=clip.people,
                distance_m=clip.distance_m,
                width=clip.size[0],
                height=clip.size[1],
            ),
        ).players
    ]
    return {
        "people": len(looks),
        "women": sum(look.phenotype.gender <= 0.5 for look in looks),
        "with_glasses": sum(look.glasses > 0 for look in looks),
        "with_stubble": sum(look.complexion.stubble > 0 for look in looks),
        "skins_light_to_dark": dict(sorted(Counter(str(look.complexion.skin) for look in looks).items())),
        "haircuts": dict(sorted(Counter(look.haircut for look in looks).items())),
        "sleeves": dict(sorted(Counter(look.sleeve for look in looks).items())),
    }


def _together(results: Iterable[FaceResult]) -> Matched:
    whole = Matched()
    for result in results:
        whole.add(result.found)
    return whole


def _minutes(results: Iterable[FaceResult]) -> float:
    return round(sum(result.minutes for result in results), 2)


def _false(results: Sequence[FaceResult]) -> dict[str, int]:
    """False episodes by class; of signals also when there are none."""
    counts = Counter(dict.fromkeys(SIGNALS, 0))
    counts.update(span.kind for result in results for span in result.found.extra)
    return dict(sorted(counts.items()))


def _signals_of(found: Matched) -> Matched:
    """The part that is about signals and blinks, for the list of failures."""

    def some(spans: Iterable[Span]) -> list[Span]:
        return [span for span in spans if span.kind in (*SIGNALS, "blink")]

    return Matched([], some(found.missed), some(found.extra))


def _by_width(results: Iterable[FaceResult]) -> dict[str, Any]:
    counts: dict[str, list[int]] = {}
    for result in results:
        for name, (found, seen) in result.answer["sights"]["by_width"].items():
            total = counts.setdefault(name, [0, 0])
            total[0] += found
            total[1] += seen
    return {name: share(found, seen) for name, (found, seen) in sorted(counts.items())}
