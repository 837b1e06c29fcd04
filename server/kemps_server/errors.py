"""What can go wrong between the command line and the packages below.

::

    KempsServerError       exit code 2: the input or the command line was wrong
    └── WorkFailedError    exit code 1: the input was good, the work could not be done
"""

from __future__ import annotations


class KempsServerError(Exception):
    """The command cannot do this with what it was given; the text is one line a person can act on."""


class WorkFailedError(KempsServerError):
    """The work failed although the input was good: a full disk, a test that did not pass."""
