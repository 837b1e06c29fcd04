"""What each answer says about itself: not to be framed, sniffed, kept, or read by other sites."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders

_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": with that, browsers hide the origin of our own forms, too.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_UNFRAMED: Final = "frame-ancestors 'none'"
_DATA: Final = ("application/json", "text/plain")


def make_safe(headers: MutableHeaders) -> None:
    """Add to the headers of an answer what holds for all; what it says itself of keeping and policy stays."""
    for name, value in _ALWAYS.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-store")
    kind = headers.get("content-type", "")
    headers.setdefault("Content-Security-Policy", _NOTHING if kind.startswith(_DATA) else _UNFRAMED)
    if "frame-ancestors 'self'" in headers["content-security-policy"]:
        headers["X-Frame-Options"] = "SAMEORIGIN"
