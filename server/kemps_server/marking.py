"""A watched recording once more, with what was seen and told drawn on it: video, picture and strip."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from kemps_server.page.story import StepLook, Story, VerdictLook
from kemps_server.page.words import Words
from kemps_vision.cards.reading import CardReading, Reading
from kemps_vision.draw.layout import LabelPlacer
from kemps_vision.draw.reading import draw_reading
from kemps_vision.draw.table import Banner, Places, draw_table
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Frame, FrameSource, Image
from kemps_vision.pipeline import Snapshot
from kemps_vision.spots import SEEN, Spot

VIDEO_PX: Final = 960
_ALPHABET: Final = "international"


@dataclass(slots=True)
class Album:
    """The cards seen at each watched moment; ``see`` is made to be ``watch``'s ``on_frame``."""

    times: list[int] = field(default_factory=list)
    marks: list[tuple[CardReading, ...]] = field(default_factory=list)
    snapshot: Snapshot | None = None

    def see(self, frame: Frame, snapshot: Snapshot | None) -> None:
        """Remember which cards lie where now."""
        if snapshot is None:
            return
        self.snapshot = snapshot
        self.times.append(frame.at_ms)
        self.marks.append(marks_of(snapshot))

    def reading(self, at_ms: int) -> Reading:
        """The cards as they were seen last at a time."""
        place = bisect_right(self.times, at_ms) - 1
        cards = self.marks[place] if place >= 0 else ()
        unread = sum(card.card is None for card in cards)
        return Reading(cards, unread=unread, face_down=0, alphabet=_ALPHABET, ms=0.0)

    def first_with(self, cards: Collection[str], from_ms: int) -> int | None:
        """When all these cards were first seen together, from a time on; None when they never were."""
        start = bisect_left(self.times, from_ms)
        wanted = set(cards)
        for at_ms, marks in zip(self.times[start:], self.marks[start:], strict=True):
            if wanted <= {str(mark.card) for mark in marks}:
                return at_ms
        return None

    def places(self, names: dict[str, str]) -> Places:
        """Centre and seats, as far as they are known, with the players' names."""
        zones = None if self.snapshot is None else self.snapshot.zones
        if zones is None:
            return Places()
        seats = {seat: (names.get(seat, seat), at) for seat, at in zones.seats.items()}
        return Places(centre=zones.centre, seats=seats)


@dataclass(frozen=True, slots=True)
class Captions:
    """What to say at each time of a game: the last event, and the verdict once its evidence is there."""

    story: Story
    words: Words

    def at(self, at_ms: int) -> Banner:
        """The banner for a time."""
        step = self.step_at(at_ms)
        verdict = self._verdict_at(at_ms, step)
        return Banner(
            at_ms=at_ms,
            event=self.tell(step) if step is not None else "",
            verdict=self.short(verdict) if verdict is not None else "",
            ruling=verdict.ruling if verdict is not None else "",
        )

    def step_at(self, at_ms: int) -> StepLook | None:
        """The last event at a time."""
        place = bisect_right(self.story.steps, at_ms, key=lambda step: step.at_ms) - 1
        return self.story.steps[place] if place >= 0 else None

    def tell(self, step: StepLook) -> str:
        """The sentence of an event."""
        text = self.words.say(step.text)
        return text[:1].upper() + text[1:]

    def short(self, verdict: VerdictLook) -> str:
        """A verdict in few words: how it was ruled and who gets a letter."""
        ruling = self.words.say(f"ruling.{verdict.ruling}")
        if not verdict.letters_to:
            return ruling
        names = [
            seat.name
            for pair in dict.fromkeys(verdict.letters_to)
            for seat in self.story.seats
            if seat.pair == pair
        ]
        return f"{ruling} · {self.words.say('verdicts.letters_to', pairs=' & '.join(names))}"

    def _verdict_at(self, at_ms: int, step: StepLook | None) -> VerdictLook | None:
        if step is None:
            return None
        deal = next((deal for deal in self.story.deals if deal.number == step.deal), None)
        verdict = None if deal is None else deal.verdict
        return verdict if verdict is not None and at_ms >= ruled_at(self.story, verdict) else None


def ruled_at(story: Story, verdict: VerdictLook) -> int:
    """When the last hand was shown on which a verdict stands; the time of the call when none was."""
    seats = {shown.seat for shown in verdict.shown}
    shows = [
        step.at_ms
        for step in story.steps
        if step.kind == "hand_shown" and step.at_ms >= verdict.at_ms and seats & {*step.seats}
    ]
    return max(shows[: len(seats)], default=verdict.at_ms)


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A frame that was asked for: with its cards marked, and with the banner too, both in full size."""

    marked: Image
    told: Image


def mark_recording(
    source: FrameSource,
    album: Album,
    captions: Captions,
    path: Path,
    *,
    keep_ms: Collection[int] = (),
    on_frame: Callable[[Frame], None] | None = None,
) -> dict[int, Kept]:
    """Write the recording with everything drawn on it as a video, and give some of its frames.

    Args:
        source: The recording again, from its start.
        album: What was seen in it.
        captions: What to say when.
        path: Where the MP4 goes.
        keep_ms: Times to give a frame of: the first one at or after it, or the last of all.
        on_frame: Told of each frame, for progress.
    """
    places = album.places({seat.id: seat.name for seat in captions.story.seats})
    placer, waiting, kept = LabelPlacer(), sorted(keep_ms), dict[int, Kept]()
    last: Frame | None = None
    with VideoWriter(path, fps=source.info.fps) as video:
        for frame in source:
            banner, reading = captions.at(frame.at_ms), album.reading(frame.at_ms)
            drawn = draw_table(
                frame.pixels,
                banner=banner,
                reading=reading,
                places=places,
                placer=placer,
                longest_px=VIDEO_PX,
            )
            video.add(drawn, frame.at_ms)
            while waiting and waiting[0] <= frame.at_ms:
                kept[waiting.pop(0)] = _keep(frame, reading, banner, places)
            if on_frame is not None:
                on_frame(frame)
            last = frame
    if last is not None:
        reading, banner = album.reading(last.at_ms), captions.at(last.at_ms)
        kept |= {at_ms: _keep(last, reading, banner, places) for at_ms in waiting}
    return kept


def _keep(frame: Frame, reading: Reading, banner: Banner, places: Places) -> Kept:
    return Kept(
        marked=draw_reading(frame.pixels, reading),
        told=draw_table(frame.pixels, banner=banner, reading=reading, places=places),
    )


def marks_of(snapshot: Snapshot) -> tuple[CardReading, ...]:
    """The cards that are there, as they are marked on a picture."""
    return tuple(_mark(spot) for spot in snapshot.spots if _is_there(spot))


def _is_there(spot: Spot) -> bool:
    return spot.kept >= SEEN and (spot.is_settled or spot.reads > 0)


def _mark(spot: Spot) -> CardReading:
    """A card that voting has settled, or one that is still being read and is claimed as nothing yet."""
    return CardReading(
        card=spot.card if spot.is_settled else None,
        score=spot.confidence,
        quad=np.array(spot.quad, dtype=np.float64),
        log_p=np.array(spot.evidence, dtype=np.float64),
        indices=(),
    )
