"""Words where they begin in a room with noise and talk, as the network that hears calls sees them inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray

from kemps_training.voice import rooms
from kemps_training.voice.bank import TALK, Bank, Said
from kemps_training.voice.noise_store import Noises
from kemps_training.voice.onsets import LEAD
from kemps_training.voice.pool import Pool, unpacked
from kemps_training.voice.styles import restyled
from kemps_training.voice.variety import between, through_another_microphone
from kemps_vision.hearing.features import BANDS, HOP, RATE, WINDOW, features

Wave = NDArray[np.float32]
Rows = NDArray[np.float32]
Inner = NDArray[np.float16]
"""What both networks see inside round a place: (112, places of 20 ms)."""

BLOCK: Final = 3
"""The networks' block whose answer is looked at: it sees 0.3 s to each side."""
BLOCK_REACH: Final = 65
"""Rows of bands that one such answer sees."""
ROWS: Final = 180
ONSET_ROW: Final = 55
LEAST_SAID: Final = 4
MOST_SAID: Final = 24
_NETWORK_REACH: Final = 240  # rows that are enough for the whole network, which is asked as it is
_SPARE: Final = 8


class Inside:
    """The inner answers of an exported network that hears calls."""

    def __init__(self, path: Path) -> None:
        model = onnx.load(str(path))
        self.names = inner_names(model)
        for name in self.names:
            model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, ["CPUExecutionProvider"]
        )

    def of(self, rows: Rows) -> Inner:
        """What is seen in rows of bands, at each place that they tell of."""
        missing = max(0, _NETWORK_REACH - len(rows))
        whole = np.concatenate([rows, np.zeros((missing, BANDS), np.float32)])
        parts = self._session.run(self.names, {"bands": np.ascontiguousarray(whole.T)[None]})
        places = (len(rows) - BLOCK_REACH) // 2 + 1
        return np.concatenate([part[0] for part in parts])[:, :places].astype(np.float16)


def inner_names(model: onnx.ModelProto) -> list[str]:
    """The names of the inner answers, one for each of the networks that answer as one."""
    ending = f"/blocks.{BLOCK}/Relu_1_output_0"
    return [name for node in model.graph.node for name in node.output if name.endswith(ending)]


class WordScenes:
    """Makes scenes of words, and of what is none."""

    def __init__(self, bank: Bank, noises: Noises) -> None:
        self._bank, self._noises, self._talk = bank, noises, bank.of(TALK)
        self._rooms: list[Wave] = []

    def of_word(self, word: Wave, rng: np.random.Generator) -> Rows:
        """A word that begins at row `ONSET_ROW`, by another throat and at another pace each time."""
        onset = LEAD
        if rng.random() < 0.6:
            word, onset = restyled(word, rng)
        length = (ROWS + _SPARE) * HOP + WINDOW
        sound, begin = np.zeros(length, np.float32), ONSET_ROW * HOP - onset
        word = _at_level(word, 0.1)
        heard = rooms.in_room(word, self._room(rng)) if rng.random() < 0.8 else word
        _add(sound, begin, heard)
        chance = rng.random()
        if chance < 0.2:
            before = self._some_talk(rng)[-begin:]
            _add(sound, begin - len(before), before)
        if 0.1 < chance < 0.4:
            _add(sound, begin + len(word) + int(rng.uniform(0.02, 0.4) * RATE), self._some_talk(rng))
        noise = _at_level(self._noises.mixed(length, rng), 0.1)
        sound = rooms.through_microphone(sound + noise * 10 ** (-float(rng.uniform(3, 28)) / 20), rng)
        sound *= 10 ** (float(rng.uniform(-36, 0)) / 20) / max(1e-6, float(np.abs(sound).max()))
        return varied_about(features(sound), ONSET_ROW, rng)

    def _some_talk(self, rng: np.random.Generator) -> Wave:
        return _at_level(self._bank.sound(self._talk[int(rng.integers(len(self._talk)))]), 0.07)

    def _room(self, rng: np.random.Generator) -> Wave:
        if len(self._rooms) < 200:
            self._rooms.append(rooms.room(rng))
            return self._rooms[-1]
        return self._rooms[int(rng.integers(200))]


def varied_about(rows: Rows, onset: int, rng: np.random.Generator) -> Rows:
    """`ROWS` rows by another throat and microphone, and at another pace about the row of an onset."""
    warped = between(rows.T, np.arange(BANDS) * float(np.exp(rng.uniform(-0.07, 0.07)))).T
    pace = float(np.exp(rng.uniform(-0.12, 0.04)))
    places = np.clip(onset + (np.arange(ROWS) - onset) * pace, 0, len(rows) - 1.01)
    return through_another_microphone(between(warped, places), rng)


def words_inside(
    said: Sequence[tuple[Bank, Said]], scenes: WordScenes, inside: Inside, seed: int, times: int = 2
) -> tuple[NDArray[np.float16], NDArray[np.int64]]:
    """Each word some times, (n, 112, places), and which it is; words said too rarely are left out."""
    rng = np.random.default_rng(seed)
    counts = Counter(one.text for _, one in said)
    numbers = {text: place for place, text in enumerate(sorted(counts)) if counts[text] >= LEAST_SAID}
    taken: Counter[str] = Counter()
    found, names = [], []
    for place in rng.permutation(len(said)):
        bank, one = said[int(place)]
        if one.text not in numbers or taken[one.text] == MOST_SAID:
            continue
        taken[one.text] += 1
        for _ in range(times):
            found.append(inside.of(scenes.of_word(bank.sound(one), rng)))
            names.append(numbers[one.text])
    _, dense = np.unique(names, return_inverse=True)
    return np.stack(found), dense.astype(np.int64)


def background_inside(pool: Pool, inside: Inside, seed: int) -> NDArray[np.float16]:
    """A piece of each scene of talk or noise, (n, 112, places)."""
    rng = np.random.default_rng(seed)
    pieces = []
    for number in scenes_without_words(pool):
        rows = unpacked(pool.rows(number))
        at = int(rng.integers(0, len(rows) - ROWS - _SPARE))
        pieces.append(inside.of(varied_about(rows[at : at + ROWS + _SPARE], 0, rng)))
    return np.stack(pieces)


def scenes_without_words(pool: Pool) -> list[int]:
    """The numbers of the scenes of talk and of noise."""
    return [number for number, kind in enumerate(pool.kinds) if kind in {"talk", "noise"}]


def _at_level(sound: Wave, rms: float) -> Wave:
    return np.asarray(sound * (rms / (float(np.sqrt(np.mean(sound**2))) + 1e-6)), np.float32)


def _add(sound: Wave, begin: int, more: Wave) -> None:
    """Adds what lies within the sound."""
    first, last = max(0, begin), min(len(sound), begin + len(more))
    if last > first:
        sound[first:last] += more[first - begin : last - begin]
