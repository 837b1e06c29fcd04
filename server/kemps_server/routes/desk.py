"""The referee's desk: a page, and the same for programs."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from kemps_rules.cards import RANKS, SUITS, Card
from kemps_server.page.seating import seat_places
from kemps_server.routes.answers import refusals
from kemps_server.routes.desk_answers import QueueAnswer, queue_answer
from kemps_server.routes.incidents import words_of
from kemps_server.routes.languages import Language, language_of
from kemps_server.routes.place import AtPlace, Referee
from kemps_server.site.pages import page_of

router: Final = APIRouter()

_CARDS: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)


@router.get("/desk", response_class=HTMLResponse, summary="The referee's desk", responses=refusals(401, 403))
def desk(request: Request, place: AtPlace, visitor: Referee, lang: Language = None) -> HTMLResponse:
    """A queue of what is worth a look, and one item of it with all that is needed to decide it."""
    language = language_of(request, lang)
    words = words_of(request, lang)
    return page_of(
        request,
        "desk.html.j2",
        area="desk",
        language=language,
        visitor=visitor,
        cards=_CARDS,
        ranks=RANKS,
        suits=SUITS,
        texts={
            key: text
            for key, text in words.texts.items()
            if key.startswith(("desk.", "table.", "centre.", "event.owner"))
        },
        places={count: [(place.x, place.y) for place in seat_places(count)] for count in (4, 6, 8)},
        queue=queue_answer(place.desk.queue(), words, visitor.name),
    )


@router.get("/desk.json", summary="The queue of the desk, for programs", responses=refusals(401, 403))
def desk_json(request: Request, place: AtPlace, visitor: Referee, lang: Language = None) -> QueueAnswer:
    """What the page shows on its left; the address of an incident gives what is on its right."""
    return queue_answer(place.desk.queue(), words_of(request, lang), visitor.name)
