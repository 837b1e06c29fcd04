"""Minutes of noise of each kind, made once; mixing takes pieces of them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.voice.bank import TALK, Bank
from kemps_training.voice.noises import KINDS
from kemps_vision.hearing.features import RATE

Wave = NDArray[np.float32]
PIECE: Final = 10 * RATE
BABBLE: Final = "babble"
SEEDS: Final = {"train": 11, "tune": 12, "test": 13}


class Noises:
    """Pieces of noise: music, clatter, coloured noise, and babble of the group's own voices."""

    def __init__(self, folder: Path) -> None:
        self._pieces = {path.stem: np.load(path, mmap_mode="r") for path in sorted(folder.glob("*.npy"))}

    @property
    def kinds(self) -> list[str]:
        """Their names."""
        return list(self._pieces)

    def take(self, kind: str, length: int, rng: np.random.Generator) -> Wave:
        """A piece of that length and of RMS 0.1; several stand one after the other if it is long."""
        store = self._pieces[kind]
        parts: list[Wave] = []
        while (missing := length - sum(map(len, parts))) > 0:
            piece = store[int(rng.integers(len(store)))]
            at = int(rng.integers(0, max(1, len(piece) - missing)))
            parts.append(piece[at : at + missing].astype(np.float32) / np.float32(32768))
        return np.concatenate(parts)

    def mixed(self, length: int, rng: np.random.Generator) -> Wave:
        """One kind, or two at once, of RMS about 0.1."""
        chosen = rng.choice(self.kinds, 1 if rng.random() < 0.6 else 2, replace=False)
        pieces = [self.take(str(kind), length, rng) * rng.uniform(0.4, 1.0) for kind in chosen]
        return np.asarray(sum(pieces), np.float32)


def fill_noises(folder: Path, bank: Bank, group: str, pieces: int, seed: int = 0) -> None:
    """Makes the missing kinds, ``pieces`` of 10 s of each; another ``seed`` makes others of the group."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, kind in enumerate((*KINDS, BABBLE)):
        path = folder / f"{kind}.npy"
        if path.exists():
            continue
        rng = np.random.default_rng([SEEDS[group], place, *([seed] if seed else [])])
        made = [
            babble(bank, PIECE, rng) if kind == BABBLE else KINDS[kind](PIECE, rng) for _ in range(pieces)
        ]
        np.save(path, np.round(np.clip(np.stack(made), -1, 1) * 32767).astype(np.int16))


def babble(bank: Bank, length: int, rng: np.random.Generator) -> Wave:
    """Three to eight voices that talk all the time."""
    talk = bank.of(TALK)
    sound = np.zeros(length, np.float32)
    for _ in range(int(rng.integers(3, 9))):
        at, loud = -int(rng.integers(RATE)), float(rng.uniform(0.3, 1.0))
        while at < length:
            said = bank.sound(talk[int(rng.integers(len(talk)))])
            begin, end = max(0, at), min(length, at + len(said))
            if end > begin:
                sound[begin:end] += loud * said[begin - at : end - at]
            at += len(said) + int(rng.exponential(0.15) * RATE)
    return np.asarray(sound * (0.1 / (np.sqrt(np.mean(sound**2)) + 1e-9)), np.float32)
