"""Words of chance, each said by several voices: from them it is learnt what makes two words the same."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.voice.bank import CALL, NEAR, Bank, Said
from kemps_training.voice.engines import Spoken, speak
from kemps_training.voice.onsets import trimmed
from kemps_training.voice.voices import Voice, all_voices
from kemps_training.voice.words import Word

WORD: Final = "word"
HELD_OUT: Final = ("k e i n z", "k V t", "k E n t", "p i n V t b V t @ r", "b a s t a", "s I g n @ l")
"""House words that nothing learns from, so that enrolment can be measured with them."""
_STARTS: Final = (
    *("p", "b", "t", "d", "k", "g", "m", "n", "f", "v", "s", "z", "S", "tS", "dZ", "h", "l", "r", "w", "j"),
    *("p r", "b r", "t r", "k r", "g r", "f r", "p l", "b l", "k l", "f l"),
    *("s p", "s t", "s k", "s m", "s l", ""),
)  # fmt: skip
_VOWELS: Final = ("E", "{", "I", "i", "A", "V", "O", "u", "a", "o", "e", "@", "e i", "a i", "a u", "o u")
_ENDS: Final = (
    "",
    "",
    "p",
    "t",
    "k",
    "m",
    "n",
    "N",
    "s",
    "z",
    "f",
    "l",
    "r",
    "S",
    "n t",
    "s t",
    "m p s",
    "k s",
)
_SYLLABLES: Final = (0.35, 0.4, 0.15, 0.1)  # how often a word has one, two, three, four
_VOICES_A_WORD: Final = 5


def words_of_chance(count: int, seed: int) -> list[str]:
    """So many different words, as phones; none of them is held out."""
    rng = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = 1 + int(rng.choice(4, p=_SYLLABLES))
        parts = []
        for place in range(syllables):
            is_last = place == syllables - 1
            ends = _ENDS if is_last else ("", "", "n", "s", "r")
            parts += [str(rng.choice(_STARTS)), str(rng.choice(_VOWELS)), str(rng.choice(ends))]
        text = " ".join(part for part in parts if part)
        if text not in HELD_OUT:
            words[text] = None
    return list(words)


def fill_words(folder: Path, group: str, bank: Bank, count: int) -> None:
    """Makes the files of a group's voices that are missing.

    The words are those that rare voices of the bank say, and as many of chance, each said by several voices
    of espeak-ng and, of those of chance, one in three by a voice of Flite.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for voice, texts in _shares(group, bank, count):
        if (folder / f"{voice.key}.json").exists():
            continue
        # In a process of its own: espeak-ng 1.51 dies of one word in some ten thousand.
        with ProcessPoolExecutor(1, get_context("fork")) as executor:
            try:
                executor.submit(_fill, folder, voice, texts).result()
                print(f"words: {voice.key}", flush=True)
            except BrokenProcessPool:
                print(f"words: {voice.key} is left out, its engine died of a word", flush=True)


def _shares(group: str, bank: Bank, count: int) -> list[tuple[Voice, list[str]]]:
    rng = np.random.default_rng([count, 77])
    voices = [voice for voice in all_voices() if voice.group == group]
    espeak = [voice for voice in voices if voice.engine == "espeak"]
    flite = [voice for voice in voices if voice.engine == "flite"]
    rare = sorted({one.text for one in bank.of(NEAR) if one.engine != "espeak"} - set(HELD_OUT))
    chance = words_of_chance(count, 31)
    texts: dict[str, list[str]] = {voice.key: [] for voice in voices}
    for text in [*rare[:count], *chance]:
        for place in rng.permutation(len(espeak))[:_VOICES_A_WORD]:
            texts[espeak[int(place)].key].append(text)
    for place, text in enumerate(chance[::3]):
        if flite:
            texts[flite[place % len(flite)].key].append(text)
    return [(voice, texts[voice.key]) for voice in voices if texts[voice.key]]


def _fill(folder: Path, voice: Voice, texts: list[str]) -> None:
    rng = np.random.default_rng(list(voice.key.encode()))
    wishes = [said_by(voice, text, rng) for text in texts]
    sounds: list[NDArray[np.int16]] = []
    rows: list[Said] = []
    at = 0
    for wish, raw in zip(wishes, speak(voice, wishes), strict=True):
        sound = trimmed(raw)
        if len(sound) < 2000 or wish.word is None:
            continue
        levels = sound * (0.5 / max(1e-4, float(np.abs(sound).max())))
        sounds.append(np.round(levels * 32767).astype(np.int16))
        text = " ".join(wish.word.phones)
        rows.append(Said(voice.name, voice.engine, wish.language, WORD, "", text, True, at, len(sound)))
        at += len(sound)
    np.save(folder / f"{voice.key}.npy", np.concatenate(sounds))
    (folder / f"{voice.key}.json").write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


def said_by(voice: Voice, text: str, rng: np.random.Generator) -> Spoken:
    """A word in one of a voice's languages, at a pace and a pitch of chance."""
    language = str(rng.choice(voice.languages))
    speed = float(np.clip(np.exp(rng.normal(0.0, 0.14)), 0.7, 1.5))
    pitch = float(np.clip(np.exp(rng.normal(0.12, 0.22)), 0.6, 1.9))
    word = Word(tuple(text.split()), language)
    return Spoken(language, word, "", speed, pitch, int(rng.integers(1 << 30)))


def words_said(*banks: Bank) -> list[tuple[Bank, Said]]:
    """All words and calls of the banks whose phones are known, none of which is held out."""
    return [
        (bank, one)
        for bank in banks
        for one in bank.said
        if one.kind in {CALL, NEAR, WORD} and one.text not in HELD_OUT
    ]
