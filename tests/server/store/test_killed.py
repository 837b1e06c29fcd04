"""Writers killed in the middle of it: what they acknowledged is there."""

from __future__ import annotations

from kemps_server.bench.journal_kills import kill_writers
from kemps_server.data_folder import DataFolder


def test_what_a_killed_writer_acknowledged_is_kept(folder: DataFolder) -> None:
    report = kill_writers(folder, times=3, seed=11)
    assert (report.kills, report.lost, report.not_opened) == (3, 0, 0)
    assert report.kept >= report.acknowledged > 10
