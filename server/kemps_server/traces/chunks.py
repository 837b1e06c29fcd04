"""Traces packed: a compressed file for each camera and twenty seconds, of a version that its head tells."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, JOKER
from kemps_server.traces.trace import CardTrace, FaceTrace, HandTrace, Trace
from kemps_vision.people.landmarks import HAND_POINTS, Box

VERSION: Final = 1
TRACES: Final = "traces"
CHUNK_MS: Final = 20_000
_SUBPIXEL: Final = 4  # quarters of a px, in 16 bits: pictures up to 8191 px
_CARDS: Final = (*DECK_52, JOKER)
_NUMBER: Final = {card: number for number, card in enumerate(_CARDS)}
_UNREAD: Final = 255

Arrays = dict[str, NDArray[Any]]


def chunk_name(from_ms: int) -> str:
    """What the file is called whose first frame is of this time.

    >>> chunk_name(20040)
    '000000020040.npz'
    """
    return f"{from_ms:012}.npz"


def chunks_in(folder: Path) -> list[tuple[int, Path]]:
    """The files of a camera and the times of their first frames, by time."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    stems = [name.removesuffix(".npz") for name in names if name.endswith(".npz")]
    return [(int(stem), folder / f"{stem}.npz") for stem in stems if stem.isdecimal()]


def write_chunk(path: Path, traces: Sequence[Trace]) -> None:
    """Pack the traces of some frames, by time, into a file.

    Raises:
        OSError: It cannot be written.
    """
    new = path.with_name(f".{path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with new.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_packed(traces))
    new.replace(path)


def read_chunk(path: Path) -> tuple[Trace, ...]:
    """The traces in a file; none when it is gone, broken, or of another version."""
    try:
        with np.load(path, allow_pickle=False) as data:
            if int(data["version"][0]) != VERSION:
                return ()
            return tuple(_unpacked({name: data[name] for name in data.files}))
    except (OSError, ValueError, KeyError, IndexError, EOFError, TypeError, zipfile.BadZipFile):
        return ()


def _packed(traces: Sequence[Trace]) -> Arrays:
    cards = [card for trace in traces for card in trace.cards]
    hands = [hand for trace in traces for hand in trace.hands]
    faces = [face for trace in traces for face in trace.faces]
    zones = [
        [place, trace.zones]
        for place, trace in enumerate(traces)
        if place == 0 or trace.zones != traces[place - 1].zones
    ]
    return {
        "version": np.asarray([VERSION], np.int64),
        "at_ms": np.asarray([trace.at_ms for trace in traces], np.int64),
        "zones": np.frombuffer(json.dumps(zones).encode(), np.uint8),
        "card_ends": _ends([len(trace.cards) for trace in traces]),
        "card": np.asarray([_UNREAD if one.card is None else _NUMBER[one.card] for one in cards], np.uint8),
        "card_score": np.asarray([round(255 * min(max(one.score, 0.0), 1.0)) for one in cards], np.uint8),
        "card_quad": _packed_px([one.quad for one in cards], (4, 2)),
        "hand_ends": _ends([len(trace.hands) for trace in traces]),
        "hand_seat": _seats([one.seat for one in hands]),
        "hand_points": _packed_px([one.points[:, :2] for one in hands], (HAND_POINTS, 2)),
        "face_ends": _ends([len(trace.faces) for trace in traces]),
        "face_seat": _seats([one.seat for one in faces]),
        "face_box": _packed_px([np.asarray(one.box) for one in faces], (4,)),
    }


def _unpacked(data: Arrays) -> Iterator[Trace]:
    zones_at = dict(json.loads(data["zones"].tobytes()))
    zones: dict[str, Any] = {}
    spans = [_spans(data[f"{name}_ends"]) for name in ("card", "hand", "face")]
    quads, points, boxes = (_px(data[name]) for name in ("card_quad", "hand_points", "face_box"))
    for place, at_ms in enumerate(data["at_ms"].tolist()):
        zones = zones_at.get(place, zones)
        cards, hands, faces = (span[place] for span in spans)
        yield Trace(
            at_ms=at_ms,
            zones=zones,
            cards=tuple(
                CardTrace(
                    None if (number := int(data["card"][row])) == _UNREAD else _CARDS[number],
                    int(data["card_score"][row]) / 255,
                    quads[row],
                )
                for row in cards
            ),
            hands=tuple(HandTrace(_seat(data["hand_seat"][row]), points[row]) for row in hands),
            faces=tuple(FaceTrace(_seat(data["face_seat"][row]), Box(*boxes[row].tolist())) for row in faces),
        )


def _ends(counts: Sequence[int]) -> NDArray[np.int32]:
    return np.asarray(np.cumsum([0, *counts]), np.int32)


def _spans(ends: NDArray[Any]) -> list[range]:
    return [range(start, end) for start, end in pairwise(ends.tolist())]


def _packed_px(values: Sequence[NDArray[Any]], shape: tuple[int, ...]) -> NDArray[np.int16]:
    if not values:
        return np.zeros((0, *shape), np.int16)
    whole = np.round(np.asarray(values, np.float64) * _SUBPIXEL)
    return np.clip(whole, -32768, 32767).astype(np.int16)


def _px(packed: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(packed / np.float32(_SUBPIXEL), np.float32)


def _seats(seats: Sequence[str]) -> NDArray[np.uint8]:
    return np.asarray([ord(seat[0]) if seat and seat[0].isascii() else 0 for seat in seats], np.uint8)


def _seat(number: int) -> str:
    return chr(number) if number else ""
