"""``kemps bench enrolment``: how many cards of odd decks are misread before and after they are learnt."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kemps_rules.cards import Card
from kemps_server.errors import WorkFailedError
from kemps_vision.cards.reader import OnnxCardReader, open_networks
from kemps_vision.cards.reading import CardReader
from kemps_vision.enrolment.deck import PASS_SCORE, EnrolledDeck
from kemps_vision.enrolment.enrol import Readers, enrolled, named_by_order, samples_of
from kemps_vision.enrolment.faces import FaceBook
from kemps_vision.enrolment.order import dealing_order
from kemps_vision.enrolment.reader import DeckReader
from kemps_vision.enrolment.store import classifier_checksum
from kemps_vision.frame import Frame

if TYPE_CHECKING:
    from kemps_scenes.stills import Still

SCENE_SEED: Final = 12_000
"""The first seed of the tables; the sweeps have others, so no table, light or place is seen twice."""

SWEEP_SEED: Final = 70
SWEEP_SURFACES: Final = ("felt", "wood", "slate")
UNSEEN_DECKS: Final = ("drawn-501", "drawn-502", "drawn-503")
"""Beside the named odd decks: drawn by lot, and looked at by nobody when enrolment or its score was made."""
LAYOUTS: Final = ("separate", "separate", "overlapping", "fan")
LEAST_VISIBLE: Final = 0.12  # of a card: the strip with the index is 0.15 to 0.25 of it in the fans
_RESAMPLED: Final = 2000

Readings = Mapping[str, CardReader]


def enrolment(
    deck: list[str] = typer.Option([], metavar="NAME", help="Only these odd decks."),
    scenes: int = typer.Option(24, metavar="N", min=4, help="Tables a deck."),
    ablate: bool = typer.Option(False, "--ablate", help="Also without each of the parts that are learnt."),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
) -> None:
    """Learn odd decks from rendered sweeps and read them on other rendered tables; needs the checkout."""
    console = Console(stderr=True)
    with console.status("rendering") as status:
        report = measure_enrolment(
            decks=deck or None,
            scenes=scenes,
            ablate=ablate,
            on_step=status.update if console.is_terminal else None,
        )
    if out is not None:
        try:
            out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise WorkFailedError(f"{out}: cannot be written ({error.strerror})") from None
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        Console().print(_table(report))


def _table(report: Mapping[str, Any]) -> Table:
    table = Table(title="Cards not read right", title_justify="left", box=SIMPLE_HEAD)
    for head in ("deck", "score", "reader", "all", "95 %", "apart", "covered", "wrong names"):
        table.add_column(
            head, justify="left" if head in ("deck", "score", "reader") else "right", no_wrap=True
        )
    for name, figures in report["decks"].items():
        told = f"{'pass' if figures['passed'] else 'fail'} {figures['score']:.2f}"
        for reader in (key for key, part in figures.items() if isinstance(part, dict)):
            parts = figures[reader]
            low, high = parts["all"]["error_95"]
            shares = (f"{part['errors']}/{part['cards']}" for part in parts.values())
            every, apart, covered = shares
            table.add_row(
                name,
                told if reader == "after" else "",
                reader,
                every,
                f"{low:.2f}–{high:.2f}",
                apart,
                covered,
                str(parts["all"]["wrong_names"]),
            )
    return table


@dataclass(slots=True)
class Tally:
    """Of one reader on one deck, a row a picture: cards, cards not named, names that are not there."""

    rows: list[tuple[str, int, int, int]] = field(default_factory=list)

    def add(self, layout: str, true: Counter[str], named: Counter[str]) -> None:
        """Count one picture."""
        missed, extra = sum((true - named).values()), sum((named - true).values())
        self.rows.append((layout, sum(true.values()), missed, extra))

    def as_json(self, layouts: Sequence[str] = ()) -> dict[str, Any]:
        """Cards, errors, their share with a 95 % interval (pictures resampled), and wrong names."""
        rows = np.array([row[1:] for row in self.rows if not layouts or row[0] in layouts], float)
        cards, missed, extra = rows.sum(axis=0)
        picks = np.random.default_rng(0).integers(0, len(rows), (_RESAMPLED, len(rows)))
        shares = rows[picks, 1].sum(axis=1) / np.maximum(rows[picks, 0].sum(axis=1), 1)
        return {
            "pictures": len(rows),
            "cards": int(cards),
            "errors": int(missed),
            "error": round(float(missed / max(cards, 1)), 4),
            "error_95": [round(float(edge), 4) for edge in np.quantile(shares, (0.025, 0.975))],
            "wrong_names": int(extra),
        }


def measure_enrolment(
    *,
    decks: Sequence[str] | None = None,
    scenes: int = 24,
    ablate: bool = False,
    on_step: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """The report of ``kemps bench cards --enrolment``, ready for JSON.

    Each odd deck is enrolled from one rendered sweep and read on ``scenes`` rendered tables, the same for
    all decks, half of them with cards apart. An error is a card that is not named, or named wrongly.

    Args:
        decks: Names of ``kemps_scenes.odd_decks``; by default those with a name of their own and
            ``UNSEEN_DECKS``.
        scenes: Tables a deck.
        ablate: Whether to measure the deck also without each part that was learnt.
        on_step: Told what is being done.
    """
    from kemps_scenes.odd_decks import ODD_DECKS  # noqa: PLC0415 - not in the wheel

    names = list(decks or [*ODD_DECKS, *UNSEEN_DECKS])
    readers = Readers(*open_networks(threads=1), classifier_checksum())
    learnt: dict[str, EnrolledDeck] = {}
    report: dict[str, Any] = {"scenes": scenes, "first_seed": SCENE_SEED, "decks": {}}
    for number, name in enumerate(names):
        _told(on_step, f"enrolling {name}")
        started = time.perf_counter()
        learnt[name] = enrol_rendered(name, readers, number)
        score = learnt[name].score
        report["decks"][name] = {
            "passed": learnt[name].has_passed,
            "score": None if score is None else round(score.share, 4),
            "score_alone": None if score is None else round(score.alone_share, 4),
            "score_covered": None if score is None else round(score.covered_share, 4),
            "seconds": round(time.perf_counter() - started, 1),
        }
    sets = {name: _readers_of(learnt[name], readers, ablate=ablate) for name in names}
    tallies = {name: {reader: Tally() for reader in sets[name]} for name in names}
    for name, still in _stills(names, scenes):
        _told(on_step, f"reading {name}")
        _count(still, sets[name], tallies[name])
    for name in names:
        report["decks"][name] |= _of_deck(tallies[name])
    report["halved"] = [name for name in names if report["decks"][name]["ratio"] <= 0.5]
    report["foretold"] = [name for name in names if _is_foretold(report["decks"][name])]
    return report


def _is_foretold(figures: Mapping[str, Any]) -> bool:
    """Whether a deck that passed is read as well as its score must be, and one that failed is not."""
    return bool(figures["passed"]) == (1.0 - float(figures["after"]["all"]["error"]) >= PASS_SCORE)


def enrol_rendered(name: str, readers: Readers, number: int = 0) -> EnrolledDeck:
    """The odd deck of that name, enrolled from a rendered sweep."""
    from kemps_scenes.odd_decks import open_odd_deck  # noqa: PLC0415 - not in the wheel
    from kemps_scenes.sweep import render_sweep  # noqa: PLC0415

    order = dealing_order()
    surface = SWEEP_SURFACES[number % len(SWEEP_SURFACES)]
    frames = render_sweep(open_odd_deck(name), order, seed=SWEEP_SEED + number, surface=surface)
    samples = samples_of((Frame("table", n, one.at_ms, one.pixels) for n, one in enumerate(frames)), readers)
    return enrolled(named_by_order(samples, order, readers), readers)


def _readers_of(deck: EnrolledDeck, readers: Readers, *, ablate: bool) -> dict[str, CardReader]:
    networks = readers.detector, readers.classifier
    chosen: dict[str, CardReader] = {
        "before": OnnxCardReader(*networks),
        "after": DeckReader(*networks, deck),
    }
    if ablate:
        without = {
            "without faces": replace(deck, faces=FaceBook.empty()),
            "without head": replace(deck, head=None),
            "without printing": replace(deck, index=None),
        }
        chosen |= {name: DeckReader(*networks, part) for name, part in without.items()}
    return chosen


def _stills(names: Sequence[str], scenes: int) -> Iterator[tuple[str, Still]]:
    from kemps_scenes.odd_decks import open_odd_deck  # noqa: PLC0415 - not in the wheel
    from kemps_scenes.stills import random_still  # noqa: PLC0415

    for n in range(scenes):
        for name in names:
            layout = LAYOUTS[n % len(LAYOUTS)]
            yield name, random_still(SCENE_SEED + n, layout=layout, deck=open_odd_deck(name))


def _count(still: Still, chosen: Readings, tallies: Mapping[str, Tally]) -> None:
    true = Counter(
        str(Card.parse(one["card"]))
        for one in still.truth["cards"]
        if one["card"] and one["face_to_camera"] and one["visible"] >= LEAST_VISIBLE
    )
    for name, reader in chosen.items():
        named = Counter(str(card.card) for card in reader.read(still.pixels).known)
        tallies[name].add(still.truth["layout"], true, named)


def _of_deck(tallies: Mapping[str, Tally]) -> dict[str, Any]:
    parts = {
        name: {
            "all": tally.as_json(),
            "separate": tally.as_json(("separate",)),
            "covered": tally.as_json(("overlapping", "fan")),
        }
        for name, tally in tallies.items()
        if tally.rows
    }
    before, after = (parts[name]["all"]["errors"] for name in ("before", "after"))
    return {**parts, "ratio": round(after / before, 4) if before else 1.0}


def _told(on_step: Callable[[str], None] | None, text: str) -> None:
    if on_step is not None:
        on_step(text)
