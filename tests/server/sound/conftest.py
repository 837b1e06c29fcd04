"""Sounds of tones, and a network that hears them (see tests/vision/hearing/conftest.py)."""

from __future__ import annotations

from typing import cast

import pytest
from tests.vision.hearing.conftest import ToneListener

from kemps_vision.hearing.listener import Listener


@pytest.fixture
def tone_listener() -> Listener:
    """A tone of 1 kHz is a Kemps, of 2 kHz a Stop Kemps."""
    return cast("Listener", ToneListener())
