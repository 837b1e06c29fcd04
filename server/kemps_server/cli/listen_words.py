"""``kemps listen --enrol``: learn a call word of the house from three takes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import typer

from kemps_rules.house import House
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.hearing.detector import calls_in
from kemps_vision.hearing.enrolling import TAKES, Enrolled, enrolled
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.hearing.house_words import HouseWord, WordStore
from kemps_vision.hearing.likeness import shipped_likeness
from kemps_vision.hearing.sources import open_sound
from kemps_vision.hearing.takes import AROUND_S, Take, enough, takes_in

WORDS_FOLDER: Final = "words"
"""Where words are kept in the folder that ``--data`` names."""
LONGEST_S: Final = 60.0
NOBODY: Final = "somebody"
_CALLS: Final = {"kemps": "Kemps", "stop": "Stop Kemps"}
_GOOD: Final = 0.85


def learn_word(
    sources: Sequence[str],
    text: str,
    player: str,
    house: House,
    store: WordStore,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Learns a word from all takes in the sources and keeps it, if it stands out.

    Raises:
        KempsServerError: It is no call word of the house.
        EnrolmentError: The takes are too quiet, too unlike or too few, or it sounds like another word.
        WorkFailedError: It does not stand out from talk, and is not kept.
    """
    call = house.call_named(text)
    if call not in _CALLS:
        raise KempsServerError(
            f"{text!r} is no call word of the rules {house.name!r}; write it into call_words or "
            "counter_words of your house rules, and give their file: --rules FILE"
        )
    likeness = shipped_likeness()
    before = store.load(text)
    every = store.words(likeness.checksum)
    others = [word for word in every if house.call_named(word.text) not in {call, None}]
    takes = _takes(sources, text)
    _check_product_words(takes, call, text)
    learnt = enrolled(text, takes, player or NOBODY, likeness, before=before, others=others)
    stored = store.save(learnt.word) if learnt.stands_out or force else None
    _tell(learnt, call, stored, as_json=as_json)


def keep_words(store: WordStore, forget: str | None, *, as_json: bool) -> None:
    """Forgets a word, if one is named, and lists those that are left."""
    if forget is not None:
        store.remove(forget)
    words = store.words(shipped_likeness().checksum)
    if as_json:
        rows = [{"word": word.text, "players": list(word.players)} for word in words]
        typer.echo(json.dumps({"folder": str(store.folder), "words": rows}))
    elif forget is not None:
        typer.echo(f"{forget}: forgotten")
    else:
        typer.echo("\n".join(map(_line, words)) or "no word was learnt yet: kemps listen mic --enrol WORD")


def _line(word: HouseWord) -> str:
    return f"{word.text}, as said by {', '.join(word.players)}"


def _takes(sources: Sequence[str], text: str) -> list[Take]:
    takes: list[Take] = []
    for source in sources:
        takes += _takes_of(source, TAKES - len(takes))
    enough(takes, TAKES, text)
    return takes


def _takes_of(source: str, missing: int) -> list[Take]:
    """The takes of a recording; of a microphone, as many as are missing, told as they come."""
    kept: list[Sound] = []
    with open_sound(source) as sound:
        if sound.is_live:
            typer.echo(f"say it {missing} times, with a pause of a second between", err=True)
        seconds = looked = 0.0
        for block in sound:
            kept.append(block.samples.mean(axis=1))
            seconds += len(block.samples) / RATE
            if sound.is_live and seconds - looked >= 1.0:
                looked = seconds
                if _complete(np.concatenate(kept)) >= missing:
                    break
            if seconds > LONGEST_S:
                break
    whole = np.concatenate(kept) if kept else np.zeros(0, np.float32)
    return takes_in(whole, source)


def _complete(sound: Sound) -> int:
    """How many takes are over; none while what there is cannot be used yet."""
    try:
        takes = takes_in(sound, "mic")
    except ValueError:
        return 0
    return sum(len(take.sound) - take.end >= round(AROUND_S * RATE) for take in takes)


def _check_product_words(takes: Sequence[Take], call: str, text: str) -> None:
    """A word that is heard as the other call anyway would be told twice, and once wrongly."""
    for take in takes:
        heard = {one.call for one in calls_in(take.sound) if one.score >= 1.0}
        for other in heard - {call}:
            raise KempsServerError(
                f"{text!r} sounds like {_CALLS[other]!r}, which is heard anyway and means the other call; "
                "choose another word"
            )


def _tell(learnt: Enrolled, call: str, stored: Path | None, *, as_json: bool) -> None:
    word = learnt.word
    if as_json:
        line = {
            "word": word.text,
            "call": call,
            "players": list(word.players),
            "trials": learnt.trials,
            "heard": learnt.heard,
            "least": round(word.least, 4),
            "stored": None if stored is None else str(stored),
        }
        typer.echo(json.dumps(line))
    else:
        how = "stands out well" if learnt.share >= _GOOD else "stands out" if learnt.stands_out else "is weak"
        typer.echo(
            f"{_line(word)}: {how}; of its takes with noise {learnt.heard} of {learnt.trials} would be heard"
        )
        if stored is not None:
            typer.echo(f"kept in {stored}; it means {_CALLS[call]!r}. No sound is kept.")
    if stored is None:
        raise WorkFailedError(
            f"{word.text!r} hardly stands out from talk; say it louder and clearer, or choose a longer word; "
            "--force keeps it all the same"
        )
