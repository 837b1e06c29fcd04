"""What can go wrong with a made-up table; each text is one line a person can act on.

::

    ScenesError
    ├── SceneError   a script that cannot happen on a table, such as a card taken that is not in the centre
    └── SpecError    a look, camera or size that does not exist
"""

from __future__ import annotations


class ScenesError(ValueError):
    """Base of all errors of this package."""


class SceneError(ScenesError):
    """A script asks for something that cannot happen on a table."""


class SpecError(ScenesError):
    """A deck, surface, camera or size that does not exist."""
