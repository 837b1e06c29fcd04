"""A deck's letters are settled by the cards of a game, told once, and read from then on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kemps_models.alphabets import GLYPHS
from kemps_rules.cards import DECK_52
from kemps_rules.events import CentreTurned, Event, UnknownEvent
from kemps_vision.cards.reading import CardReader, CardReading, Pixels, Reading
from kemps_vision.pipeline import Observer
from kemps_vision.zones import TableConfig

if TYPE_CHECKING:
    from tests.vision.conftest import DrawnReader, DrawnTable

GERMAN = {"J": "B", "Q": "D", "K": "K", "A": "A", "T": "10"}


class GermanDeck:
    """Reads drawn cards as if German letters were printed on them; B and D only when told to be German."""

    def __init__(self, inner: DrawnReader) -> None:
        self.inner = inner
        self.asked: list[str | None] = []

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        self.asked.append(alphabet)
        reading = self.inner.read(pixels, card_length_px=card_length_px)
        return replace(reading, cards=tuple(self._printed(card, alphabet) for card in reading.cards))

    @staticmethod
    def _printed(card: CardReading, alphabet: str | None) -> CardReading:
        rank = card.card.rank if card.card is not None else "2"
        log_p = np.full(len(GLYPHS), -9.0)
        log_p[GLYPHS.index(GERMAN.get(rank, rank))] = -0.01
        suits = np.array([-0.01, -9.0, -9.0, -9.0])
        indices = tuple(
            replace(index, glyph_log_p=log_p, suit_log_p=suits, heat=0.99) for index in card.indices
        )
        if rank not in "JQ" or alphabet == "german":
            return replace(card, indices=indices)
        return replace(card, card=None, log_p=np.full(len(DECK_52), -np.log(len(DECK_52))), indices=indices)


def watched(table: DrawnTable, reader: CardReader, config: TableConfig) -> list[Event]:
    observer = Observer(table.source().info, reader, config)
    return [event for frame in table.frames() for event in observer.step(frame)] + observer.finish()


def told_alphabets(events: Sequence[Event]) -> list[object]:
    return [
        event.fields["alphabet"]
        for event in events
        if isinstance(event, UnknownEvent) and event.kind == "alphabet_settled"
    ]


def centre_cards(events: Sequence[Event]) -> list[str]:
    return sorted(str(card) for event in events if isinstance(event, CentreTurned) for card in event.cards)


def test_letters_of_several_cards_settle_the_alphabet_and_their_cards_are_read(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 3000
    drawn.centre("9c Qh Jd Ks")
    reader = GermanDeck(drawn_reader())
    events = watched(drawn, reader, TableConfig())
    assert told_alphabets(events) == ["german"]
    assert reader.asked[0] is None
    assert reader.asked[-1] == "german"
    assert centre_cards(events) == ["9c", "Jd", "Ks", "Qh"]


def test_one_card_alone_settles_nothing_and_stays_unread(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 4000
    drawn.centre("9c Qh 2d Ks")
    reader = GermanDeck(drawn_reader())
    events = watched(drawn, reader, TableConfig())
    assert told_alphabets(events) == []
    assert set(reader.asked) == {None}
    assert "Qh" not in centre_cards(events)


def test_an_alphabet_that_was_given_is_told_and_used_from_the_start(
    drawn: DrawnTable, drawn_reader: type[DrawnReader]
) -> None:
    drawn.duration_ms = 2000
    drawn.centre("9c Qh 2d Ks")
    reader = GermanDeck(drawn_reader())
    events = watched(drawn, reader, TableConfig(alphabet="german"))
    assert told_alphabets(events) == ["german"]
    assert set(reader.asked) == {"german"}
    assert centre_cards(events) == ["2d", "9c", "Ks", "Qh"]


def test_of_an_international_deck_nothing_is_told(drawn: DrawnTable, drawn_reader: type[DrawnReader]) -> None:
    drawn.duration_ms = 2000
    drawn.centre("9c Ah 2d Ks")
    assert told_alphabets(watched(drawn, GermanDeck(drawn_reader()), TableConfig())) == []
