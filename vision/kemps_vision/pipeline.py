"""The short loop: a frame in, events out.

::

    for frame in source:
        for event in observer.step(frame):
            journal.append(event)
    for event in observer.finish():
        journal.append(event)

Each watched frame is compared with the cards' looks (``tracking``); now and then a reader reads the
centre, and after a call what has changed round it (``schedule``); ``interpret`` tells what it means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.events import Called, CardPassed, Event, GameOpened, NotObserved, UnknownEvent
from kemps_rules.house import House, load_house
from kemps_vision.attention import Attention
from kemps_vision.calibration.drift import CameraDrift
from kemps_vision.calibration.events import events_of
from kemps_vision.calibration.record import CameraRecord
from kemps_vision.cards.alphabets import ANY, INTERNATIONAL
from kemps_vision.cards.reader import OnnxCardReader
from kemps_vision.cards.reading import CardReader, Reading
from kemps_vision.centre_finding import find_centre
from kemps_vision.changes import Change
from kemps_vision.frame import Frame, FrameSource, Image, SourceInfo
from kemps_vision.interpret.passing import PassWatch
from kemps_vision.interpret.play import Play
from kemps_vision.interpret.reaching import Hand, Reaches
from kemps_vision.interpret.story import Story
from kemps_vision.naming import copies_of
from kemps_vision.people.usual import Usual
from kemps_vision.schedule import Box, ChangedPart, Schedule, box_of, frame_step, has_moved
from kemps_vision.spots import Spot
from kemps_vision.tracking import Tracker
from kemps_vision.zones import TableConfig, TableZones

CENTRE_PATIENCE_MS: Final = 3000  # three cards make a centre when a fourth has not come by then


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What is seen in a frame, for pictures and progress; quads in px of the frame."""

    frame: Frame
    zones: TableZones
    spots: tuple[Spot, ...]
    reading: Reading | None = None
    region: Box | None = None  # where was read in this frame, the last part if there were more


class Observer:
    """Watches one table camera; deterministic: the same frames and settings give the same events.

    ``stood`` is how the camera stood when it was calibrated: a move since then is told, and zones follow.
    """

    def __init__(
        self,
        info: SourceInfo,
        reader: CardReader,
        config: TableConfig | None = None,
        *,
        calls: Sequence[Called] = (),
        schedule: Schedule | None = None,
        camera: str = "table",
        stood: CameraRecord | None = None,
    ) -> None:
        self._info = info
        self._reader = reader
        self._config = config or TableConfig()
        self._house = load_house(self._config.rules)
        self._schedule = schedule or Schedule()
        self._camera = camera
        self._calls = sorted(calls, key=lambda call: call.at_ms)
        self._step = frame_step(info.fps)
        self.zones = self._config.zones(info.width, info.height)
        copies = copies_of(self._house.cards, self._house.copies)
        signs = reader.signs if isinstance(reader, OnnxCardReader) else None
        self.tracker = Tracker(lie_apart=self._is_in_centre, copies=copies, signs=signs)
        self.usual = Usual()
        self._reaches = Reaches(self.zones)
        self._passes = PassWatch(self.zones, self._reaches.has_reached)
        self._play = Play()
        self._story = Story(
            self.zones,
            tuple(self._config.seat_names),
            frame_ms=1000 * self._step / info.fps,
            camera=camera,
            hands=self._reaches,
        )
        anchors = None if stood is None else stood.anchors_for(info.width, info.height)
        self._drift = CameraDrift((info.width, info.height), anchors)
        self._held: list[Change] = []
        self._card_length_px: float | None = None
        self._measured = 0  # settled cards whose lengths it is the median of
        self._changed = ChangedPart()
        self._attention = Attention(info.width, info.height)
        self._seen = 0
        self._watched = 0
        self._reads = 0
        self._reads_beside = 0
        self._reads_new = 0
        self._before: Image | None = None
        self._moved_at = 0
        self._last_ms = 0
        self._lost_told = 0
        self._alphabet_told = INTERNATIONAL
        self.is_watched = False  # whether the last frame was looked at: of fast cameras only some are
        self.snapshot: Snapshot | None = None

    def open(self) -> list[Event]:
        """The journal's header."""
        return [_header(self._config, self._house)]

    def add_call(self, call: Called) -> None:
        """A call that has just been made; it is told with the next watched frame."""
        self._calls = sorted([*self._calls, call], key=lambda one: one.at_ms)

    @property
    def call(self) -> Called | None:
        """The call that ended swapping in this deal, after which hands are looked for; None without one."""
        return self._story.call

    def withdraw_call(self, call: Called) -> None:
        """A call that was told or is to be told was none: it is forgotten, and the picture kept for it."""
        if call in self._calls:
            self._calls.remove(call)
            return
        self._story.withdraw(call)
        if self._story.call is None:
            self._changed = ChangedPart()

    @property
    def watches_next(self) -> bool:
        """Whether the next frame will be looked at: of fast cameras only some are."""
        return self._seen % self._step == 0

    def step(self, frame: Frame) -> list[Event]:
        """The events that this frame makes known."""
        self._last_ms = frame.at_ms
        is_watched = self.watches_next
        self._seen += 1
        self.is_watched = is_watched
        if not is_watched:
            return []
        pixels, at_ms = frame.pixels, frame.at_ms
        moved = self._follow_camera(pixels, at_ms)
        differs, scale = self.usual.differing(at_ms, pixels)
        self._reaches.watch(at_ms, differs, scale)
        self.tracker.watch(pixels, at_ms)
        self._attention.watch(pixels)
        region, reading = None, None
        for region, size in self._parts_to_read(pixels):
            reading = self._read(pixels, region, at_ms, size)
        self._watched += 1
        self._before = pixels
        changes = self._held + self.tracker.take_changes()
        self._held = []
        if self.zones.centre is None and not self._find_centre(at_ms):
            changes, self._held = [], changes
        calls = [call for call in self._calls if call.at_ms <= at_ms]
        self._calls = self._calls[len(calls) :]
        if calls and self._story.call is None:
            self._changed.remember(pixels)
        events = moved + self._tell_alphabet(at_ms)
        events += self._story.step(at_ms, changes, calls, self.tracker.spots)
        for spot in self._story.surplus(at_ms, self.tracker.spots):
            self.tracker.let_go(spot, at_ms)
        self._play.see(at_ms, events, is_on=self._story.is_playing)
        if self._card_length_px is not None:
            passed = self._passes.step(at_ms, self.usual, differs, scale, self._card_length_px)
            events += self._while_playing(passed)
        self.snapshot = Snapshot(frame, self.zones, tuple(self.tracker.spots), reading, region)
        return events

    def see_hands(self, at_ms: int, hands: Iterable[Hand]) -> None:
        """The hands found in the frame watched last: how likely each seat's, and the finger tips."""
        self._reaches.see_hands(at_ms, hands)

    def see_skin(self, hands: Iterable[NDArray[np.float64]]) -> None:
        """Points (n, 2) on the skin of each hand found in the frame watched last, in px."""
        self._passes.see_hands(hands)

    def lost(self, spans: Sequence[tuple[int, int | None]]) -> list[Event]:
        """Spans in which the source sent nothing, each told once when it has ended."""
        new = [span for span in spans[self._lost_told :] if span[1] is not None]
        self._lost_told += len(new)
        return [NotObserved(at_ms=start, until_ms=end, camera=self._camera) for start, end in new]

    def finish(self) -> list[Event]:
        """What was held back, and calls that no watched frame has told."""
        passed = self._while_playing(self._passes.finish())
        return [*passed, *self._story.finish(self._last_ms), *self._calls]

    def _while_playing(self, passed: Sequence[CardPassed]) -> list[CardPassed]:
        """The passes while cards are swapped, but not in the centre: a dealer may give cards to anybody."""
        spans = [(one.at_ms - one.uncertainty_ms, one.at_ms + one.uncertainty_ms) for one in passed]
        during = [one for one, span in zip(passed, spans, strict=True) if self._play.was_on(*span)]
        return [one for one in during if not self._play.explains(one)]

    def _follow_camera(self, pixels: Image, at_ms: int) -> list[Event]:
        """What is known of the camera having been moved; zones and cards go with it."""
        change = self._drift.watch(at_ms, pixels)
        if change is None:
            return []
        if change.is_aligned and not change.is_back:
            self.zones = change.step.zones(self.zones)
            self._story.camera_moved(self.zones, change.step.moved)
            self._reaches.set_zones(self.zones)
            self._passes.set_zones(self.zones)
            for spot in self.tracker.spots:
                spot.camera_moved(change.step.moved)
        return events_of(change, self._camera)

    @property
    def _alphabet(self) -> str | None:
        """The alphabet of the deck, given or settled by the cards of the game so far."""
        given = self._config.alphabet
        return self.tracker.letters.alphabet if given == ANY else given

    def _tell_alphabet(self, at_ms: int) -> list[Event]:
        """That the deck has other letters than the international ones, once that is known."""
        known = self._alphabet or INTERNATIONAL
        if known == self._alphabet_told:
            return []
        self._alphabet_told = known
        return [UnknownEvent(kind="alphabet_settled", at_ms=at_ms, fields={"alphabet": known})]

    # -- reading ----------------------------------------------------------------------------------

    def _parts_to_read(self, pixels: Image) -> list[tuple[Box, float]]:
        """What is read in this frame, and at which of the schedule's sizes."""
        every, n = self._schedule, self._watched
        centre = self._centre_box()
        if self._card_length_px is None:
            part = self._whole if centre is None or n % every.table == 0 else centre
            return [(part, 1.0)] if n % every.search == 0 else []
        parts: list[tuple[Box, float]] = []
        if centre is not None and self._is_centre_due(pixels, centre):
            parts.append((centre, self._next_size(self._reads)))
            self._reads += 1
        # In turn with the centre, so that no frame takes all the work.
        if n % every.beside == every.beside - 1:
            boxes = self._parts_beside(pixels, centre)
            size = self._next_size(self._reads_beside)
            self._reads_beside += bool(boxes)
            parts += [(box, size) for box in boxes]
        else:
            size = self._next_size(self._reads_new)
            boxes = self._attention.around(self._new_cards(), self._margin)
            self._reads_new += bool(boxes)
            parts += [(box, size) for box in boxes]
        return parts

    def _new_cards(self) -> list[NDArray[np.float64]]:
        """The corners of cards that may have a name soon; those that stay unread are not hurried.

        Nor are those in the centre: a hand is to leave the card before it is told who laid it.
        """
        return [
            spot.quad
            for spot in self.tracker.spots
            if not spot.is_settled
            and spot.reads < self._schedule.hurried
            and not self._is_in_centre(spot.centre)
        ]

    @property
    def _margin(self) -> float:
        """Px round what is read beside the centre."""
        return (self._card_length_px or 100.0) * 0.5

    def _parts_beside(self, pixels: Image, centre: Box | None) -> list[Box]:
        margin = self._margin
        if self._watched % self._schedule.table < self._schedule.beside:
            return [self._whole]
        unnamed = [
            spot.quad
            for spot in self.tracker.spots
            if not spot.is_settled and not self._is_in_centre(spot.centre)
        ]
        changed = self._changed.box(pixels, centre, margin) if self._story.call is not None else None
        boxes = self._attention.parts(unnamed, margin, centre)
        return boxes if changed is None else [*boxes, changed]

    def _is_centre_due(self, pixels: Image, centre: Box) -> bool:
        every, n = self._schedule, self._watched
        if has_moved(pixels, self._before, centre):
            self._moved_at = n
        is_busy = n - self._moved_at <= every.calm or any(
            not spot.is_settled or not spot.is_clear
            for spot in self.tracker.spots
            if self._is_in_centre(spot.centre)
        )
        return n % (every.busy if is_busy else every.calm) == 0

    def _next_size(self, reads: int) -> float:
        return self._schedule.sizes[reads % len(self._schedule.sizes)]

    @property
    def _whole(self) -> Box:
        return (0, 0, self._info.width, self._info.height)

    def _read(self, pixels: Image, region: Box, at_ms: int, size: float) -> Reading:
        left, top, right, bottom = region
        part = np.ascontiguousarray(pixels[top:bottom, left:right])
        length_px = None if self._card_length_px is None else self._card_length_px * size
        reading = self._reader.read(part, card_length_px=length_px, alphabet=self._alphabet)
        self.tracker.read(reading, region, pixels, at_ms, size=size)
        self._attention.looked(region)
        self._learn_card_length(reading)
        return reading

    def _learn_card_length(self, reading: Reading) -> None:
        """From two cards read at once, and better from the first four that are settled."""
        settled = [spot.length_px for spot in self.tracker.settled]
        if self._card_length_px is None and len(reading.known) >= 2:
            self._card_length_px = reading.card_length_px
        elif len(settled) > self._measured and self._measured < 4:
            self._measured = len(settled)
            self._card_length_px = float(np.median(settled))
        else:
            return
        if self._card_length_px is not None:
            self.tracker.set_card_length(self._card_length_px)

    def _centre_box(self) -> Box | None:
        if self.zones.centre is None:
            return None
        margin = (self._card_length_px or 80.0) * 0.4
        return box_of(np.asarray(self.zones.centre), margin, self._info.width, self._info.height)

    def _is_in_centre(self, point: NDArray[np.float64]) -> bool:
        return self._story.is_centre(point)

    def _find_centre(self, at_ms: int) -> bool:
        settled = self.tracker.settled
        first_ms = min((spot.settled_ms for spot in settled), default=at_ms)
        if len(settled) < 3 or (len(settled) < 4 and at_ms - first_ms < CENTRE_PATIENCE_MS):
            return False
        centre = find_centre([spot.quad for spot in settled], (self._info.width, self._info.height))
        if centre is None:
            return False
        self.zones = self.zones.with_centre(centre)
        self._story.set_zones(self.zones)
        self._reaches.set_zones(self.zones)
        self._passes.set_zones(self.zones)
        return True


def observe(
    source: FrameSource,
    reader: CardReader,
    config: TableConfig | None = None,
    *,
    calls: Iterable[Called] = (),
) -> Iterator[Event]:
    """All events of a source, in the order of knowledge; the header first.

    Raises:
        ConfigError: The zones do not fit the pictures.
        HouseError: The configuration names rules that do not exist.
        SourceError: A camera vanished for good.
    """
    observer = Observer(source.info, reader, config, calls=tuple(calls))
    yield from observer.open()
    for frame in source:
        yield from observer.step(frame)
        yield from observer.lost(source.lost_spans)
    yield from observer.finish()


def _header(config: TableConfig, house: House) -> GameOpened:
    rules = Path(config.rules).stem if config.rules.endswith(".toml") else config.rules
    return GameOpened(at_ms=0, rules=rules, seats=config.seat_names, house=house.switches())
