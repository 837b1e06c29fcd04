"""A house's own words: takes in a recording, what is learnt of them, where it is kept, and hearing them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.house import House, load_house
from kemps_vision.errors import EnrolmentError, ReaderError
from kemps_vision.hearing.detector import calls_in
from kemps_vision.hearing.enrolling import enrolled
from kemps_vision.hearing.features import BANDS, RATE, Sound
from kemps_vision.hearing.house_listener import HouseListener, house_listener
from kemps_vision.hearing.house_words import HouseWord, WordStore
from kemps_vision.hearing.likeness import Likeness, Marks
from kemps_vision.hearing.listener import STRIDE, Listener
from kemps_vision.hearing.takes import enough, takes_in

from .conftest import ToneListener, tones


class ToneLikeness:
    """Marks that are the colour of the sound that begins at a place: a word is a tone of its own."""

    reach, past, hours, uncertainty_ms, checksum = 60, 20, 0.5, 50, "of tones"

    def marks(self, rows: NDArray[np.float32]) -> Marks:
        places = max(0, (len(rows) - self.reach) // STRIDE + 1)
        marks = np.zeros((places, BANDS), np.float32)
        for place in range(places):
            at = self.past + STRIDE * place
            rise = rows[at + 2 : at + 12].min(axis=0) - rows[at - 12 : at - 1].mean(axis=0)
            marks[place] = np.maximum(0, rise - 0.5 * rise.max())
        return np.asarray(marks / np.maximum(0.5, np.linalg.norm(marks, axis=1, keepdims=True)), np.float32)

    @property
    def nothing(self) -> Marks:
        return np.zeros(BANDS, np.float32)

    @property
    def background(self) -> Marks:
        marks = np.abs(np.random.default_rng(1).normal(size=(400, BANDS))).astype(np.float32)
        return np.asarray(marks / np.linalg.norm(marks, axis=1, keepdims=True), np.float32)


LIKENESS = cast("Likeness", ToneLikeness())


def said(*words: str, loud: float = 0.3, seconds: float = 1.5) -> Sound:
    """Each word once, a pause apart, in the hiss of a room."""
    sound = tones(seconds * len(words), [(word, seconds * at + 0.6) for at, word in enumerate(words)], loud)
    noise = np.random.default_rng(2).normal(size=len(sound)) * 1e-4
    return np.asarray(sound + noise, np.float32)


def hiss() -> Sound:
    return np.asarray(np.random.default_rng(3).normal(size=3 * RATE) * 0.1, np.float32)


def learnt(word: str = "two", text: str = "Canes", player: str = "Anna") -> HouseWord:
    return enrolled(text, takes_in(said(word, word, word), "a.wav"), player, LIKENESS).word


def test_takes_are_found_where_they_begin() -> None:
    takes = takes_in(said("kemps", "kemps", "kemps"), "a.wav")
    assert len(takes) == 3
    for take in takes:
        loud = np.flatnonzero(np.abs(take.sound) > 0.01)[0]
        assert abs(take.onset - loud) <= 0.015 * RATE
        assert 0.25 * RATE <= take.end - take.onset <= 0.4 * RATE


@pytest.mark.parametrize(
    ("sound", "what"),
    [
        (said("kemps", loud=0.005), "nothing loud enough"),
        (np.zeros(0, np.float32), "nothing loud enough"),
        (hiss(), "stands out|hardly louder"),
        (np.clip(said("kemps", "kemps") * 40, -1, 1), "overdriven"),
        (np.concatenate([said("kemps")[:9600], *[tones(0.3, [("kemps", 0.0)])] * 7, said("kemps")]), "lasts"),
    ],
)  # fmt: skip
def test_what_spoils_a_take_is_said(sound: Sound, what: str) -> None:
    with pytest.raises(EnrolmentError, match=what):
        takes_in(sound, "a.wav")


def test_too_few_takes_are_said() -> None:
    with pytest.raises(EnrolmentError, match="heard 2 times, but is needed 3 times"):
        enough(takes_in(said("kemps", "kemps"), "a.wav"), 3, "Canes")


def test_a_word_is_learnt_and_heard_in_its_own_takes() -> None:
    got = enrolled("Canes", takes_in(said("two", "two", "two"), "a.wav"), "Anna", LIKENESS)
    assert got.stands_out
    assert got.trials == 9
    assert got.word.players == ("Anna",)
    assert 0.3 <= got.word.least < 1


def test_a_take_of_another_word_is_named() -> None:
    with pytest.raises(EnrolmentError, match="take 3 of 'Canes' sounds unlike"):
        enrolled("Canes", takes_in(said("two", "two", "kemps"), "a.wav"), "Anna", LIKENESS)


def test_a_word_like_one_of_the_other_call_is_refused() -> None:
    other = learnt("two", "Cut")
    with pytest.raises(EnrolmentError, match="too much like 'Cut'"):
        enrolled("Canes", takes_in(said("two", "two", "two"), "a.wav"), "Anna", LIKENESS, others=[other])


def test_a_second_player_is_added_and_the_first_replaced_only_by_herself() -> None:
    first = learnt()
    takes = takes_in(said("two", "two", "two"), "a.wav")
    both = enrolled("Canes", takes, "Boris", LIKENESS, before=first).word
    assert both.players == ("Anna", "Boris")
    assert enrolled("Canes", takes, "Anna", LIKENESS, before=both).word.players == ("Anna", "Boris")


def test_a_house_word_is_heard_as_its_call_beside_the_others() -> None:
    listener = HouseListener(cast("Listener", Plain()), LIKENESS, [("kemps", learnt("two"))])
    heard = calls_in(tones(5.0, [("two", 1.0), ("stop", 3.0)]), listener)
    assert [one.call for one in heard] == ["kemps", "stop"]
    assert abs(heard[0].at_ms - 1000) <= 60
    assert {one.uncertainty_ms for one in heard} == {50}


class Plain(ToneListener):
    """Hears nothing in the third tone, which is the house's word here."""

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        heat = super().heat(rows)
        heat[2] = 0
        return heat


def test_what_is_kept_is_read_again_and_holds_no_sound(tmp_path: Path) -> None:
    store, word = WordStore(tmp_path / "words"), learnt()
    assert not store.has_words()
    path = store.save(word)
    (again,) = store.words("of tones")
    assert (again.text, again.players, again.least) == (word.text, word.players, word.least)
    assert np.allclose(again.marks, word.marks)
    assert path.stat().st_size < 3000
    store.remove("canes")
    assert store.load("Canes") is None


def test_what_cannot_be_used_is_said_with_what_to_do(tmp_path: Path) -> None:
    store = WordStore(tmp_path)
    with pytest.raises(ReaderError, match="nobody has said 'Cut' here; there are: none"):
        store.remove("Cut")
    with pytest.raises(ReaderError, match="up to 40 letters"):
        store.load("?")
    path = store.save(learnt())
    with pytest.raises(ReaderError, match="earlier network; let it be said again"):
        store.words("another")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ReaderError, match="damaged"):
        store.words("of tones")


def test_a_house_without_learnt_words_is_heard_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tone_listener: Listener
) -> None:
    house: House = load_house("leaflet")
    assert house_listener(house, tmp_path, tone_listener) is tone_listener
    monkeypatch.setattr("kemps_vision.hearing.house_listener.shipped_likeness", lambda: LIKENESS)
    WordStore(tmp_path).save(replace(learnt(), text="Banana"))
    assert house_listener(house, tmp_path, tone_listener) is tone_listener
    WordStore(tmp_path).save(learnt())
    assert isinstance(house_listener(house, tmp_path, tone_listener), HouseListener)
