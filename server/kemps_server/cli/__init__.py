"""The command line. Each command is a module of its own; ``app`` puts them together."""

from __future__ import annotations

from kemps_server.cli.app import main

__all__ = ["main"]
