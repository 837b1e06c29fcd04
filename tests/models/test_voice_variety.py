"""What is learnt from one scene in many ways, and how the least sum of a call is found from few alarms."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from kemps_training.voice import talk
from kemps_training.voice.variety import KEPT, SILENT, Rows, varied
from kemps_training.voice.words import LANGUAGES

if find_spec("torch"):  # where it is absent, the marker skips the tests that need it
    import torch

    from kemps_training.voice.network import MIDDLE, REACH, Listener, Told
    from kemps_training.voice.tuning import LEAST_SUM, least_sum


def click_at(row: int) -> Rows:
    """A scene as long as the pool's: even noise, and one loud row."""
    rows = np.full((398, 40), -1.0, np.float32)
    rows[row] = 2.0
    return rows


def test_a_mark_stays_at_its_sound() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        rows, ((channel, at),) = varied(click_at(180), [(1, 180.0)], rng)
        assert (rows.shape, channel) == ((KEPT, 40), 1)
        assert rows.dtype == np.float32
        if rows[max(0, round(at) - 1) : round(at) + 2].max() > 0.5:  # else a moment is missing just there
            assert abs(int(rows.mean(axis=1).argmax()) - at) <= 1


def test_sound_begins_and_ends_in_some_scenes_but_never_near_a_call() -> None:
    rng = np.random.default_rng(5)
    begun = ended = 0
    for _ in range(300):
        rows, ((_, at),) = varied(click_at(150), [(0, 150.0)], rng)
        silent = (rows == np.float32(SILENT)).all(axis=1)
        begun += bool(silent[0])
        ended += bool(silent[-1])
        assert not silent[round(at) - 5 : round(at) + 100].any()
    assert 10 <= begun <= 70
    assert 5 <= ended <= 50


def test_jumbled_words_are_those_of_the_sentences() -> None:
    rng = np.random.default_rng(6)
    for language in LANGUAGES:
        said = {word for _ in range(40) for word in talk.jumble(language, rng).split()}
        assert len(said) > 50
        assert not {
            word for word in said if "kemps" in word.lower() or "кемпс" in word.lower() or "{" in word
        }


@pytest.mark.training
def test_heat_that_is_told_is_even_at_the_middle_and_steeper_than_what_was_learnt() -> None:
    one, other = Listener().eval(), Listener().eval()
    bands = torch.randn(1, 40, REACH + 40, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        learnt, told = (one(bands) + other(bands)) / 2, Told(one, other)(bands)
    assert torch.allclose(told, 2 * learnt - 2 * MIDDLE, atol=1e-5)


@pytest.mark.training
def test_the_least_sum_is_exceeded_as_often_as_is_allowed() -> None:
    rng = np.random.default_rng(7)
    asked = []
    for _ in range(200):  # sums of which one in a thousand is above 0.5 * 1000 ** 0.3 = 4
        sums = sorted(0.5 * (1 - rng.random(300)) ** -0.3, reverse=True)
        asked.append(least_sum(sums, 0.3))
    assert np.median(asked) == pytest.approx(0.5 * 1000**0.3, rel=0.1)
    assert least_sum([], 1.0) == LEAST_SUM
    assert least_sum([3.0, 2.0, 1.0], 5.0) == LEAST_SUM
    assert least_sum([3.0, 2.0, 1.0], 2.0) == 1.0
