"""What can go wrong between the command line and the packages below.

::

    KempsServerError           exit code 2: the input or the command line was wrong
    ├── NewerStoreError        the data folder was made by a newer program
    └── WorkFailedError        exit code 1: the input was good, the work could not be done
        └── StoreError         the store refused: a full disk, a locked or damaged file
"""

from __future__ import annotations


class KempsServerError(Exception):
    """The command cannot do this with what it was given; the text is one line a person can act on."""


class WorkFailedError(KempsServerError):
    """The work failed although the input was good: a full disk, a test that did not pass."""


class NewerStoreError(KempsServerError):
    """The data folder was made by a newer program; this one leaves it as it is."""


class StoreError(WorkFailedError):
    """The store could not be read or written; what was acknowledged before is kept."""
