"""``python -m kemps_server.cli``: the same as ``kemps``."""

from __future__ import annotations

from kemps_server.cli.app import main

if __name__ == "__main__":  # processes that are started beside it import this file again
    main()
