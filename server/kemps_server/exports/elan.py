"""A game as an ELAN document (EAF 3.0): tiers a person can put their own coding beside.

The format is that of the schema ``http://www.mpi.nl/tools/elan/EAFv3.0.xsd``. Annotations on one tier may not
overlap; what would goes to a second tier of the same name with a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Final
from xml.etree import ElementTree as ET

from kemps_rules.events import GameOpened
from kemps_server.exports.material import Recording
from kemps_server.exports.rows import EventRow

SHORTEST_MS: Final = 100  # an annotation needs a length
TABLE: Final = "table"
_SCHEMA: Final = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_TYPE: Final = "observed"
_NO_DATE: Final = "1970-01-01T00:00:00Z"
_LANES: Final = {
    "gesture": "gestures",
    "hand_reached": "reaches",
    "card_touched": "cards",
    "card_taken": "cards",
    "card_laid": "cards",
    "card_passed": "cards",
    "hand_hidden": "hidden",
    "packet_hidden": "hidden",
    "hands_touched": "contacts",
    "called": "calls",
    "hand_shown": "calls",
    "show_refused": "calls",
}
_BARE: Final = frozenset({"gesture", "called", "hands_touched"})  # the tier says the rest


@dataclass(frozen=True, slots=True)
class _Note:
    start_ms: int
    end_ms: int
    text: str


def elan_of(rows: Iterable[EventRow], header: GameOpened, recording: Recording | None) -> bytes:
    """A document with a tier for each seat and kind of act; what a person took out is left out.

    Args:
        rows: The events in the order of time.
        header: The journal's; it names the players.
        recording: Is linked when it is known.
    """
    root = ET.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": "kemps",
            "DATE": _printable(header.opened_at or _NO_DATE),
            "FORMAT": "3.0",
            "VERSION": "3.0",
            f"{{{_XSI}}}noNamespaceSchemaLocation": _SCHEMA,
        },
    )
    head = ET.SubElement(root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"})
    if recording is not None:
        media = {
            "MEDIA_URL": _printable(recording.path.absolute().as_uri()),
            "MIME_TYPE": guess_type(recording.path.name)[0] or "unknown",
        }
        ET.SubElement(head, "MEDIA_DESCRIPTOR", media)
    _add_tiers(root, dict(_tiers(rows)), header)
    ET.SubElement(
        root,
        "LINGUISTIC_TYPE",
        {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": _TYPE, "TIME_ALIGNABLE": "true"},
    )
    ET.register_namespace("xsi", _XSI)
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _tiers(rows: Iterable[EventRow]) -> Iterator[tuple[str, list[_Note]]]:
    """Each tier's name with its annotations, none of which overlap."""
    lanes: defaultdict[str, list[EventRow]] = defaultdict(list)
    for row in rows:
        if not row.is_retracted:
            lanes[f"{row.seat or TABLE} {_LANES.get(row.kind, 'events')}"].append(row)
    for lane in sorted(lanes):
        tracks: list[list[_Note]] = []
        for row in lanes[lane]:
            note = _Note(row.at_ms, max(row.until_ms, row.at_ms + SHORTEST_MS), _text(row))
            free = next((track for track in tracks if track[-1].end_ms <= note.start_ms), None)
            if free is None:
                tracks.append(free := [])
            free.append(note)
        for number, track in enumerate(tracks, 1):
            yield (lane if number == 1 else f"{lane} {number}"), track


def _text(row: EventRow) -> str:
    words = [row.value or row.kind] if row.kind in _BARE else [row.kind, row.cards, row.value]
    with_whom = f"({row.other})" if row.other else None
    return " ".join(word for word in [*words, with_whom] if word)


def _add_tiers(root: ET.Element, tiers: Mapping[str, list[_Note]], header: GameOpened) -> None:
    order = ET.SubElement(root, "TIME_ORDER")
    ends: list[tuple[int, str]] = []  # each annotation has slots of its own: one that is moved moves no other
    for name, notes in tiers.items():
        player = _printable(header.seats.get(name.split(" ", 1)[0], ""))
        named = {"PARTICIPANT": player} if player else {}
        tier = ET.SubElement(
            root, "TIER", {"LINGUISTIC_TYPE_REF": _TYPE, "TIER_ID": _printable(name), **named}
        )
        for note in notes:
            number = len(ends) // 2 + 1
            slots = (f"ts{2 * number - 1}", f"ts{2 * number}")
            ends += zip((note.start_ms, note.end_ms), slots, strict=True)
            span = {
                "ANNOTATION_ID": f"a{number}",
                "TIME_SLOT_REF1": slots[0],
                "TIME_SLOT_REF2": slots[1],
            }
            place = ET.SubElement(ET.SubElement(tier, "ANNOTATION"), "ALIGNABLE_ANNOTATION", span)
            ET.SubElement(place, "ANNOTATION_VALUE").text = _printable(note.text)
    for at_ms, slot in sorted(ends, key=lambda end: end[0]):
        ET.SubElement(order, "TIME_SLOT", {"TIME_SLOT_ID": slot, "TIME_VALUE": str(at_ms)})


def _printable(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(sign for sign in text if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff"))
