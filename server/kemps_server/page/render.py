"""From a story to one self-contained HTML file: templates, words, style, script and pictures in one."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kemps_rules.cards import Card
from kemps_server.analysis.looks import FiguresLook
from kemps_server.analysis.phrases import percent, seconds, span_text
from kemps_server.analysis.sign_looks import chance_text
from kemps_server.analysis.signs import LEAST_CALLS
from kemps_server.page.faces import symbols
from kemps_server.page.seating import CENTRE_CARD, CENTRE_GAP, HAND_CARD, HAND_WIDTH, seat_places, spread
from kemps_server.page.story import PictureLook, Story, VerdictLook
from kemps_server.page.timeline import LEFT, draw_timeline
from kemps_server.page.words import LANGUAGES, Phrase, Words, load_words

_STYLES: Final = ("tokens.css", "page.css", "charts.css")
LEGEND: Final = {
    "swap": '<rect x="-11" y="9" width="22" height="16" rx="8"/>',
    "take": '<path d="M0 8l7 14h-14z"/>',
    "lay": '<path d="M0 26l-7-14h14z"/>',
    "turn": '<path d="M0 6l7 11-7 11-7-11z"/>',
    "sweep": '<path d="M-8 9L8 25M-8 25L8 9"/>',
    "call": '<path d="M-8 3h13l5 14-5 14H-8z"/>',
    "shown": '<rect x="-11" y="7" width="22" height="20" rx="4"/>',
    "flag": '<path d="M0 6l10 18h-20z"/>',
    "gesture": '<rect x="-11" y="14" width="22" height="6" rx="3"/>',
    "touch": '<rect x="-11" y="14" width="22" height="6" rx="3"/>',
    "hidden": '<rect x="-11" y="5" width="22" height="24" rx="2"/>',
    "unobserved": '<rect x="-11" y="0" width="22" height="34"/>',
}


def render_page(
    story: Story, language: str | None = None, *, home: str = "", figures: FiguresLook | None = None
) -> str:
    """The page of a game, complete in itself.

    Args:
        story: The game.
        language: The page's language; None leaves it to ``?lang`` and the browser, else English.
        home: Where a link to the other games leads, when there are any.
        figures: What the game comes to, if the page is to say so.

    Raises:
        KempsServerError: There is no such language.
    """
    areas = () if figures is None else ("analysis",)
    words = load_words(language or LANGUAGES[0], *areas)
    line = draw_timeline(story)
    script = _static("page.js")
    seat_names = {seat.id: seat.name for seat in story.seats}
    environment = environment_in(words)
    environment.filters["seat_name"] = lambda seat: seat_names.get(seat, seat)
    return environment.get_template("game.html.j2").render(
        story=story,
        home=home,
        look=figures,
        letters_word="" if any(pair.points is not None for pair in story.pairs) else story.word,
        signs_least=LEAST_CALLS,
        title=Phrase("page.title", {"game": story.title}),
        line={**asdict(line), "left": LEFT, "x": line.x, "lanes": line.lanes, "marks": line.marks},
        legend=[(sort, Markup(LEGEND[sort])) for sort in _sorts(mark.sort for mark in line.marks)],  # noqa: S704 - constants of this module
        calls=sum(step.kind == "called" for step in story.steps),
        places=seat_places(len(story.seats)),
        pair_number={pair.id: number for number, pair in enumerate(story.pairs)},
        pair_names=lambda pairs: " · ".join(" & ".join(_names(story, pair)) for pair in pairs),
        verdict_frames=lambda verdict: list(_frames(story, verdict)),
        symbols=symbols(_cards(story)),
        data=_data(story, words, areas, is_fixed=language is not None),
        script=Markup(script),  # noqa: S704 - a file of this package
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )


def environment_in(words: Words) -> Environment:
    """The templates of this package with all that speaks a language; everything is escaped."""
    environment = Environment(
        loader=PackageLoader("kemps_server.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "say": lambda key, **args: _element("span", words, Phrase(key, args)),
        "text": lambda phrase: _element("span", words, phrase),
        "tspan": lambda key: _element("tspan", words, Phrase(key)),
        "tspan_of": lambda phrase: _element("tspan", words, phrase),
        "attr": lambda name, key, **args: _attribute(words, name, Phrase(key, args)),
        "attr_of": lambda name, phrase: _attribute(words, name, phrase),
        "phrase": Phrase,
        "words": words,
        "languages": [load_words(language) for language in LANGUAGES],
        "style": Markup("".join(map(_static, _STYLES))),  # noqa: S704 - files of this package
        "version": version("kemps"),
        "hand_lefts": lambda count: spread(count, HAND_CARD[0], HAND_WIDTH, 2),
        "centre_lefts": lambda count: spread(count, CENTRE_CARD[0], 300, CENTRE_GAP),
    }
    environment.filters |= {
        "sign": lambda card: Card.parse(card).sign,
        "clock": clock,
        "hand_faces": lambda hand: hand.faces,
        "tojson_attr": _phrase_text,
    }
    environment.filters |= {"percent": percent, "seconds": seconds, "span": span_text, "chance": chance_text}
    return environment


def clock(at_ms: int, decimals: int = 1) -> str:
    """Media time for people.

    >>> clock(41250), clock(3_723_400), clock(60_000, 0)
    ('0:41.2', '1:02:03.4', '1:00')
    """
    tenths = at_ms // 100
    minutes, rest = divmod(tenths, 600)
    seconds = f"{rest // 10:02d}" + (f".{rest % 10}" if decimals else "")
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds}" if minutes >= 60 else f"{minutes}:{seconds}"


def _names(story: Story, pair: str) -> list[str]:
    return [seat.name for seat in story.seats if seat.pair == pair]


def _frames(story: Story, verdict: VerdictLook) -> Iterator[tuple[int, PictureLook]]:
    """The numbered pictures behind a verdict: the moment of the call, and the hands once they lie open."""
    for number, picture in enumerate(story.pictures):
        wanted = "at" if story.steps[picture.step].kind == "called" else "after"
        if picture.step in verdict.evidence and picture.moment == wanted:
            yield number, picture


def _element(name: str, words: Words, phrase: Phrase) -> Markup:
    return Markup('<{0} data-t="{1}">{2}</{0}>').format(name, _phrase_text(phrase), words.say(phrase))


def _attribute(words: Words, name: str, phrase: Phrase) -> Markup:
    keys = json.dumps({name: phrase.as_json()}, ensure_ascii=False)
    return Markup(' {0}="{1}" data-t-attr="{2}"').format(name, words.say(phrase), keys)


def _phrase_text(phrase: Phrase) -> str:
    return json.dumps(phrase.as_json(), ensure_ascii=False) if phrase.args else phrase.key


def _sorts(found: Iterable[str]) -> list[str]:
    present = {sort.split()[0] for sort in found}
    return [sort for sort in LEGEND if sort in present]


def _cards(story: Story) -> set[Card]:
    names = {card for look in story.centres for card in look.cards}
    for step in story.steps:
        names |= {*step.centre, *(card for hand in step.hands.values() for card in hand.known)}
    names |= {
        card for deal in story.deals if deal.verdict for shown in deal.verdict.shown for card in shown.cards
    }
    return {Card.parse(name) for name in names if name is not None}


def _data(story: Story, words: Words, areas: tuple[str, ...], *, is_fixed: bool) -> dict[str, Any]:
    places = seat_places(len(story.seats))
    return {
        "language": words.language,
        "is_fixed": is_fixed,
        "words": {language: dict(load_words(language, *areas).texts) for language in LANGUAGES},
        "seats": [{"id": seat.id} for seat in story.seats],
        "places": {seat.id: asdict(place) for seat, place in zip(story.seats, places, strict=True)},
        "steps": [
            step.as_json(before) for before, step in zip((None, *story.steps), story.steps, strict=False)
        ],
    }


@cache
def _static(name: str) -> str:
    return files("kemps_server.page").joinpath("static", name).read_text(encoding="utf-8")
