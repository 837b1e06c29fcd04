"""``kemps enrol``: learn a deck from one sweep of its cards."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from kemps_rules.cards import DECK_52, Card
from kemps_server.cli.folders import folder_named
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.reader import open_networks
from kemps_vision.enrolment.deck import PASS_SCORE, EnrolledDeck
from kemps_vision.enrolment.enrol import (
    OnCard,
    Readers,
    enrolled,
    named_by_order,
    samples_in_folder,
    samples_of,
)
from kemps_vision.enrolment.order import SUIT_ORDER, dealing_order
from kemps_vision.enrolment.samples import Sample
from kemps_vision.enrolment.store import DeckStore, classifier_checksum
from kemps_vision.sources import kind_of, open_source

DECKS_FOLDER: Final = "decks"
"""Where decks are kept in the folder that ``--data`` names."""
DATA_HELP: Final = "Where the learnt decks are: in DIR/decks, else in your data folder."

_MOST_NAMED: Final = 8
_READS_ALONE: Final = 0.9  # of the cards that nothing covers: dealing the deck anew would not help


def enrol(
    source: str | None = typer.Argument(
        None, metavar="SOURCE", help="A video file, a camera's number, a stream's URL or a folder of stills."
    ),
    deck: str | None = typer.Option(None, metavar="NAME", help="What the deck is called from now on."),
    order: str = typer.Option(
        SUIT_ORDER, metavar="SUITS", help="The suits as they are dealt, each from the ace to the king."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", parser=folder_named, help=DATA_HELP),
    force: bool = typer.Option(False, help="Keep the deck even if it does not pass."),
    show: bool = typer.Option(False, "--list", help="List the decks that were learnt."),
    remove: str | None = typer.Option(None, metavar="NAME", help="Forget a deck."),
    as_json: bool = typer.Option(False, "--json", help="The result as one JSON object."),
) -> None:
    """Learn a deck that reads badly.

    Sort the deck: spades from the ace to the king, then hearts, diamonds and clubs. Deal it face up onto one
    place before the camera, one card upon the other, each lying still for a second: a minute and a half in
    all. Dealt twice, the second round gives the score.
    """
    store = DeckStore(None if data is None else data / DECKS_FOLDER)
    if show or remove is not None:
        _keep_house(store, remove, as_json=as_json)
        return
    if not source or not deck:
        raise KempsServerError("name the source and the deck: kemps enrol SOURCE --deck NAME")
    store.check_name(deck)
    _check_place(store.folder)
    learnt = enrolled(_samples(source, dealing_order(order)), _readers())
    stored = store.save(deck, learnt) if learnt.has_passed or force else None
    _tell(deck, learnt, stored, as_json=as_json)


def _check_place(folder: Path) -> None:
    """What would keep the deck from being written is said before anybody deals 52 cards."""
    near = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
    if not near.is_dir():
        raise KempsServerError(f"{near}: is no folder; decks are kept in one, name another with --data")
    if not os.access(near, os.W_OK | os.X_OK):
        raise KempsServerError(f"{near}: cannot be written; name another folder with --data")


def _readers() -> Readers:
    return Readers(*open_networks(threads=min(2, os.cpu_count() or 1)), classifier_checksum())


def _samples(source: str, order: Sequence[Card]) -> list[tuple[Card, Sample]]:
    readers = _readers()
    with _progress(order) as on_card:
        if kind_of(source) == "stills":
            return samples_in_folder(Path(source), readers, order, on_card=on_card)
        with open_source(source) as frames:
            samples = samples_of(frames, readers, is_live=frames.info.is_live, on_card=on_card)
    return named_by_order(samples, order, readers)


@contextmanager
def _progress(order: Sequence[Card]) -> Iterator[OnCard | None]:
    """How many cards were seen and which comes next, on stderr, or nothing when that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[next]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task("cards seen", total=len(order), next=f"next: {order[0].sign}")

        def show(count: int) -> None:
            progress.update(task, completed=count, next=f"{count}, next: {order[count % len(order)].sign}")

        yield show


def _keep_house(store: DeckStore, remove: str | None, *, as_json: bool) -> None:
    if remove is not None:
        store.remove(remove)
    names = store.names()
    if as_json:
        typer.echo(json.dumps({"folder": str(store.folder), "decks": names}))
        return
    if remove is not None:
        typer.echo(f"{remove}: forgotten")
    else:
        typer.echo("\n".join(names) if names else "no deck was learnt yet: kemps enrol SOURCE --deck NAME")


def _tell(name: str, deck: EnrolledDeck, stored: Path | None, *, as_json: bool) -> None:
    score = deck.score
    assert score is not None  # noqa: S101 - enrolled() gives one
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "deck": name,
                    "passed": deck.has_passed,
                    "score": round(score.share, 4),
                    "score_alone": round(score.alone_share, 4),
                    "score_covered": round(score.covered_share, 4),
                    **asdict(score),
                    "missing": [str(card) for card in deck.missing],
                    "stored": None if stored is None else str(stored),
                }
            )
        )
    else:
        basis = "a second showing" if score.is_second_showing else "frames kept back"
        typer.echo(
            f"{name}: {'pass' if deck.has_passed else 'fail'}, score {score.share:.2f}: {score.right} of "
            f"{score.looks} looks at {basis} read right ({score.before} before), {score.wrong} wrong; cards "
            f"alone {score.alone_share:.2f}, partly covered {score.covered_share:.2f}"
        )
        if stored is not None:
            typer.echo(f"kept in {stored}; use it with: --deck '{name}'")
    if not deck.has_passed:
        raise WorkFailedError(_what_to_do(deck))


def _what_to_do(deck: EnrolledDeck) -> str:
    if deck.missing:
        named = " ".join(str(card) for card in deck.missing[:_MOST_NAMED])
        more = "" if len(deck.missing) <= _MOST_NAMED else f" and {len(deck.missing) - _MOST_NAMED} more"
        return (
            f"{len(deck.missing)} of {len(DECK_52)} cards were not seen ({named}{more}); deal the deck again"
        )
    score = deck.score
    if score is not None and score.alone_share >= _READS_ALONE:
        return (
            f"cards that lie alone are read, but only {score.covered_share:.0%} of those that lie partly "
            "under another; --force keeps the deck all the same: then show hands with the cards apart"
        )
    return (
        f"fewer than {PASS_SCORE:.0%} of the looks were read right; deal the deck again, nearer to the "
        "camera, in even light, each card lying still for a second; --force keeps it all the same"
    )
