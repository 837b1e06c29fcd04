"""Refusals for programs and for people: a stable code, and the sentence in the reader's language."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from kemps_server.page.sentences import Sentence, sentences_in
from kemps_server.page.words import Arg, Phrase, load_words

PAGE_LANGUAGE: Final = "kemps-language"
"""The header by which a page's script says in which language it wants to be told why not."""
_AREAS: Final = ("site", "refusals")
_PREFIX: Final = "refusal."
_TEMPLATES: Final = {
    "Not Found": "no_address",
    "Method Not Allowed": "no_method",
    "There was an error parsing the body": "unreadable",
}
"""Starlette's own words and FastAPI's."""


def refusal_of(detail: str) -> Phrase | None:
    """The phrase behind a refusal that is said in English; None where the catalogue does not have it.

    >>> refusal_of("there is no user 'Ida'")
    Phrase(key='refusal.no_user', args={'user': "'Ida'"})
    """
    for sentence in _sentences():
        if found := sentence.pattern.fullmatch(detail):
            return Phrase(
                sentence.key, {place: _arg(place, said) for place, said in found.groupdict().items()}
            )
    return None


def plain_detail(detail: str) -> str:
    """A refusal in one line and in our own words, also where the framework has some of its own.

    >>> plain_detail("Not Found")
    'there is nothing at this address'
    """
    key = _TEMPLATES.get(detail)
    return " ".join(detail.split()) if key is None else load_words("en", *_AREAS).say(_PREFIX + key)


def code_of(detail: str, status: int) -> str:
    """The name by which programs know a refusal: its key, or the status where it has none.

    >>> code_of("there is no such table here", 404), code_of("the moon is full", 409)
    ('no_such_table', 'http_409')
    """
    phrase = refusal_of(detail)
    return f"http_{status}" if phrase is None else phrase.key.removeprefix(_PREFIX)


def said_in(language: str, detail: str) -> str:
    """The refusal in a language; as it is where the words for it are missing."""
    phrase = refusal_of(detail)
    return detail if phrase is None else load_words(language, *_AREAS).say(phrase)


def refusal_json(detail: str, status: int, language: str = "") -> str:
    """The answer to a program: ``detail``, ``code``, and ``said`` where a page named its language."""
    told = {"detail": detail, "code": code_of(detail, status)}
    if language:
        told["said"] = said_in(language, detail)
    return json.dumps(told, ensure_ascii=False) + "\n"


@cache
def _sentences() -> tuple[Sentence, ...]:
    return sentences_in(load_words("en", *_AREAS).texts, _PREFIX)


def _arg(place: str, said: str) -> Arg:
    role = said.removeprefix("an ").removeprefix("a ")
    is_role = place in {"needed", "role"} and f"role.{role}" in load_words("en", *_AREAS)
    return Phrase(f"role.{role}") if is_role else said
