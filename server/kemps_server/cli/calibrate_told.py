"""What ``kemps calibrate`` says of a table: lines for people, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from kemps_server.calibrating import Calibration
from kemps_server.cli.doctor import finding_lines
from kemps_server.doctoring.advice import advise
from kemps_server.doctoring.card_sizes import size_table
from kemps_server.doctoring.findings import Finding, Level
from kemps_server.doctoring.looks import Sighting
from kemps_server.doctoring.measures import measure
from kemps_server.doctoring.zones import check_places
from kemps_vision.zones import TableConfig


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A calibration that was written, the configuration it makes, the sighting it comes from, and clocks."""

    found: Calibration
    config: TableConfig
    sighting: Sighting
    out: Path
    skews: Sequence[Finding] = ()

    @property
    def findings(self) -> list[Finding]:
        """What the doctor says of the pictures, and what is not sure."""
        info = self.sighting.info
        measures = measure(self.sighting, self.config.zones(info.width, info.height))
        findings = advise(measures, size_table())
        findings += check_places(self.config, self.found.table.plane, (info.width, info.height), size_table())
        findings += self.skews
        return findings + [Finding(Level.NOTE, "found", note) for note in self.found.table.notes]

    def show(self, picture: Path | None, *, as_json: bool) -> None:
        """Prints it, for people or as one JSON object; ``picture`` is what was drawn."""
        if as_json:
            print(json.dumps(self.as_json_object(picture), ensure_ascii=False))  # noqa: T201 - the answer
            return
        console = Console(highlight=False, soft_wrap=True)
        for line in self.lines():
            console.print(line)
        for finding in self.findings:
            for text in finding_lines(finding):
                console.print(text)
        console.print(f"written: {self.out}" + (f", drawn: {picture}" if picture else ""))

    def lines(self) -> list[str]:
        """What was found, a line each."""
        table = self.found.table
        seats = [f"{place.seat} {'seen' if place.is_seen else 'not seen'}" for place in table.seats]
        cards = f"{len(table.cards)} cards of {table.card_px:.0f} px" if table.cards else "as it was given"
        lines = [
            f"centre: {cards}, camera tilted by {table.plane.tilt_deg:.0f} degrees",
            f"seats, clockwise: {', '.join(seats)}",
        ]
        for camera in self.found.faces:
            whose = [f"{face.seat or '?'}{'' if face.is_sure else ' (a guess)'}" for face in camera.faces]
            lines.append(f"camera {camera.name}: faces of {', '.join(whose) or 'nobody'}")
        if self.found.kept:
            lines.append(f"kept as written: {', '.join(self.found.kept)}")
        if self.found.moved_px is not None:
            lines.append(f"the camera has moved by {self.found.moved_px:.0f} px since it was last calibrated")
        return lines

    def as_json_object(self, picture: Path | None) -> dict[str, Any]:
        """All that was found, for programs."""
        table = self.found.table
        info = self.sighting.info
        return {
            "out": str(self.out),
            "picture": None if picture is None else str(picture),
            "size": [info.width, info.height],
            "centre": [[round(x, 1), round(y, 1)] for x, y in table.centre],
            "cards": len(table.cards),
            "card_px": round(table.card_px, 1),
            "tilt_deg": round(table.plane.tilt_deg, 1),
            "fit": round(table.plane.off_share, 4) if table.cards else None,
            "seats": [
                {
                    "id": place.seat,
                    "name": self.config.seat_names[place.seat],
                    "at": [round(place.at[0], 1), round(place.at[1], 1)],
                    "seen": place.is_seen,
                }
                for place in table.seats
            ],
            "faces": [
                {
                    "camera": camera.name,
                    "seat": face.seat,
                    "box": [
                        round(value)
                        for value in (face.box.left, face.box.top, face.box.width, face.box.height)
                    ],
                    "sure": face.is_sure,
                }
                for camera in self.found.faces
                for face in camera.faces
            ],
            "kept": list(self.found.kept),
            "moved_px": None if self.found.moved_px is None else round(self.found.moved_px, 1),
            "notes": list(table.notes),
            "findings": [finding.as_json() for finding in self.findings],
        }
