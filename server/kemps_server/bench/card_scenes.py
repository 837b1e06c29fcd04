"""Cards followed over time on clips of the made-up table: what the observer holds against what lies there.

An **observation** is one card at rest in one place of one clip, from the frame in which it comes to lie to
the one in which it is gone or the clip ends, that lies *free* for at least a second in all: face up in the
picture, with at least one whole corner index that no card and no arm covers. Cards that are at least 70 px
long in the picture count, those of 36 to 70 px are told apart. Of each observation it is asked

* **wrong**: the observer settled on another card in its place;
* **found**: it settled on the right one before the card had lain free for more than a second in all, frames
  under a passing hand not counted;
* **lost**: it gave the right card up again for more than half a second while it lay free.

Settled cards where none lies are *made up*. The centre is *right* at a moment when the journal, as it stands
at the end of the clip, has exactly the cards there that lie there; moments within 0.4 s of a change are left
out.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.stats import binomtest

from kemps_server.bench.scene_marks import Mark
from kemps_server.bench.scene_watching import ClipResult, default_work, watched
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.reading import CardReader

if TYPE_CHECKING:
    from kemps_scenes.trials import Trial

FULL_CLIPS: Final = 160
CLIPS_A_PROMISE: Final = 6
LEAST_PX: Final = 70.0
SIZES: Final = ((36.0, 70.0), (70.0, 90.0), (90.0, 110.0), (110.0, 1000.0))
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over some observations; intervals are 95 % by Clopper and Pearson, shares 0..1."""

    observations: int
    wrong: int
    wrong_95: tuple[float, float]
    found: int
    found_share: float
    found_95: tuple[float, float]
    named_later: int
    lost: int


@dataclass(frozen=True, slots=True)
class SceneReport:
    """What was measured; ``as_json`` gives plain values.

    Attributes:
        clips: How many were watched.
        seeds: The first and the last seed.
        looks: What was varied: ``deck``, ``surface``, ``camera``, ``light`` with all values used.
        counted: The figures over cards of at least 70 px; the bars are about these.
        small: The same of cards of 36 to 70 px, for information.
        by: ``{"deck": {"club": Figures, …}, "surface": …, "camera": …, "light": …, "layout": …, "size": …}``.
        made_up: Settled names, in all clips together, where no card lies.
        conflicts: How often the journal has a ``card_conflict``; no card lies twice in these clips.
        centre_moments: Moments at which the centre was compared, where its cards are at least 70 px long.
        centre_right: At how many of them it was right.
        centre_95: The interval of that share by drawing clips again: moments of a clip belong together.
        promises: For each kind of promise (``still``: ten seconds without change; ``covered``: a hand over a
            card for five; ``swapped``: another card under it) how many clips there were and were right.
        failures: A line for each observation that was wrong, not found or lost, each made-up card and
            conflict, each clip with a wrong centre and each promise that was not kept.
    """

    clips: int
    seeds: tuple[int, int]
    looks: dict[str, list[str]]
    counted: Figures
    small: Figures
    by: dict[str, dict[str, Figures]]
    made_up: int
    conflicts: int
    centre_moments: int
    centre_right: int
    centre_95: tuple[float, float]
    promises: dict[str, tuple[int, int]]
    failures: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as values that ``json`` can write."""
        return asdict(self)


def measure_scenes(
    *,
    clips: int = FULL_CLIPS,
    first: int = 1,
    work: Path | None = None,
    sheet: Path | None = None,
    reader: CardReader | None = None,
    jobs: int = 1,
    on_clip: Progress | None = None,
) -> SceneReport:
    """The figures of ``clips`` scene clips from the ``first`` on.

    Clips and results are kept in ``work`` and used again while clip, weights and code are the same, so that a
    run that was broken off goes on where it stopped. A clip takes 6 to 9 CPU-seconds to render and to watch.

    Args:
        clips: How many clips, with about 19 observations each; a promise for each six of them comes on top.
        first: The number of the first clip, from 1; promises begin as far on in theirs.
        work: The folder for clips and results; by default in the user's cache folder (or ``KEMPS_CACHE``).
        sheet: Also draw the failures into this PNG, a strip of frames each.
        reader: Another reader than the default one; its results are not kept.
        jobs: How many processes to watch with, when the reader is the default one.
        on_clip: Called with how many clips are done and how many there are.

    Raises:
        WorkFailedError: The folder or the sheet cannot be written.
    """
    from kemps_scenes.trials import trials  # noqa: PLC0415 - the wheel has no samples

    folder = work or default_work()
    chosen = [*trials(first - 1 + clips)[first - 1 :], *promises_of(clips, first)]
    results = []
    for result in _results(chosen, folder, reader, jobs):
        results.append(result)
        if on_clip:
            on_clip(len(results), len(chosen))
    if sheet is not None:
        from kemps_server.bench.scene_sheet import write_strips  # noqa: PLC0415 - draws only when asked

        write_strips(sheet, results, folder)
    return report_of(results)


def promises_of(clips: int, first: int) -> list[Trial]:
    """The promises that go with so many clips from the ``first`` on: those of other clips are others."""
    from kemps_scenes.trials import promises  # noqa: PLC0415 - the wheel has no samples

    start = (first - 1) // CLIPS_A_PROMISE
    return promises(start + clips // CLIPS_A_PROMISE)[start:]


def report_of(watched_clips: Sequence[ClipResult]) -> SceneReport:
    """The report over clips that were watched; promises count only as such."""
    promised = [result for result in watched_clips if result.clip.kind in _PROMISES]
    results = [result for result in watched_clips if result.clip.kind not in _PROMISES]
    marks = [(result.clip, mark) for result in results for mark in result.marks]
    counted = [pair for pair in marks if pair[1].length_px >= LEAST_PX]
    small = [mark for _, mark in marks if SIZES[0][0] <= mark.length_px < LEAST_PX]
    centres = [result for result in results if result.centre_px >= LEAST_PX]
    moments = np.array([[result.centre_right, result.centre_moments] for result in centres]).reshape(-1, 2)
    return SceneReport(
        clips=len(results),
        seeds=(results[0].clip.spec.seed, results[-1].clip.spec.seed),
        looks={name: sorted({_look(clip, name) for clip, _ in marks}) for name in _LOOKS},
        counted=figures_of([mark for _, mark in counted]),
        small=figures_of(small),
        by=_broken_down(counted, [mark for _, mark in marks]),
        made_up=sum(len(result.made_up) for result in results),
        conflicts=sum(result.told.count("card_conflict") for result in results),
        centre_moments=int(moments[:, 1].sum()),
        centre_right=int(moments[:, 0].sum()),
        centre_95=_bootstrapped(moments),
        promises={
            kind: (len(kept), sum(kept))
            for kind in _PROMISES
            if (kept := [result.is_kept for result in promised if result.clip.kind == kind])
        },
        failures=[line for result in watched_clips for line in _failures(result)],
    )


def figures_of(marks: Sequence[Mark]) -> Figures:
    """The counts over some observations."""
    count = len(marks)
    wrong = sum(mark.wrong is not None for mark in marks)
    found = sum(mark.is_found for mark in marks)
    return Figures(
        observations=count,
        wrong=wrong,
        wrong_95=exact_95(wrong, count),
        found=found,
        found_share=round(found / count, 5) if count else 0.0,
        found_95=exact_95(found, count),
        named_later=sum(not mark.is_found and mark.named_ms is not None for mark in marks),
        lost=sum(mark.is_lost for mark in marks),
    )


def exact_95(successes: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share by Clopper and Pearson (Biometrika 26, 1934); all of 0..1 without data."""
    if not count:
        return 0.0, 1.0
    interval = binomtest(successes, count).proportion_ci(0.95, "exact")
    return round(float(interval.low), 5), round(float(interval.high), 5)


_PROMISES: Final = ("still", "covered", "swapped")
_LOOKS: Final = ("deck", "surface", "camera", "light")


def _look(clip: Trial, name: str) -> str:
    return clip.light if name == "light" else str(getattr(clip.spec, name))


def _broken_down(
    counted: Sequence[tuple[Trial, Mark]], marks: Sequence[Mark]
) -> dict[str, dict[str, Figures]]:
    by: dict[str, dict[str, list[Mark]]] = {name: {} for name in (*_LOOKS, "layout", "clip")}
    for clip, mark in counted:
        for name in _LOOKS:
            by[name].setdefault(_look(clip, name), []).append(mark)
        by["layout"].setdefault(mark.place.partition(":")[0], []).append(mark)
        by["clip"].setdefault(clip.kind, []).append(mark)
    by["size"] = {
        f"{low:.0f}-{high:.0f} px" if high < 1000 else f"from {low:.0f} px": [
            mark for mark in marks if low <= mark.length_px < high
        ]
        for low, high in SIZES
    }
    return {
        name: {key: figures_of(some) for key, some in sorted(groups.items())} for name, groups in by.items()
    }


def _bootstrapped(moments: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[float, float]:
    if not len(moments):
        return 0.0, 1.0
    rng = np.random.default_rng(0)
    drawn = moments[rng.integers(len(moments), size=(2000, len(moments)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / np.maximum(drawn[:, 1], 1), (0.025, 0.975))
    return round(float(low), 5), round(float(high), 5)


def _failures(result: ClipResult) -> list[dict[str, Any]]:
    where = {"clip": result.clip.name}
    if result.clip.kind in _PROMISES:
        return [] if result.is_kept else [{**where, "told": list(result.told)}]
    lines = [{**where, **mark.as_json()} for mark in result.marks if mark.is_failure]
    lines += [{**where, "made_up": card} for card in result.made_up]
    lines += [{**where, "conflict": told} for told in result.told if told == "card_conflict"]
    if result.centre_right < result.centre_moments:
        lines.append({**where, "centre_wrong": result.centre_moments - result.centre_right})
    return lines


def _results(
    chosen: Sequence[Trial], folder: Path, reader: CardReader | None, jobs: int
) -> Iterator[ClipResult]:
    if reader is not None or jobs <= 1:
        own = reader or default_reader()
        for trial in chosen:
            yield watched(trial, folder, own, is_kept=reader is None)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_watched_alone, folder), chosen)


def _watched_alone(folder: Path, trial: Trial) -> ClipResult:
    result = watched(trial, folder, default_reader())
    gc.collect()  # an observer's pictures hang in a cycle of few objects, which Python leaves lying for long
    return result
