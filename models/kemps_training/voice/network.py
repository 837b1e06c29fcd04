"""The network: dilated convolutions over 40 bands; an answer sees 0.94 s before its place, 1.15 s after."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from kemps_vision.hearing.features import BANDS

WIDTH: Final = 56
DILATIONS: Final = (1, 2, 4, 8, 16, 12, 6, 2)
FRONT: Final = 5
CHANNELS: Final = 3
# What is learnt holds a call for likelier by far than it is, and sums of heats near 1 cannot tell a sure call
# from a surer one. So heat is told twice as steep, about a logit near the thresholds of the tuning voices.
STEEPNESS: Final = 2.0
MIDDLE: Final = 1.0


class _Block(nn.Module):  # type: ignore[misc]  # mypy takes its base for Any
    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.dilation = dilation
        self.wide = nn.Conv1d(WIDTH, WIDTH, 3, dilation=dilation, bias=False)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.mix = nn.Conv1d(WIDTH, WIDTH, 1)

    def forward(self, rows: Tensor) -> Tensor:
        new = self.mix(torch.relu(self.norm(self.wide(rows))))
        return torch.relu(new + rows[:, :, self.dilation : -self.dilation])


class Listener(nn.Module):  # type: ignore[misc]  # mypy takes its base for Any
    """(n, 40, t) bands -> (n, 3, about t / 2 - 53) logits: Kemps, Stop Kemps, two at once begin here.

    Nothing is padded, so a stream gives the same answers in pieces as at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(BANDS)
        self.front = nn.Conv1d(BANDS, WIDTH, FRONT, stride=2)
        self.blocks = nn.ModuleList(_Block(dilation) for dilation in DILATIONS)
        self.out = nn.Conv1d(WIDTH, CHANNELS, 1)
        nn.init.constant_(self.out.bias, -4.0)

    def forward(self, bands: Tensor) -> Tensor:
        """The logits."""
        rows = torch.relu(self.front(self.norm(bands.squeeze(1) if bands.dim() == 4 else bands)))
        for block in self.blocks:
            rows = block(rows)
        return self.out(rows)


class Told(nn.Module):  # type: ignore[misc]  # mypy takes its base for Any
    """One or more listeners as one: the logits are those of the heat that is told; scores are sums of it."""

    def __init__(self, *listeners: nn.Module) -> None:
        super().__init__()
        self.listeners = nn.ModuleList(listeners)

    def forward(self, bands: Tensor) -> Tensor:
        """The mean of the listeners' logits, steeper about `MIDDLE`."""
        answers = [listener(bands) for listener in self.listeners]
        return STEEPNESS * (torch.stack(answers).mean(dim=0) - MIDDLE)


REACH: Final = FRONT + 2 * 2 * sum(DILATIONS)
"""Rows of bands that one answer sees."""
PAST: Final = 94
"""Of these, how many lie before the place that the answer is about."""
