"""One camera looked through, from its source to the findings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from kemps_server.doctoring.advice import advise, light, pace
from kemps_server.doctoring.card_sizes import SizeTable
from kemps_server.doctoring.findings import Diagnosis, Finding, Level
from kemps_server.doctoring.looks import Sighting, look_at, see
from kemps_server.doctoring.measures import measure
from kemps_server.doctoring.zones import check_places, moved, plane_of
from kemps_vision.calibration.drift import standing
from kemps_vision.calibration.record import CameraRecord
from kemps_vision.cards.reading import CardReader
from kemps_vision.cards.stills import load_still
from kemps_vision.frame import Frame, SourceInfo, TimeBasis
from kemps_vision.sources import kind_of, open_source
from kemps_vision.sources.stills import PICTURE_ENDINGS
from kemps_vision.zones import CameraZones, TableConfig


def examine(
    camera: CameraZones,
    where: str,
    table: TableConfig,
    reader: CardReader,
    sizes: SizeTable,
    *,
    record: CameraRecord | None = None,
) -> Diagnosis:
    """The findings about one camera and its source; ``record`` is how it stood when it was calibrated.

    Raises:
        SourceError: The source cannot be opened, or a camera vanished.
        ImageError: A still cannot be read.
        ConfigError: The zones do not fit the pictures.
    """
    sighting = _sighting(where, camera.name, reader)
    info = sighting.info
    is_table = camera.role == "table"
    zones = table.zones(info.width, info.height) if is_table and table.cameras else TableConfig().zones(1, 1)
    measures = measure(sighting, zones)
    findings = (
        advise(measures, sizes) if is_table else [*pace(measures), *light(measures), _faces(camera, table)]
    )
    findings += [Finding(Level.NOTE, "source", note) for note in sighting.notes]
    if record is not None and sighting.looks and record.size == (info.width, info.height):
        stands = standing(record.anchors, [look.pixels for look in sighting.looks])
        findings.append(moved(stands, (info.width, info.height)))
    if is_table and table.cameras:
        findings.append(check_seats(table))
        quads = max((look.quads for look in sighting.looks), key=len, default=[])
        findings += check_places(
            table, plane_of(quads, (info.width, info.height)), (info.width, info.height), sizes
        )
    figures: dict[str, Any] = {
        "source": where,
        "role": camera.role,
        "kind": info.kind,
        "measures": measures.as_json(),
    }
    if measures.cards is not None:
        expected = asdict(sizes.expected(measures.cards.reads_as_px))
        figures["expected"] = {name: round(share, 4) for name, share in expected.items()}
    return Diagnosis(camera.name, tuple(findings), figures)


def check_seats(table: TableConfig) -> Finding:
    """Whether the configuration tells where players sit."""
    placed = [seat.id for seat in table.seats if seat.at is not None]
    if placed and len(placed) == len(table.seats):
        return Finding(Level.OK, "seats", f"{', '.join(placed)} have their places")
    missing = ", ".join(seat.id for seat in table.seats if seat.at is None) or "none is told"
    says = f"seats without a place: {missing}" if table.seats else "no seats are told"
    todo = "give each [[seat]] its at = [x, y] in table.toml; else it stays unknown who took which card"
    return Finding(Level.NOTE, "seats", says, todo)


def _faces(camera: CameraZones, table: TableConfig) -> Finding:
    seats = [seat.id for seat in table.seats if seat.face_camera == camera.name and seat.face_box]
    if seats:
        return Finding(Level.OK, "faces", f"the face of {', '.join(seats)} is followed here")
    todo = f'run kemps calibrate with --faces "{camera.name}=SOURCE", or give a seat its face in table.toml'
    return Finding(Level.NOTE, "faces", "no seat says where its face is in this camera", todo)


def _sighting(where: str, camera: str, reader: CardReader) -> Sighting:
    path = Path(where)
    if kind_of(where) == "file" and path.suffix.lower() in PICTURE_ENDINGS:
        pixels = load_still(path)
        height, width = pixels.shape[:2]
        info = SourceInfo(name=path.name, where=where, kind="stills", width=width, height=height, fps=1.0)
        return Sighting(info, (), (), (look_at(Frame(camera, 0, 0, pixels, TimeBasis.COUNT), reader),))
    with open_source(where, camera=camera) as source:
        return see(source, reader)
