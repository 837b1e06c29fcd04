"""The errors of training.

TrainingError
    FetchError      a package of art or fonts could not be had
    WorkspaceError  a step needs what an earlier step makes, and it is not there
"""


class TrainingError(Exception):
    """Base of all errors raised by `kemps_training`; the message is one line that says what to do."""


class FetchError(TrainingError):
    """A package of art or fonts could not be fetched or unpacked."""


class WorkspaceError(TrainingError):
    """A file that an earlier step makes is missing or broken."""
