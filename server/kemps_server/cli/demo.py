"""``kemps demo``: the shipped clip is watched as any recording would be, and what came of it is shown."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.text import Text

from kemps_rules.journal import read_journal
from kemps_server.called import read_calls
from kemps_server.cli.live import screen
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.games import JOURNAL_NAME, find_game
from kemps_server.marking import Album, Captions, mark_recording
from kemps_server.page.evidence import recording_of
from kemps_server.page.render import clock, render_page
from kemps_server.page.story import Story, VerdictLook
from kemps_server.page.telling import tell_game
from kemps_server.page.words import Words, load_words
from kemps_server.shipped import CLIP, ShippedClip, shipped_clip
from kemps_server.stills import wanted_stills, write_stills
from kemps_server.truth import Tally, compare
from kemps_server.watching import Mode, Summary, check_folder, watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.frame import Frame
from kemps_vision.pipeline import Snapshot
from kemps_vision.sources import open_source
from kemps_vision.zones import load_config

_INTERRUPTED: Final = 130
_STYLES: Final = {"right": "bold green", "wrong": "bold red", "cannot_verify": "bold yellow"}
_SIGNS: Final = {"right": "✔", "wrong": "✘", "cannot_verify": "?"}
_RESULTS: Final = (
    ("page.html", "the page of the game: open it in a browser"),
    ("picture.png", "the table at the verdict, with the cards that were read"),
    ("moments.png", "the moments that decided it"),
    ("video.mp4", "the recording with everything drawn on it"),
    (JOURNAL_NAME, "the journal: the only thing stored about the game"),
)


def demo(
    out: Path = typer.Option(
        Path("out/demo"), metavar="DIR", help="Where journal, page, pictures and video go."
    ),
) -> int:
    """Watch the shipped clip: events as they happen, the verdict, pictures, a video and a page to look at.

    Needs no camera, no network and no screen.
    """
    check_out(out)
    console, words = Console(highlight=False, soft_wrap=True), load_words("en")
    with shipped_clip() as clip:
        started = time.monotonic()
        summary, album = _watch(clip, out, console, words)
        took_s = time.monotonic() - started
        if not summary.is_whole:
            console.print(
                f"stopped at {clock(summary.last_ms)}; what was seen until then is in {summary.journal}"
            )
            return _INTERRUPTED
        story = tell_game(find_game(out))
        _draw(clip, out, album, Captions(story, words), console)
        tallies = compare(read_journal(summary.journal), clip.truth)
    _write_page(out, story)
    print_verdicts(console, story, words)
    print_tallies(console, tallies)
    _print_speed(console, summary, took_s)
    _print_results(console, out)
    return 0


def check_out(out: Path) -> None:
    """Nothing, when the demo may write into ``out``: an earlier demo there is replaced, nobody's game is.

    Raises:
        KempsServerError: Another game is in the folder, or it is a file.
    """
    check_folder(out, Mode.OVERWRITE)
    if (out / JOURNAL_NAME).exists() and recording_of(out) != CLIP:
        raise KempsServerError(
            f"{out}: there is a game in this folder that is not the demo's; choose another --out"
        )


def _watch(clip: ShippedClip, out: Path, console: Console, words: Words) -> tuple[Summary, Album]:
    config = load_config(clip.table)
    calls = read_calls(clip.calls, config.seat_names)
    album = Album()
    source = open_source(str(clip.video), camera=config.table_camera.name)
    with source, screen(console, source.info, words) as shown:
        shown.begin(f"watching {CLIP}")

        def on_frame(frame: Frame, snapshot: Snapshot | None) -> None:
            album.see(frame, snapshot)
            shown.on_frame(frame, snapshot)

        reader = default_reader(threads=min(2, os.cpu_count() or 1))
        summary = watch(
            source,
            out,
            config,
            calls,
            reader=reader,
            mode=Mode.OVERWRITE,
            on_frame=on_frame,
            on_event=shown.on_event,
        )
    return summary, album


def _draw(clip: ShippedClip, out: Path, album: Album, captions: Captions, console: Console) -> None:
    source = open_source(str(clip.video))
    with source, screen(console, source.info, captions.words, has_events=False) as shown:
        shown.begin("drawing what was seen")
        wanted = wanted_stills(captions.story, album)
        kept = mark_recording(
            source, album, captions, out / "video.mp4", keep_ms=wanted.times, on_frame=shown.on_frame
        )
        write_stills(out, captions, wanted, kept)


def _write_page(out: Path, story: Story) -> None:
    try:
        (out / "page.html").write_text(render_page(story), encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{out / 'page.html'}: cannot be written: {error.strerror or error}") from None


def print_verdicts(console: Console, story: Story, words: Words) -> None:
    """Each verdict with its reason and letters."""
    console.print()
    for deal in story.deals:
        if deal.verdict is not None:
            console.print(_verdict(deal.verdict, words))
            console.print(Text(f"  {deal.verdict.reason}"))
            for pair in dict.fromkeys(deal.verdict.letters_to):
                names = " and ".join(seat.name for seat in story.seats if seat.pair == pair)
                letters = next(look.letters for look in story.pairs if look.id == pair)
                console.print(Text(f"  letter to {names}, who now have {letters}"))
    if not any(deal.verdict for deal in story.deals):
        console.print("No call was judged.")


def _verdict(verdict: VerdictLook, words: Words) -> Text:
    claim = words.say(verdict.claim)
    ruling = words.say(f"ruling.{verdict.ruling}").lower()
    text = Text(f"{_SIGNS[verdict.ruling]} {claim} at {clock(verdict.at_ms)}: ")
    return text.append(ruling, style=_STYLES[verdict.ruling])


def print_tallies(console: Console, tallies: Sequence[Tally]) -> None:
    """What was observed of what truly happened, and what was not."""
    seen, of = sum(tally.seen for tally in tallies), sum(tally.of for tally in tallies)
    invented = sum(tally.invented for tally in tallies)
    parts = ", ".join(
        f"{tally.what} {tally.seen}/{tally.of}" for tally in tallies if tally.of or tally.invented
    )
    console.print(
        f"\nObserved {seen} of {of} things that happened in the clip ({parts}), {invented} that did not."
    )
    swaps = [tally for tally in tallies if tally.what in {"taken", "laid"}]
    count = sum(tally.seen for tally in swaps)
    if count:
        named, wrong = sum(tally.named for tally in swaps), sum(tally.misnamed for tally in swaps)
        console.print(
            f"Whose it was is told for {named} of the {count} cards taken and laid, {wrong} wrongly."
        )


def _print_speed(console: Console, summary: Summary, took_s: float) -> None:
    seconds = summary.last_ms / 1000
    console.print(
        f"{seconds:.0f} s of video watched in {took_s:.0f} s: {seconds / took_s:.1f} times real time.\n"
    )


def _print_results(console: Console, out: Path) -> None:
    width = max(len(name) for name, _ in _RESULTS) + len(str(out)) + 1
    for name, what in _RESULTS:
        console.print(Text(f"{out / name!s:<{width}}  ", style="bold").append(what, style="default"))
