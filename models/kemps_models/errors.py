"""The errors of the weights.

ModelError
    ManifestError   the list of weights cannot be read
    WeightsError    a file of weights is missing, changed or unknown
    FetchError      a file could not be fetched
"""


class ModelError(Exception):
    """Base of all errors raised by `kemps_models`; the message is one line that says what to do."""


class ManifestError(ModelError):
    """The list of weights is missing or broken."""


class WeightsError(ModelError):
    """A file of weights is not there, not the one that the list names, or not in the list."""


class FetchError(ModelError):
    """A task file could not be fetched or stored."""
