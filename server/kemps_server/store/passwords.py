"""Passwords as they are kept: salted and hashed by scrypt (RFC 7914), never as they were typed.

The cost is what OWASP's *Password Storage Cheat Sheet* recommends for scrypt with 32 MiB: N = 2^15, r = 8,
p = 3. It is written into each hash, so that it can rise without anybody's password becoming wrong.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import b64decode, b64encode
from hashlib import scrypt
from typing import Final

from kemps_server.errors import KempsServerError

SHORTEST: Final = 8
_LONGEST: Final = 1024  # bytes; what is longer is an attack, not a password
_LOG_N, _R, _P = 15, 8, 3
_SALT_BYTES: Final = 16
_MOST_MEMORY: Final = 128 * 1024 * 1024


def hash_password(password: str) -> str:
    """What is stored of a password; another text each time.

    Raises:
        KempsServerError: It is too short to be one, or too long to be one.
    """
    if len(password) < SHORTEST:
        raise KempsServerError(f"the password is too short; take at least {SHORTEST} characters")
    if len(_bytes(password)) > _LONGEST:
        raise KempsServerError(f"the password is too long; take at most {_LONGEST} bytes")
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = _digest(password, salt, _LOG_N, _R, _P)
    return f"scrypt${_LOG_N}${_R}${_P}${_text(salt)}${_text(digest)}"


def is_password(password: str, stored: str) -> bool:
    """Whether that is the password of which ``stored`` is kept; equally slow whether it is or not."""
    name, log_n, r, p, salt, digest = stored.split("$")
    if name != "scrypt" or len(_bytes(password)) > _LONGEST:
        return False
    found = _digest(password, b64decode(salt), int(log_n), int(r), int(p))
    return hmac.compare_digest(found, b64decode(digest))


def _digest(password: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    return scrypt(_bytes(password), salt=salt, n=2**log_n, r=r, p=p, maxmem=_MOST_MEMORY, dklen=32)


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return b64encode(data).decode()
