"""``kemps listen``: the calls spoken in a recording, in a stream or at a microphone, with their times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from kemps_rules.house import load_house
from kemps_rules.seats import SEATS, Seat
from kemps_server.cli.folders import folder_named
from kemps_server.cli.listen_words import WORDS_FOLDER, keep_words, learn_word
from kemps_server.errors import KempsServerError
from kemps_vision.hearing.house_listener import house_listener
from kemps_vision.hearing.house_words import WordStore
from kemps_vision.hearing.listener import Ear, Heats
from kemps_vision.hearing.listening import HeardCall, Listening
from kemps_vision.hearing.sources import SoundSource, SoundTrack, open_sound

MAYBE_CALLED: Final = "a person should listen"


def listen(  # noqa: PLR0913, PLR0917 - one for each option of the command
    source: list[str] = typer.Argument(
        None, metavar="SOURCE...", help="A recording with sound, a stream URL, or mic, or mic:NAME."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON line a call."),
    seats: str = typer.Option(
        "", metavar="ABCD", help="Each channel is this seat's own microphone, in their order."
    ),
    maybe: bool = typer.Option(False, "--maybe", help="Also tell what only a person should decide on."),
    offset_ms: float = typer.Option(
        0.0, metavar="MS", help="How much later the pictures stamp a moment than the sound; a clap tells it."
    ),
    enrol: str | None = typer.Option(
        None, metavar="WORD", help="Learn a call word of the house from SOURCE, where it is said three times."
    ),
    player: str = typer.Option("", metavar="NAME", help="Who says the word that is learnt."),
    force: bool = typer.Option(False, help="Keep the word even if it hardly stands out."),
    words: bool = typer.Option(False, "--words", help="List the words that were learnt."),
    forget: str | None = typer.Option(None, metavar="WORD", help="Forget a word that was learnt."),
    rules: str = typer.Option("leaflet", metavar="NAME|FILE", help="House rules, which say what words mean."),
    data: Path | None = typer.Option(
        None,
        metavar="DIR",
        parser=folder_named,
        help="Where learnt words are: in DIR/words, else in your data folder.",
    ),
) -> int:
    """Say who called "Kemps" or "Stop Kemps", and when: each call at most 1.6 s after it began.

    Times count from the first picture of a recording, or else from its first sound. What is heard is a
    proposal, not a verdict: synthetic voices only were learnt from. Two calls on top of each other are told
    as such, and so is a caller that cannot be named. Other words of the house are heard once they were
    learnt: kemps listen mic --enrol Canes --player Anna.
    """
    store = WordStore(None if data is None else data / WORDS_FOLDER)
    if words or forget is not None:
        keep_words(store, forget, as_json=as_json)
        return 0
    if not source:
        raise KempsServerError("name what to listen to: kemps listen SOURCE, such as a recording, or mic")
    house = load_house(rules)
    if enrol is not None:
        learn_word(source, enrol, player, house, store, force=force, as_json=as_json)
        return 0
    listener = house_listener(house, store.folder)
    chosen = _seats(seats)
    console = Console(highlight=False, soft_wrap=True)
    count = 0
    for text in source:
        with open_sound(text, offset_ms=offset_ms) as sound:
            for call in _calls(sound, chosen, _least(listener.ear) if maybe else 1.0, listener):
                count += 1
                name = sound.name if len(source) > 1 else None
                if as_json:
                    print(json.dumps(as_line(call, name)), flush=True)  # noqa: T201 - the answer
                else:
                    console.print(_for_people(call, name))
            _tell_notes(sound)
    if not count and not as_json:
        console.print("no call was heard")
    return 0


def as_line(call: HeardCall, source: str | None = None) -> dict[str, Any]:
    """The contract's JSON object of a call; ``source`` stands in it where there are several."""
    heard = call.heard
    line: dict[str, Any] = {
        "call": heard.call,
        "at_ms": round(heard.at_ms),
        "uncertainty_ms": heard.uncertainty_ms,
        "score": round(heard.score, 3),
        "seat": call.seat,
    }
    if heard.is_overlapped:
        line["overlap"] = True
    if source is not None:
        line["source"] = source
    return line


def _calls(sound: SoundSource, seats: Sequence[Seat], least: float, listener: Heats) -> Iterator[HeardCall]:
    """The calls of one source, with a bar on a terminal's stderr if its length is known."""
    console = Console(stderr=True)
    length_ms = sound.duration_ms if isinstance(sound, SoundTrack) else None
    with ExitStack() as stack:
        if console.is_terminal and length_ms:
            progress = stack.enter_context(Progress(console=console, transient=True))
            bar = progress.add_task(sound.name, total=length_ms)
            heard = Listening(
                sound,
                seats=seats,
                listener=listener,
                least=least,
                at=lambda ms: progress.update(bar, completed=ms),
            )
        else:
            heard = Listening(sound, seats=seats, listener=listener, least=least)
        yield from heard


def _least(ear: Ear) -> float:
    """The least score, in units of a call's threshold, of what a person may want to hear."""
    return min(maybe / sure for maybe, sure in zip(ear.maybe, ear.thresholds, strict=True))


def _seats(text: str) -> tuple[Seat, ...]:
    seats = tuple(text.replace(",", "").upper())
    if len(set(seats)) != len(seats) or not set(seats) <= set(SEATS):
        raise KempsServerError(f"--seats {text}: give a letter for each channel, such as ABCD")
    return seats


def _tell_notes(sound: SoundSource) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for note in sound.notes:
        console.print(Text(note, style="yellow"))


def _for_people(call: HeardCall, source: str | None) -> Text:
    heard = call.heard
    text = Text(f"{source}  " if source else "")
    text.append(f"{_clock(heard.at_ms)}  ")
    text.append("Stop Kemps" if heard.call == "stop" else heard.call.capitalize(), style="bold")
    text.append(
        f"  seat {call.seat}" if call.seat else "  nobody named", style="cyan" if call.seat else "dim"
    )
    text.append(f"  score {heard.score:.2f}, ± {heard.uncertainty_ms} ms", style="dim")
    if heard.is_overlapped:
        text.append("  two voices at once: which came first cannot be told", style="yellow")
    elif heard.score < 1:
        text.append(f"  {MAYBE_CALLED}", style="yellow")
    return text


def _clock(at_ms: float) -> str:
    """A time for people.

    >>> _clock(83_250.4)
    '1:23.25'
    """
    hundredths = round(at_ms / 10)
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"
