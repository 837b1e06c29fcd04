"""What a landmarker is shown, and where that lies in the whole picture."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.people.landmarks import Box
from kemps_vision.people.views import view_of

PICTURE = np.zeros((100, 200, 3), np.uint8)


@pytest.mark.parametrize(
    ("box", "least_px", "scale"),
    [(None, 0, 1.0), (None, 200, 2.0), (Box(50, 20, 90, 60), 80, 2.0), (Box(-10, -10, 20, 20), 512, 4.0)],
)
def test_points_of_a_view_lead_back_to_the_picture(box: Box | None, least_px: int, scale: float) -> None:
    view = view_of(PICTURE, box, least_px)
    assert view.scale == scale
    left, top, right, bottom = box or Box(0, 0, 200, 100)
    corners = np.array([[0, 0, 0], [1, 1, 0.5]], np.float32)
    left, top = max(left, 0), max(top, 0)
    assert view.back(corners) == pytest.approx(
        np.array([[left, top, 0], [right, bottom, (right - left) / 2]])
    )


def test_a_box_outside_the_picture_gives_a_view_that_is_not_empty() -> None:
    assert view_of(PICTURE, Box(300, 10, 400, 50)).pixels.shape == (40, 1, 3)
    assert view_of(PICTURE, Box(-50, -50, -10, -10)).pixels.shape == (1, 1, 3)
    assert view_of(PICTURE, Box(10, 10, 10, 10), 50).pixels.shape == (4, 4, 3)
