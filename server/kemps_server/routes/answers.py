"""How refusals look in the description of the interface: what can come back besides the answer itself."""

from __future__ import annotations

from typing import Any, Final

_CONTENT: Final = {
    "application/json": {
        "schema": {
            "type": "object",
            "properties": {
                "detail": {"type": "string", "description": "One line in English that says what to do."},
                "code": {"type": "string", "description": "What it is for programs; it stays the same."},
                "said": {
                    "type": "string",
                    "description": "The line in the language that the header Kemps-Language asked for.",
                },
            },
            "required": ["detail", "code"],
        }
    },
    "text/html": {"schema": {"type": "string", "description": "The same as a page, for browsers."}},
}
_MEANINGS: Final = {
    400: "It cannot be read.",
    401: "Nobody is known by what was shown: log in, or use a link that still holds.",
    403: "Not for this role.",
    404: "There is no such thing here.",
    409: "It cannot be done as things are.",
    413: "Too long.",
    422: "Something in it makes no sense; the line says what.",
    429: "Too many attempts; Retry-After says when to try again.",
    503: "The store refuses at the moment.",
}


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route, for its ``responses``; 503 is always among them.

    >>> sorted(refusals(404))
    [404, 503]
    """
    return {code: {"description": _MEANINGS[code], "content": _CONTENT} for code in (*codes, 503)}
