"""The examples in the docstrings of the store and the exports are true."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from kemps_server import listening
from kemps_server.exports import webvtt
from kemps_server.store import clock, names


@pytest.mark.parametrize("module", [clock, listening, names, webvtt], ids=lambda module: module.__name__)
def test_examples_are_true(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
