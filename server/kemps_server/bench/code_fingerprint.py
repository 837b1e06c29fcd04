"""A hash of code: results that were kept are used again only while the code that made them is the same."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_OURS: Final = ("kemps_server", "kemps_vision", "kemps_models", "kemps_rules", "kemps_scenes")


@cache
def code_fingerprint(module: str) -> str:
    """A hash over the source of a module and of all modules of ours that it imports, directly or not."""
    sources: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = None if name in sources else _source_of(name)
        if path is not None:
            sources[name] = path.read_bytes()
            waiting += _imported(sources[name])
    digest = hashlib.sha256()
    for name, source in sorted(sources.items()):
        digest.update(name.encode() + b"\0" + source)
    return digest.hexdigest()[:16]


def _imported(source: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _source_of(name: str) -> Path | None:
    """The file of a module of ours; None for other people's, and for names that are no modules."""
    if name.partition(".")[0] not in _OURS:
        return None
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec is not None and spec.origin else None
