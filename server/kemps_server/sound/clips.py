"""The sound round a call that was heard: a WAV file among the evidence, and its wave as a drawing."""

from __future__ import annotations

import io
import json
import re
import wave
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_server.keeping import EVIDENCE
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listening import KEPT_S, Clip

KEPT_MS: Final = round(1000 * KEPT_S)
WIDTH: Final = 640
HEIGHT: Final = 96
_NAME: Final = re.compile(r"(\d{5,})-sound\.wav")
_BARS: Final = 320
_LOUDEST: Final = 32767


@dataclass(frozen=True, slots=True)
class KeptSound:
    """A sound as it was kept.

    Attributes:
        file: Its name in the evidence folder.
        line: Of the call in the journal.
        at_ms: When it begins on the game's clock.
    """

    file: str
    line: int
    at_ms: int


def keep_clip(folder: Path, line: int, clip: Clip, shift_ms: float = 0.0) -> Path:
    """Write a clip beside the pictures of its call; the game's clock is ``shift_ms`` later than the clip's.

    Raises:
        OSError: It cannot be written.
    """
    place = folder / EVIDENCE
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{line:05}-sound.wav"
    new = path.with_name(f".{path.name}.new")
    samples = np.clip(np.round(clip.samples * _LOUDEST), -_LOUDEST, _LOUDEST).astype("<i2")
    with wave.open(str(new), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    beside = {"line": line, "at_ms": round(clip.at_ms + shift_ms)}
    path.with_suffix(".json").write_text(json.dumps(beside) + "\n", encoding="utf-8")
    new.replace(path)
    return path


def kept_sounds(folder: Path) -> dict[int, KeptSound]:
    """The sounds kept of a game, by the line of their call; what cannot be read is left out."""
    found = {}
    try:
        names = sorted(path.name for path in (folder / EVIDENCE).iterdir())
    except OSError:
        return {}
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        try:
            beside = json.loads((folder / EVIDENCE / name).with_suffix(".json").read_text(encoding="utf-8"))
            found[int(match.group(1))] = KeptSound(name, int(match.group(1)), int(beside["at_ms"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def samples_of(path: Path) -> NDArray[np.float32]:
    """The samples of a kept sound, -1 to 1.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such sound.
    """
    try:
        with wave.open(io.BytesIO(path.read_bytes()), "rb") as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
                raise ValueError(f"{path.name}: is no sound that was kept here")
            data = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise ValueError(f"{path.name}: is no sound ({error})") from None
    return (np.frombuffer(data, "<i2") / _LOUDEST).astype(np.float32)


def wave_svg(samples: NDArray[np.float32], from_ms: int, at_ms: int, uncertainty_ms: int) -> str:
    """A wave with the mark of a call at ``at_ms``, and how well that time is known, as an SVG.

    Loudness goes by its root, so that speech shows beside a clap. Colours are those of the page round it.
    """
    length_ms = max(1.0, 1000 * len(samples) / RATE)
    tops = _tops(samples)
    middle, scale = HEIGHT / 2, (HEIGHT / 2 - 4) / max(float(tops.max(initial=0.0)), 0.05)
    step = WIDTH / _BARS
    bars = "".join(
        f"M{(n + 0.5) * step:.1f} {middle - top * scale:.1f}V{middle + top * scale:.1f}"
        for n, top in enumerate(tops)
    )
    mark = WIDTH * (at_ms - from_ms) / length_ms
    width = max(2.0, WIDTH * 2 * uncertainty_ms / length_ms)
    left = min(max(0.0, mark - width / 2), WIDTH - 2.0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" class="wave" '
        f'preserveAspectRatio="none">'
        f'<rect class="wave-doubt" x="{left:.1f}" y="0" width="{min(width, WIDTH - left):.1f}" '
        f'height="{HEIGHT}"/>'
        f'<path class="wave-sound" d="{bars}"/>'
        f'<path class="wave-mark" d="M{mark:.1f} 0V{HEIGHT}"/></svg>'
    )


def _tops(samples: NDArray[np.float32]) -> NDArray[np.float64]:
    """How high each bar stands: the root of the loudest sample in its part."""
    edges = np.linspace(0, len(samples), _BARS + 1).astype(int)
    parts = [np.abs(samples[a:b]).max(initial=0.0) for a, b in pairwise(edges)]
    return np.sqrt(np.array(parts, np.float64))
