"""What can go wrong with the made-up people; each text is one line a person can act on.

::

    ScenesError
    └── BodiesError       base of the errors of this package
        ├── BodyDataError  the MakeHuman data is not there, or is not what it should be
        ├── PaintError     no software OpenGL to draw with
        └── ActError       a script, grip, pose or expression that does not exist or cannot be
"""

from __future__ import annotations

from kemps_scenes.errors import ScenesError


class BodiesError(ScenesError):
    """Base of all errors of this package."""


class BodyDataError(BodiesError):
    """The MakeHuman data is not there, or is not what it should be."""


class PaintError(BodiesError):
    """There is no software OpenGL to draw with."""


class ActError(BodiesError):
    """A script, grip, pose or expression that does not exist or cannot be."""
