"""One look at one picture: what the reader says, brought down to what the figures need; kept once known."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np
import platformdirs

from kemps_models.registry import FOLDER, load_manifest
from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.alphabets import ANY, letter_evidence
from kemps_vision.cards.network import OnnxNetwork
from kemps_vision.cards.reader import OnnxCardReader
from kemps_vision.cards.reading import CardReader, Pixels, Reading
from kemps_vision.cards.stills import load_still

NATIVE: Final = 0
NETWORKS: Final = ("cards_detector", "cards_classifier")
_JPEG_QUALITY: Final = 92


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card that was named: which, how surely (0..1), and how long it is in the picture (px)."""

    card: str
    score: float
    length_px: float


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a picture told.

    Attributes:
        cards: The cards with a name, the surest first.
        unread: How many more were told to be there.
        ms: Wall time.
        brightness: Mean grey level of the picture, 0..255.
        contrast: Standard deviation of its grey levels.
        letters: For each card with indices its evidence about the alphabet, see ``letter_evidence``.
        label: What is known to lie there, where the picture tells (made-up ones do).
    """

    cards: tuple[SeenCard, ...]
    unread: int
    ms: float
    brightness: float
    contrast: float
    letters: tuple[tuple[float, ...], ...] = ()
    label: dict[str, Any] = field(default_factory=dict)


class Picture(Protocol):
    """A picture that can be looked at, and sent to another process."""

    @property
    def alphabet(self) -> str:
        """By which letters to read it, or ``any``."""
        ...

    @property
    def key(self) -> str:
        """Tells this picture, read this way, from all others."""
        ...

    def load(self) -> tuple[Pixels, dict[str, Any]]:
        """The pixels, and what is known to lie there."""
        ...


@dataclass(frozen=True, slots=True)
class PhotoPicture:
    """A photo at a width, see ``shrunk``."""

    path: Path
    long_side_px: int = NATIVE
    alphabet: str = ANY

    @property
    def key(self) -> str:
        """The file's name, a hash of what is in it, and the way it is read."""
        return f"{self.path.name} {_hash_of(self.path)} {self.long_side_px} {self.alphabet}"

    def load(self) -> tuple[Pixels, dict[str, Any]]:
        """The pixels; what lies there is in the list of labels."""
        return shrunk(load_still(self.path), self.long_side_px), {}


def shrunk(pixels: Pixels, long_side_px: int) -> Pixels:
    """The picture as a camera of that width would store it: smaller, and JPEG again; never enlarged."""
    factor = long_side_px / max(pixels.shape[:2])
    if long_side_px == NATIVE or factor >= 1:
        return pixels
    small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    bgr = cv2.cvtColor(small, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR_RGB), dtype=np.uint8)


def look_at(picture: Picture, networks: tuple[Path, Path]) -> Look:
    """One look; the networks are opened once a process."""
    pixels, label = picture.load()
    return brought_down(reader_for(networks, picture.alphabet).read(pixels), pixels, label)


def brought_down(reading: Reading, pixels: Pixels, label: dict[str, Any] | None = None) -> Look:
    """A reading of a picture as a look."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return Look(
        cards=tuple(
            SeenCard(str(card.card), round(card.score, 5), round(card.length_px, 1)) for card in reading.known
        ),
        unread=reading.unread,
        ms=round(reading.ms, 1),
        brightness=round(float(grey.mean()), 1),
        contrast=round(float(grey.std()), 1),
        letters=tuple(
            tuple(np.round(letter_evidence(card.indices), 3).tolist())
            for card in reading.cards
            if card.indices
        ),
        label=label or {},
    )


def committed_networks() -> tuple[Path, Path]:
    """The files of the detector and the classifier that come with the package."""
    manifest = load_manifest()
    detector, classifier = (FOLDER / manifest[f"{name}.onnx"].file for name in NETWORKS)
    return detector, classifier


def float_networks(folder: Path) -> tuple[Path, Path]:
    """The files of the networks before they were made small, as training leaves them in ``folder``.

    Raises:
        KempsServerError: They are not there.
    """
    detector, classifier = (folder / f"{name}.fp32.onnx" for name in NETWORKS)
    for path in (detector, classifier):
        if not path.is_file():
            raise KempsServerError(f"{path}: there is no such file; --float names the folder of an export")
    return detector, classifier


class LookStore:
    """Looks that were taken, in a folder, until networks, code or libraries change.

    Args:
        folder: Where they are kept; None keeps nothing.
        networks: The detector and the classifier to look with.
        jobs: How many processes look.
    """

    def __init__(self, folder: Path | None, networks: tuple[Path, Path], jobs: int = 1) -> None:
        self._networks = networks
        self._jobs = jobs
        self._path = None if folder is None else folder / f"looks-{_fingerprint(networks)}.jsonl"
        self._known: dict[str, Look] = dict(_kept(self._path)) if self._path else {}

    def looks(self, pictures: Sequence[Picture]) -> Iterator[Look]:
        """The looks at some pictures, in their order, each as soon as it is known.

        Raises:
            WorkFailedError: A look cannot be kept.
        """
        keys = [picture.key for picture in pictures]
        new = [picture for picture, key in zip(pictures, keys, strict=True) if key not in self._known]
        taken = self._taken(new)
        for key in keys:
            if key not in self._known:
                self._known[key] = next(taken)
                self._keep(key, self._known[key])
            yield self._known[key]

    def _taken(self, pictures: Sequence[Picture]) -> Iterator[Look]:
        look = partial(look_at, networks=self._networks)
        if self._jobs <= 1 or len(pictures) < 2:
            yield from map(look, pictures)
            return
        with ProcessPoolExecutor(self._jobs, mp_context=get_context("spawn")) as pool:
            yield from pool.map(look, pictures, chunksize=4)

    def _keep(self, key: str, look: Look) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "look": asdict(look)}) + "\n")
        except OSError as error:
            raise WorkFailedError(f"{self._path}: cannot be written ({error.strerror})") from None


def work_folder() -> Path:
    """Where looks are kept: in the folder that ``KEMPS_CACHE`` names, or in the user's cache folder."""
    own = os.environ.get("KEMPS_CACHE")
    return (Path(own) if own else Path(platformdirs.user_cache_dir("kemps"))) / "bench"


def _kept(path: Path) -> Iterator[tuple[str, Look]]:
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue  # a run was broken off while it wrote this line
        look = row["look"]
        look["cards"] = tuple(SeenCard(**card) for card in look["cards"])
        look["letters"] = tuple(tuple(card) for card in look["letters"])
        yield row["key"], Look(**look)


def _fingerprint(networks: tuple[Path, Path]) -> str:
    parts = [code_fingerprint(__name__), *(_hash_of(path) for path in networks)]
    parts += [version(name) for name in ("numpy", "opencv-contrib-python", "onnxruntime", "scipy")]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]


def _hash_of(path: Path) -> str:
    try:
        return _hash_since(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise KempsServerError(f"{path}: cannot be read ({error.strerror})") from None


@cache
def _hash_since(path: Path, changed_ns: int) -> str:
    del changed_ns  # a file that is written again is another one
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@cache
def _opened(paths: tuple[Path, Path]) -> tuple[OnnxNetwork, OnnxNetwork]:
    cv2.setNumThreads(1)
    detector, classifier = (OnnxNetwork(path) for path in paths)
    return detector, classifier


@cache
def reader_for(networks: tuple[Path, Path], alphabet: str) -> CardReader:
    """The reader with these networks; opened once a process."""
    return OnnxCardReader(*_opened(networks), alphabet=alphabet)
