"""Sounds to measure with: a folder of wav files, `files.csv` and `calls.csv`, as docs/hearing.md tells."""

from __future__ import annotations

import csv
import wave
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.voice import rooms
from kemps_training.voice.bank import CALL, NEAR, TALK, Bank, Said
from kemps_training.voice.noise_store import babble
from kemps_training.voice.noises import KINDS
from kemps_training.voice.onsets import LEAD
from kemps_training.voice.styles import restyled
from kemps_vision.hearing.features import RATE

Wave = NDArray[np.float32]
SNRS: Final = (20, 10, 5)
CLIP_S: Final = 4.0
FILE_S: Final = 300
FILE_FIELDS: Final = ("file", "set", "origin", "snr_db", "noise")
CALL_FIELDS: Final = ("file", "at_ms", "call", "voice", "engine", "language", "style", "known")
GAPS_S: Final = {"two_callers": (0.2, 0.5), "two_callers_close": (0.0, 0.2), "two_callers_far": (0.5, 1.2)}


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of each set a folder has: minutes, calls of a voice and language, pairs of callers."""

    talk: float
    near: float
    noise: float
    calls: int
    pairs: int


# One or two false calls an hour are told from none, and 97 of 100 pairs from 98, only by many of them.
REPORT: Final = Amounts(talk=120, near=60, noise=240, calls=4, pairs=400)
# Thresholds hang on the few worst minutes, so there are at least as many of them as the report has.
TUNING: Final = Amounts(talk=240, near=60, noise=240, calls=2, pairs=60)
SMOKE: Final = Amounts(talk=0.3, near=0.3, noise=0.3, calls=1, pairs=3)


@dataclass(slots=True)
class _Writer:
    folder: Path
    files: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, set_: str, sound: Wave, calls: list[dict[str, Any]], **more: object) -> None:
        file = f"{name}.wav"
        with wave.open(str(self.folder / file), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(RATE)
            out.writeframes(np.round(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
        self.files.append({"file": file, "set": set_, "origin": "synthetic", **more})
        self.calls += [{"file": file, **call} for call in calls]

    def close(self) -> None:
        for name, fields, rows in (
            ("calls.csv", CALL_FIELDS, self.calls),
            ("files.csv", FILE_FIELDS, self.files),
        ):
            with (self.folder / name).open("w", newline="", encoding="utf-8") as out:
                writer = csv.DictWriter(out, fields)
                writer.writeheader()
                writer.writerows(rows)


def make_folder(folder: Path, bank: Bank, amounts: Amounts, seed: int) -> None:
    """Makes the folder, unless it is complete already."""
    if (folder / "files.csv").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    writer, makers = _Writer(folder), Maker(bank, np.random.default_rng(seed))
    for snr in SNRS:
        for number, (kind, sound, calls) in enumerate(makers.calls(amounts.calls, snr)):
            writer.add(f"calls_{snr}db_{number:02}", "calls", sound, calls, snr_db=snr, noise=kind)
    for set_, gaps in GAPS_S.items():
        sound, calls = makers.pairs(amounts.pairs, gaps)
        writer.add(set_, set_, sound, calls, snr_db=10, noise="babble")
    for set_, minutes in (("talk", amounts.talk), ("near", amounts.near)):
        for number, sound in enumerate(makers.speech(minutes, is_near=set_ == "near")):
            writer.add(f"{set_}_{number:02}", set_, sound, [], snr_db=25, noise="noise")
    for kind in (*KINDS, "babble"):
        for number, sound in enumerate(makers.noise(kind, amounts.noise / (len(KINDS) + 1))):
            writer.add(f"{kind}_{number:02}", "noise", sound, [], noise=kind)
    print(f"{folder}: {len(writer.files)} files, {len(writer.calls)} calls", flush=True)
    writer.close()


class Maker:
    """Makes the sounds of one folder from one group of voices."""

    def __init__(self, bank: Bank, rng: np.random.Generator) -> None:
        self.bank, self.rng = bank, rng

    def calls(self, most: int, snr_db: float) -> Iterator[tuple[str, Wave, list[dict[str, Any]]]]:
        """Files of calls, four seconds apart, each kind of noise in a file of its own."""
        rng = self.rng
        shelves: dict[tuple[str, str, str], list[Said]] = defaultdict(list)
        for said in self.bank.of(CALL):
            shelves[f"{said.engine}-{said.voice}", said.language, said.call].append(said)
        chosen = [
            shelf[int(place)]
            for (key, _, _), shelf in sorted(shelves.items())
            for place in rng.permutation(len(shelf))[: 1 if key.startswith("espeak") else 2 * most]
        ]
        kinds = (*KINDS, "babble")
        for place, kind in enumerate(kinds):
            clips: list[Wave] = []
            rows: list[dict[str, Any]] = []
            for said in chosen[place :: len(kinds)]:
                at = int(rng.uniform(0.8, CLIP_S - 1.8) * RATE)
                clip, style = self._clip(said, at, kind, snr_db)
                at_ms = 1000 * (len(clips) * CLIP_S + at / RATE)
                rows.append(_row(said, at_ms, style))
                clips.append(clip)
            if clips:
                yield kind, np.concatenate(clips), rows

    def pairs(self, count: int, gaps_s: tuple[float, float]) -> tuple[Wave, list[dict[str, Any]]]:
        """Two callers, one Kemps and one Stop Kemps, at one microphone in a room full of talk (10 dB)."""
        rng = self.rng
        by_call = {call: self.bank.of(CALL, call=call) for call in ("kemps", "stop")}
        clips: list[Wave] = []
        rows: list[dict[str, Any]] = []
        for number in range(count):
            order = ("kemps", "stop") if number % 2 else ("stop", "kemps")
            at = int(rng.uniform(0.8, 1.2) * RATE)
            clip = np.zeros(int(CLIP_S * RATE), np.float32)
            for call in order:
                said = by_call[call][int(rng.integers(len(by_call[call])))]
                style = self._put(clip, said, at, float(10 ** (rng.uniform(-3, 3) / 20)))
                rows.append(_row(said, 1000 * (number * CLIP_S + at / RATE), style))
                at += int(rng.uniform(*gaps_s) * RATE)
            clips.append(self._finished(clip, "babble", 10))
        return np.concatenate(clips), rows

    def speech(self, minutes: float, *, is_near: bool) -> Iterator[Wave]:
        """Files of talk; every second thing said is a word near a call if ``is_near``."""
        rng, talk, near = self.rng, self.bank.of(TALK), self.bank.of(NEAR)
        for length in _lengths(minutes):
            sound, at, count = np.zeros(length, np.float32), 0, 0
            while at < length - 4 * RATE:
                shelf = near if is_near and count % 2 else talk
                said = shelf[int(rng.integers(len(shelf)))]
                self._put(sound, said, at + LEAD * 2, float(rng.uniform(0.4, 1.0)))
                at += said.length + int(rng.uniform(0.05, 0.8) * RATE)
                count += 1
            yield self._finished(sound, "noise", 25)

    def noise(self, kind: str, minutes: float) -> Iterator[Wave]:
        """Files of one kind of noise, loud."""
        for length in _lengths(minutes):
            sound = self._noise(kind, length)
            yield sound * float(self.rng.uniform(0.3, 0.9) / np.abs(sound).max())

    def _clip(self, said: Said, at: int, noise: str, snr_db: float) -> tuple[Wave, str]:
        clip = np.zeros(int(CLIP_S * RATE), np.float32)
        style = self._put(clip, said, at, 1.0)
        return self._finished(clip, noise, snr_db), style

    def _put(self, sound: Wave, said: Said, at: int, loud: float) -> str:
        word, onset, style = self.bank.sound(said), LEAD, "plain"
        if self.rng.random() < 0.5:
            word, onset = restyled(word, self.rng)
            style = "restyled"
        word = word * (0.1 * loud / (float(np.sqrt(np.mean(word**2))) + 1e-6))
        heard = rooms.in_room(word, rooms.room(self.rng))
        begin = max(0, at - onset)
        end = min(len(sound), begin + len(heard))
        sound[begin:end] += heard[: end - begin]
        return style

    def _finished(self, sound: Wave, noise: str, snr_db: float) -> Wave:
        sound = sound + self._noise(noise, len(sound)) * 10 ** (-snr_db / 20)
        return np.asarray(
            sound * float(self.rng.uniform(0.1, 0.9) / max(1e-6, np.abs(sound).max())), np.float32
        )

    def _noise(self, kind: str, length: int) -> Wave:
        if kind == "babble":
            return babble(self.bank, length, self.rng)
        parts = [KINDS[kind](min(10 * RATE, length - at), self.rng) for at in range(0, length, 10 * RATE)]
        return np.concatenate(parts)


def _row(said: Said, at_ms: float, style: str) -> dict[str, Any]:
    return {
        "at_ms": round(at_ms),
        "call": said.call,
        "voice": f"{said.engine}-{said.voice}",
        "engine": said.engine,
        "language": said.language,
        "style": style,
        "known": int(said.is_known),
    }


def _lengths(minutes: float) -> list[int]:
    total = int(minutes * 60)
    return [RATE * min(FILE_S, total - at) for at in range(0, total, FILE_S)]
