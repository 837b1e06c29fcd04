"""Who is followed in which camera: hands by the table's, faces by those that look at players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from kemps_rules.events import Event, Json
from kemps_server.errors import KempsServerError
from kemps_vision.frame import Frame, FrameSource
from kemps_vision.hearing.callers import MouthLog, opening_of
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.people.landmarks import Box
from kemps_vision.people.table_watch import TableWatch
from kemps_vision.people.tasks import FaceReader, HandReader
from kemps_vision.people.usual import Usual
from kemps_vision.zones import CameraZones, TableConfig, TableZones

FOLLOWED_NOTE: Final = (
    "hands and faces are followed; spans and names of gestures are kept, no pictures of faces"
)


@dataclass(frozen=True, slots=True)
class OtherCamera:
    """A camera beside the table's, and by how many ms its times are ahead."""

    name: str
    source: FrameSource
    ahead_ms: int = 0


@dataclass(slots=True)
class PeopleWatch:
    """All that follows people, and the cameras beside the table's that it needs.

    Attributes:
        hands: Follows the hands in the table camera's pictures.
        faces: Follows faces, by the name of their camera.
        others: Those cameras.
        consent: Who agreed to be followed, in words, for the game's header.
        mouths: How far each seat's mouth was open, for whoever asks who called.
    """

    hands: TableWatch
    faces: Mapping[str, FaceWatch] = field(default_factory=dict)
    others: Sequence[OtherCamera] = ()
    consent: str = ""
    mouths: MouthLog = field(default_factory=MouthLog)

    def noted(self, header: Sequence[Event]) -> list[Event]:
        """The header with a note that people are followed, what is kept, and who agreed to it."""
        note: dict[str, Json] = {"people": FOLLOWED_NOTE}
        if self.consent:
            note["consent"] = self.consent
        return [replace(event, extra={**event.extra, **note}) for event in header]

    def see_table(self, frame: Frame, zones: TableZones, usual: Usual | None = None) -> list[Event]:
        """The events that a frame of the table camera makes known; ``usual`` as ``TableWatch`` takes it."""
        return self.hands.step(frame.at_ms, frame.pixels, zones, usual)

    def see_faces(self, frame: Frame) -> list[Event]:
        """The events that a frame of another camera makes known."""
        watch = self.faces.get(frame.camera)
        if watch is None:
            return []
        before = watch.faces
        events = watch.step(frame.at_ms, frame.pixels)
        for seat, face in watch.faces.items():
            if before.get(seat) is not face:  # else it was not looked at in this frame
                self.mouths.note(seat, frame.at_ms, opening_of(face))
        return events

    def finish(self) -> list[Event]:
        """What was still going on."""
        told = self.hands.finish()
        for watch in self.faces.values():
            told += watch.finish()
        return sorted(told, key=lambda event: event.at_ms)


def people_watch(
    table: TableConfig, others: Sequence[tuple[CameraZones, FrameSource]] = (), *, consent: str = ""
) -> PeopleWatch:
    """Landmarkers for a table; ``others`` are its face cameras, opened.

    Raises:
        KempsServerError: A face camera has no seat whose face it looks at.
        ConfigError: The boxes belong to pictures of another shape.
        WeightsError: The landmarkers were not fetched yet.
    """
    faces = {}
    for camera, source in others:
        boxes = table.face_boxes(camera, source.info.width, source.info.height)
        if not boxes:
            raise KempsServerError(
                f"camera {camera.name!r} looks at faces, but no seat says where its face is in it; "
                f'give it as face = {{ camera = "{camera.name}", box = [x, y, width, height] }}'
            )
        placed = {seat: Box(*box) for seat, box in boxes.items()}
        faces[camera.name] = FaceWatch(
            placed,
            lambda: FaceReader(is_video=True),
            hands=HandReader(is_video=True, most=2 * len(placed)),
            camera=camera.name,
        )
    zero_ms = table.table_camera.offset_ms
    cameras = [OtherCamera(camera.name, source, camera.offset_ms - zero_ms) for camera, source in others]
    mouths = MouthLog(table.seat_names)
    return PeopleWatch(TableWatch(HandReader(is_video=True)), faces, cameras, consent, mouths)
