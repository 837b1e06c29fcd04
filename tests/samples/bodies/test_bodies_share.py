from __future__ import annotations

import pytest

from kemps_scenes.bodies.share import Answer, answers, face_shares


@pytest.mark.people
@pytest.mark.usefixtures("gl", "mesh")
def test_mediapipe_sees_which_eye_of_a_made_up_person_winks() -> None:
    said = {(row.expression, row.blendshape): row for row in answers(1, seed=102)}

    def risen(expression: str, blendshape: str) -> float:
        row: Answer = said[expression, blendshape]
        return row.full - row.rest

    assert risen("wink_left", "eyeBlinkLeft") > risen("wink_left", "eyeBlinkRight") + 0.2
    assert risen("wink_right", "eyeBlinkRight") > risen("wink_right", "eyeBlinkLeft") + 0.2
    assert risen("blink", "eyeBlinkLeft") > 0.3
    assert risen("blink", "eyeBlinkRight") > 0.3
    assert risen("brow_raise", "browOuterUpLeft") > 0.2
    assert risen("look_left", "eyeLookOutLeft") > 0.3
    assert risen("mouth_open", "jawOpen") > 0.3
    assert risen("smile", "mouthSmileLeft") > 0.4


@pytest.mark.people
@pytest.mark.usefixtures("gl", "mesh")
def test_mediapipe_finds_a_made_up_face_from_1_to_3_metres() -> None:
    assert set(face_shares(1, seed=103).values()) == {1.0}
