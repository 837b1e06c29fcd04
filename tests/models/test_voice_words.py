"""The words, voices and sentences that hearing is trained with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from kemps_rules.house import House
from kemps_training.voice import words
from kemps_training.voice.talk import plain, sentence
from kemps_training.voice.voices import GROUPS, TEST, all_voices
from kemps_training.voice.words import CALLS, LANGUAGES, SPELLINGS, calls, near_words, phones


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_has_a_pronunciation_in_every_language(language: str) -> None:
    assert {word.call for word in calls(language)} == set(CALLS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phone_of_every_word_can_be_spelt_for_every_engine(language: str) -> None:
    for word in (*calls(language), *near_words(language)[:400]):
        for spelling in SPELLINGS:
            assert all(word.spelt(spelling))


def test_phones_have_one_spelling_for_each_engine() -> None:
    assert {len(row) for row in phones().values()} == {len(SPELLINGS)}


def test_thousands_of_words_are_near_a_call_and_none_is_one() -> None:
    words = near_words("en")
    assert len(words) > 3000
    said = {word.phones for language in LANGUAGES for word in calls(language)}
    assert not said & {word.phones for word in words}


def test_a_fifth_of_the_made_words_is_kept_from_training() -> None:
    made = [word for word in near_words("es") if not word.is_listed]
    share = sum(not word.is_known for word in made) / len(made)
    assert 0.15 < share < 0.25
    assert all(word.is_known for word in near_words("es") if word.is_listed)


def test_a_voice_is_in_one_group_and_two_engines_are_only_reported_on() -> None:
    voices = all_voices()
    assert len({voice.key for voice in voices}) == len(voices)
    engines = {group: {voice.engine for voice in voices if voice.group == group} for group in GROUPS}
    assert engines[TEST] - engines["train"] - engines["tune"] == {"pico", "piper"}


def test_one_person_with_two_engines_is_in_one_group() -> None:
    groups = {voice.key: voice.group for voice in all_voices()}
    assert groups["flite-slt"] == groups["festival-cmu_us_slt_arctic_hts"]
    assert groups["flite-kal16"] == groups["festival-kal_diphone"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_has_a_call_in_it(language: str) -> None:
    rng = np.random.default_rng(1)
    house = House.preset("leaflet")
    for _ in range(200):
        words = sentence(language, rng).replace(",", "").split()
        assert "{" not in " ".join(words)
        pairs = [" ".join(pair) for pair in itertools.pairwise(words)]
        assert not [text for text in (*words, *pairs) if house.call_named(text) in {"kemps", "stop"}]


def test_voices_without_accents_get_plain_letters() -> None:
    assert plain("está a ficar tarde") == "esta a ficar tarde"


@pytest.fixture
def other_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Trains for the words of a file, until the test is over."""

    def use(text: str) -> None:
        (tmp_path / "words.toml").write_text(text)
        monkeypatch.setenv(words.ENVIRONMENT, str(tmp_path / "words.toml"))
        forget()

    def forget() -> None:
        for cached in (words._words, words.calls, words.near_words):
            cached.cache_clear()

    yield use
    monkeypatch.undo()
    forget()


CANES = '[calls.kemps]\npt = ["k a n i s"]\n[calls.stop]\npt = ["k O r t i"]\n'


def test_other_words_have_near_words_made_of_their_own_phones(other_words: Callable[[str], None]) -> None:
    other_words(CANES)
    assert [word.call for word in calls("pt")] == ["kemps", "stop"]
    assert calls("en") == ()
    near = {" ".join(word.phones) for word in near_words("pt")}
    assert {"t a n i s", "k E n i s", "k a n", "k O m t i"} <= near
    assert "g a n i s" not in near
    assert "k a n i s" not in near


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[calls.kemps]\n", "needs"),
        ("not toml", "needs"),
        (CANES.replace("O", "qq"), "phones qq; phones.toml lists"),
    ],
)
def test_words_that_cannot_be_spoken_are_one_line(
    other_words: Callable[[str], None], text: str, said: str
) -> None:
    other_words(text)
    with pytest.raises(words.WordsError, match=said) as caught:
        calls("pt")
    assert "\n" not in str(caught.value)
