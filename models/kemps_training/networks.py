"""The two networks: an index detector with stride 4, and a classifier of rectified index crops."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from kemps_models.alphabets import NONE_CLASS
from kemps_training.crops import HEIGHT_PX, WIDTH_PX
from kemps_training.decks import SUITS

GRID_CHANNELS = 16
INDEX_HEAT, BACK_HEAT = 0, 11
RANK_CLASSES = NONE_CLASS + 1  # glyphs and "none"
CLASSES = RANK_CLASSES + len(SUITS)
# Before it has learnt anything the detector says sigmoid(-4) = 2 % for every cell (as in CenterNet).
FIRST_HEAT = -4.0


def _block(inputs: int, outputs: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


# The three classes below subclass what mypy takes for Any, since the checked environment has no torch.
class Residual(nn.Module):  # type: ignore[misc]
    """Two 3x3 convolutions beside an identity."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _block(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        """The same shape."""
        return functional.relu(x + self.second(self.first(x)))


class Detector(nn.Module):  # type: ignore[misc]
    """Pictures (n, 3, h, w) in 0..1 -> grid (n, 16, h/4, w/4); h and w are multiples of 16."""

    def __init__(self, widths: tuple[int, int, int, int] = (16, 24, 48, 80), head: int = 40) -> None:
        super().__init__()
        half, quarter, eighth, sixteenth = widths
        self.stem = nn.Sequential(
            _block(3, half, stride=2), _block(half, quarter, stride=2), Residual(quarter)
        )
        self.down8 = nn.Sequential(_block(quarter, eighth, stride=2), Residual(eighth), Residual(eighth))
        self.down16 = nn.Sequential(
            _block(eighth, sixteenth, stride=2), Residual(sixteenth), Residual(sixteenth)
        )
        self.up8 = _block(sixteenth, eighth, 1)
        self.merge8 = _block(eighth, eighth)
        self.up4 = _block(eighth, head, 1)
        self.side4 = _block(quarter, head, 1)
        self.merge4 = _block(head, head)
        self.head = _block(head, head + 8)
        self.out = nn.Conv2d(head + 8, GRID_CHANNELS, 1)
        nn.init.zeros_(cast("Tensor", self.out.bias))
        cast("Tensor", self.out.bias).data[[INDEX_HEAT, BACK_HEAT]] = FIRST_HEAT

    def forward(self, x: Tensor) -> Tensor:
        """The grid."""
        at4 = self.stem(x)
        at8 = self.down8(at4)
        at16 = self.down16(at8)
        at8 = self.merge8(at8 + functional.interpolate(self.up8(at16), scale_factor=2.0, mode="nearest"))
        at4 = self.side4(at4) + functional.interpolate(self.up4(at8), scale_factor=2.0, mode="nearest")
        return cast("Tensor", self.out(self.head(self.merge4(at4))))


class Classifier(nn.Module):  # type: ignore[misc]
    """Crops (n, 3, 64, 40) in 0..1 -> logits (n, 29): 24 glyphs, "none", 4 suits."""

    feature_count: int

    def __init__(self, widths: tuple[int, int, int, int] = (24, 48, 96, 128), dropout: float = 0.2) -> None:
        super().__init__()
        a, b, c, d = widths
        self.features = nn.Sequential(
            _block(3, a), _block(a, a, stride=2), _block(a, b), _block(b, b, stride=2), Residual(b),
            _block(b, c, stride=2), Residual(c), _block(c, d, stride=2),
        )  # fmt: skip
        self.dropout = nn.Dropout(dropout)
        self.feature_count = d * (HEIGHT_PX // 16) * -(-WIDTH_PX // 16)
        self.out = nn.Linear(self.feature_count, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        """The logits."""
        return cast("Tensor", self.out(self.dropout(torch.flatten(self.features(x), 1))))


class ClassifierWithFeatures(nn.Module):  # type: ignore[misc]
    """A trained classifier that also gives what its last layer sees, (n, 1536): learning a deck needs it."""

    def __init__(self, classifier: Classifier) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The logits and the features."""
        features = torch.flatten(self.classifier.features(x), 1)
        return cast("Tensor", self.classifier.out(features)), features
