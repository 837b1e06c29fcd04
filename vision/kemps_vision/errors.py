"""What can be wrong with the input of vision; what is merely not seen is absent, never an exception.

::

    KempsVisionError
    ├── SourceError    a camera, file or stream that gives no frames
    ├── ConfigError    a table.toml that cannot be read or makes no sense
    ├── ImageError     a still that cannot be opened or is no picture
    ├── ReaderError    a card reader that cannot be set up: weights, deck or alphabet
    ├── LandmarkerError  what finds faces, hands or bodies cannot be started
    ├── CalibrationError  a table whose places cannot be found
    └── EnrolmentError  takes of a word from which it cannot be learnt
"""

from __future__ import annotations


class KempsVisionError(ValueError):
    """Base of all errors of this package; its text is one line a person can act on."""


class SourceError(KempsVisionError):
    """A camera, file or stream gives no frames."""


class ConfigError(KempsVisionError):
    """The description of the table cannot be read, or a part of it makes no sense."""


class ImageError(KempsVisionError):
    """A still cannot be opened or is no picture."""


class ReaderError(KempsVisionError):
    """A card reader cannot be set up: weights, deck or alphabet."""


class LandmarkerError(KempsVisionError):
    """What finds faces, hands or bodies cannot be started."""


class CalibrationError(KempsVisionError):
    """Where things are at the table cannot be found in its pictures."""


class EnrolmentError(KempsVisionError):
    """Takes of a word are too quiet, too unlike or too few, or the word sounds like another."""
