"""A table found in the pictures of its cameras, for whoever sets it up."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from kemps_models.landmarkers import are_fetched
from kemps_server.calibrating import SeenFaces, Wishes, calibrated, look_for_faces, table_looks
from kemps_server.doctoring.advice import advise
from kemps_server.doctoring.card_sizes import size_table
from kemps_server.doctoring.looks import Sighting, see
from kemps_server.doctoring.measures import measure
from kemps_server.errors import KempsServerError
from kemps_server.observers.looking import jpeg_text
from kemps_server.observers.set_up import parts_of
from kemps_vision.calibration.record import record_text
from kemps_vision.calibration.writing import toml_text
from kemps_vision.cards.reader import default_reader
from kemps_vision.people.face_search import FaceSearch
from kemps_vision.people.tasks import FaceFinder, FaceReader, HandReader
from kemps_vision.sources import open_source
from kemps_vision.zones import parse_config

LOOK_MS: Final = 8_000  # at a camera
FILM_MS: Final = 30_000  # of a film, which is looked through faster than it plays
_LEAST_HAND: Final = 0.3  # a hand at rest at the picture's border is half out of it


def find_at(request: Mapping[str, Any]) -> dict[str, Any]:
    """Centre, seats and faces found in the pictures of cameras, and how good the pictures are.

    Raises:
        KempsServerError: What was said of the table does not fit together.
        KempsVisionError: A camera gives no picture, or nothing tells where the centre is.
    """
    where, names = str(request["source"]), [str(name) for name in request.get("names", [])]
    old = tomllib.loads(str(request.get("config", "")))
    clicks = tuple((float(x), float(y)) for x, y in request.get("clicks") or ())
    wishes = Wishes(seats=request.get("seats"), names=tuple(names), clicks=clicks or None)
    wishes.count(old)
    with ExitStack() as opened:
        sighting = _sighting(where)
        hands = opened.enter_context(HandReader(most=8, least_score=_LEAST_HAND)) if are_fetched() else None
        looks = table_looks(sighting, hands)
        if not looks:
            raise KempsServerError(f"{where} gives no picture")
        faces = [_faces(str(one["name"]), str(one["source"]), opened) for one in request.get("faces", [])]
        found = calibrated(looks, wishes, source=where, faces=faces)
    config = parse_config(toml_text(found.draft))
    height, width = looks[-1].pixels.shape[:2]
    measures = measure(sighting, config.zones(width, height))
    sizes = size_table()
    cards = measures.cards
    return parts_of(config) | {
        "picture": jpeg_text(max(looks, key=lambda look: len(look.reading.known)).pixels),
        "size": [width, height],
        "edge": None if found.table.edge is None else [[round(x), round(y)] for x, y in found.table.edge],
        "card_px": None if cards is None else round(cards.length_px),
        "is_good": cards is not None and sizes.is_good(cards.reads_as_px),
        "good_px": [round(side) for side in sizes.good_px],
        "seen": [place.seat for place in found.table.seats if place.is_seen],
        "notes": list(found.table.notes),
        "stood": record_text(replace(found.record, found={})),
        "findings": [finding.as_json() for finding in advise(measures, sizes)],
    }


def _sighting(where: str) -> Sighting:
    reader = default_reader(threads=min(2, os.cpu_count() or 1))
    with open_source(where) as source:
        return see(source, reader, most_ms=LOOK_MS if source.info.is_live else FILM_MS)


def _faces(name: str, where: str, opened: ExitStack) -> SeenFaces:
    finder = opened.enter_context(FaceFinder())
    search = FaceSearch(finder, opened.enter_context(FaceReader()))
    with open_source(where, camera=name) as source:
        boxes = tuple(look_for_faces(source, search))
        return SeenFaces(name=name, size=(source.info.width, source.info.height), boxes=boxes, source=where)
