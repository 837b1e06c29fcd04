from __future__ import annotations

import numpy as np

from kemps_models.alphabets import NONE_CLASS
from kemps_vision.enrolment.head import OUTPUTS, DeckNetwork, Head, fit_head


class Echo:
    """A network whose features are its input's first row and whose answers are nought."""

    def __call__(self, batch: np.ndarray) -> np.ndarray:
        return np.zeros((len(batch), OUTPUTS), np.float32)

    def features(self, batch: np.ndarray) -> np.ndarray:
        return batch.reshape(len(batch), -1)[:, :3]

    def both(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self(batch), self.features(batch)


def looks(n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features in three clusters: the jack of hearts, the two of spades, and no index."""
    rng = np.random.default_rng(0)
    which = np.arange(n) % 3
    features = np.eye(3)[which] * 4 + rng.normal(0, 0.2, (n, 3))
    ranks = np.array([10, 1, NONE_CLASS])[which]
    suits = np.array([2, 3, -1])[which]
    return features.astype(np.float32), ranks, suits


def test_a_head_teaches_letters_that_the_network_misreads() -> None:
    features, ranks, suits = looks()
    answers = np.zeros((len(features), OUTPUTS), np.float32)
    answers[:, 11] = 2.0  # all are read as queens
    head = fit_head(features, answers, ranks, suits)
    moved = answers + features @ head.weights + head.bias
    assert np.array_equal(moved[:, : NONE_CLASS + 1].argmax(axis=1), ranks)
    has_suit = suits >= 0
    assert np.array_equal(moved[has_suit, NONE_CLASS + 1 :].argmax(axis=1), suits[has_suit])


def test_the_stronger_the_pull_the_smaller_the_head() -> None:
    features, ranks, suits = looks()
    answers = np.zeros((len(features), OUTPUTS), np.float32)
    loose, tight = (fit_head(features, answers, ranks, suits, pull=pull) for pull in (0.001, 0.1))
    assert np.linalg.norm(tight.weights) < 0.5 * np.linalg.norm(loose.weights)


def test_a_deck_network_adds_its_head_to_the_answers() -> None:
    head = Head(np.ones((3, OUTPUTS), np.float32), np.arange(OUTPUTS, dtype=np.float32))
    network = DeckNetwork(Echo(), head)
    batch = np.full((2, 3, 2, 2), 0.5, np.float32)
    assert np.allclose(network(batch), 1.5 + np.arange(OUTPUTS))
    assert network.features(batch).shape == (2, 3)
