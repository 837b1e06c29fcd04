"""onnxruntime reports to its maker and keeps an identifier of the machine; here it does neither."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# onnxruntime keeps silent of its own where these stand; nobody's laptop has them.
SILENT_ANYHOW = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_RUNNING_UNIT_TESTS", "ORT_DISABLE_TELEMETRY")


@pytest.mark.parametrize(
    "loads",
    [
        "from kemps_vision.cards.reader import default_reader; default_reader()",
        "import kemps_vision.hearing.listener as heard; heard.onnxruntime.get_available_providers()",
    ],
    ids=["cards", "calls"],
)
def test_a_fresh_user_s_home_stays_empty_when_networks_are_loaded(tmp_path: Path, loads: str) -> None:
    env = {name: value for name, value in os.environ.items() if name not in SILENT_ANYHOW}
    env = {name: value for name, value in env.items() if not name.startswith("XDG_")}
    env["HOME"] = str(tmp_path)
    subprocess.run([sys.executable, "-c", loads], env=env, check=True, timeout=120)
    assert [str(left.relative_to(tmp_path)) for left in tmp_path.rglob("*")] == []


def test_who_asks_for_reports_gets_none_either() -> None:
    asked = {**os.environ, "ORT_DISABLE_TELEMETRY": "0"}
    code = "import os, kemps_vision; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    told = subprocess.run(
        [sys.executable, "-c", code], env=asked, check=True, timeout=60, capture_output=True, text=True
    )
    assert told.stdout.strip() == "1"
