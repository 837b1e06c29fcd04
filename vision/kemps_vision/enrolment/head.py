"""The classifier's last layer, moved as little as need be so that it reads one deck.

The network's features stay as they are; what is added to its answers is linear in them and found by
regularised logistic regression, so the less a deck asks for, the less changes (cf. Li et al., "Explicit
Inductive Bias for Transfer Learning", 2018: weights drawn towards the ones they start from).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from kemps_models.alphabets import NONE_CLASS
from kemps_rules.cards import SUITS
from kemps_vision.cards.network import FeatureNetwork

OUTPUTS: Final = NONE_CLASS + 1 + len(SUITS)
_PULL: Final = 0.004  # of the squared change, a look: five times more leaves odd plates unread, less misreads
_ROUNDS: Final = 60

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """What is added to the classifier's answers.

    Attributes:
        weights: (features, 29) times the features.
        bias: (29,).
    """

    weights: Matrix
    bias: Matrix


class DeckNetwork:
    """The classifier with the last layer of one deck; a ``FeatureNetwork``."""

    def __init__(self, network: FeatureNetwork, head: Head) -> None:
        self._network = network
        self._head = head

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, 29): the answers for one deck."""
        return self.both(batch)[0]

    def features(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, features): as the network tells them."""
        return self._network.features(batch)

    def both(self, batch: NDArray[np.float32]) -> tuple[Matrix, Matrix]:
        """The answers for one deck, and the features."""
        answers, features = self._network.both(batch)
        return np.asarray(answers + features @ self._head.weights + self._head.bias, np.float32), features


def fit_head(
    features: Matrix, answers: Matrix, ranks: NDArray[np.int64], suits: NDArray[np.int64], pull: float = _PULL
) -> Head:
    """The head for looks at a deck's indices.

    Args:
        features: (n, features) what the last layer sees.
        answers: (n, 29) what the network answers.
        ranks: (n,) the output that is right, ``NONE_CLASS`` where there is no index.
        suits: (n,) the suit that is right, -1 where there is no index.
        pull: How strongly the head is drawn towards nothing.
    """
    size = float(np.sqrt(np.mean(features**2)) + 1e-9)
    inputs = np.column_stack([features / size, np.ones(len(features))]).astype(np.float32)
    wanted = np.zeros(answers.shape, np.float32)
    rows = np.arange(len(answers))
    wanted[rows, ranks] = 1.0
    has_suit = suits >= 0
    wanted[rows[has_suit], NONE_CLASS + 1 + suits[has_suit]] = 1.0
    shape = (inputs.shape[1], OUTPUTS)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        change = flat.reshape(shape).astype(np.float32)
        moved = answers + inputs @ change
        p = np.column_stack([_softmax(moved[:, : NONE_CLASS + 1]), _softmax(moved[:, NONE_CLASS + 1 :])])
        p[~has_suit, NONE_CLASS + 1 :] = 0.0
        missed = -float(np.sum(wanted * np.log(p + 1e-9)))
        slope = inputs.T @ (p - wanted) / len(inputs) + 2 * pull * change
        return missed / len(inputs) + pull * float(np.sum(change**2)), slope.astype(np.float64).ravel()

    found = minimize(
        loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}
    )
    change = found.x.reshape(shape)
    return Head((change[:-1] / size).astype(np.float32), change[-1].astype(np.float32))


def _softmax(logits: Matrix) -> Matrix:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), np.float32)
