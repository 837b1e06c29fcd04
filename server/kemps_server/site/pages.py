"""Pages of the server: templates filled in the visitor's language, with styles and scripts as files."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader

from kemps_rules.cards import Card
from kemps_server.access.visitor import Visitor
from kemps_server.page.faces import symbols
from kemps_server.page.render import environment_in
from kemps_server.page.words import load_words

STATIC: Final = "/static"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def page_of(
    request: Request,
    template: str,
    *,
    area: str,
    language: str,
    visitor: Visitor,
    cards: Iterable[Card] = (),
    status: int = 200,
    **values: Any,  # noqa: ANN401 - whatever the template shows
) -> HTMLResponse:
    """The page that a template of ``site/templates`` makes.

    Args:
        request: Whose address the page is at.
        template: Its file, which extends ``site.html.j2``.
        area: The folder of ``site/words`` with what it says.
        language: One of the five.
        visitor: Whoever gets it.
        cards: Whose faces it draws at once; ``all_cards()`` for a page whose script draws any.
        status: Of the answer.
        values: For the template.
    """
    body = (
        _environment(language, area)
        .get_template(template)
        .render(visitor=visitor, path=request.url.path, symbols=symbols(cards), **values)
    )
    return HTMLResponse(body, status, {"Content-Security-Policy": POLICY})


@cache
def _environment(language: str, area: str) -> Environment:
    environment = environment_in(load_words(language, "site", area))
    environment.loader = ChoiceLoader(
        [PackageLoader("kemps_server.site"), PackageLoader("kemps_server.page")]
    )
    environment.globals["static"] = static_address
    return environment


def static_address(name: str) -> str:
    """The address of a file in ``static``, another one when its content is another.

    >>> static_address("site.css").startswith("/static/site.css?v=")
    True
    """
    return f"{STATIC}/{name}?v={sha256(static_file(name).read_bytes()).hexdigest()[:10]}"


def static_file(name: str) -> Traversable:
    """A file that pages use: of the server's pages, or of the pages of games.

    Raises:
        FileNotFoundError: There is none of this name.
    """
    if "/" not in name and "\\" not in name and not name.startswith("."):
        for package in ("kemps_server.site", "kemps_server.page"):
            found = files(package).joinpath("static", name)
            if found.is_file():
                return found
    raise FileNotFoundError(name)
