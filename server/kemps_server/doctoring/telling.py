"""What the doctor and a calibration say, which is English, in the language of a page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from kemps_server.page.sentences import Sentence, sentences_in
from kemps_server.page.words import Arg, Phrase, load_words

_AREAS: Final = ("site", "doctor")
_PREFIX: Final = "doctor."
_PLACES: Final = {"wrongly": ".+", "best": ".+", "size": r"\d+x\d+"}
"""What can stand in a place: sentences of their own, and a picture's size."""


def doctor_phrase(text: str) -> Phrase | None:
    """The phrase behind a line, with the phrases in its places; None where the catalogue does not have it.

    >>> doctor_phrase("edges on the cards are blurred by 0.4 px")
    Phrase(key='doctor.says.blur', args={'px': '0.4'})
    """
    for sentence in _sentences():
        if found := sentence.pattern.fullmatch(text):
            return Phrase(sentence.key, {place: _arg(said) for place, said in found.groupdict().items()})
    return None


def doctor_says(language: str, text: str) -> str:
    """The line in a language; as it is where the words for it are missing.

    >>> doctor_says("fr", "edges on the cards are blurred by 0.4 px")
    'les bords sur les cartes sont flous de 0.4 px'
    """
    phrase = doctor_phrase(text)
    return text if phrase is None else load_words(language, *_AREAS).say(phrase)


def finding_said(language: str, finding: Mapping[str, str]) -> dict[str, str]:
    """A finding as JSON has it, in a language; its level stays what it is."""
    return {name: line if name == "level" else doctor_says(language, line) for name, line in finding.items()}


@cache
def _sentences() -> tuple[Sentence, ...]:
    return sentences_in(load_words("en", *_AREAS).texts, _PREFIX, places=_PLACES)


def _arg(said: str) -> Arg:
    return doctor_phrase(said) or said
