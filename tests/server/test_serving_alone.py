"""A data folder has one server at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kemps_server.data_folder import DataFolder
from kemps_server.errors import WorkFailedError
from kemps_server.serving_alone import serving_alone


def test_a_second_server_is_refused_by_name_until_the_first_has_ended(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    with (
        serving_alone(folder),
        pytest.raises(WorkFailedError, match=rf"another kemps serve .*process {os.getpid()}\); open its"),
        serving_alone(folder),
    ):
        pass
    with serving_alone(folder):
        pass


def test_a_server_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    holds = (
        "import sys, pathlib\n"
        "from kemps_server.data_folder import DataFolder\n"
        "from kemps_server.serving_alone import serving_alone\n"
        "with serving_alone(DataFolder(pathlib.Path(sys.argv[1]))):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holds, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(WorkFailedError, match=f"process {other.pid}"),
            serving_alone(DataFolder(tmp_path)),
        ):
            pass
        other.kill()
    with serving_alone(DataFolder(tmp_path)):
        pass
