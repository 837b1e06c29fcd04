"""``python -m kemps_server.observers DIR GAME TABLE``: watches a game of the data folder DIR.

It is the server that runs it: it ends when its standard input does, and tells how it goes on standard output.
The exit code is 0 when the game's source has ended or it was asked to, 1 when the work failed, and 2 when it
cannot begin; the last line on stderr says why.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kemps_rules.errors import KempsRulesError
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, StoreError, WorkFailedError
from kemps_server.observers.lifeline import Task
from kemps_server.observers.process import run
from kemps_server.settings import read_settings
from kemps_server.store.store import Store
from kemps_vision.errors import KempsVisionError


def main(arguments: list[str]) -> int:
    """The exit code."""
    root, game, table = arguments
    try:
        address = read_settings().database_address
        with Store.open(DataFolder(Path(root)), address) as store:
            run(Task(store, game, table))
    except KeyboardInterrupt:
        return 0
    except (StoreError, WorkFailedError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the server, which shows it
        return 1
    except (KempsServerError, KempsRulesError, KempsVisionError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the server, which shows it
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
