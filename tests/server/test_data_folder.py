"""The data folder's places, the settings that name it, and its logs."""

from __future__ import annotations

import logging
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from kemps_server.data_folder import DataFolder, default_data_folder
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.logs import KEPT, NAME, forget_secrets, logged_into
from kemps_server.settings import Settings, read_settings
from kemps_server.store.store import Store
from kemps_vision.enrolment.store import default_folder

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/data.md"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"KEMPS_{name.upper()}", raising=False)


@pytest.fixture
def made(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    folder.make()
    return folder


@pytest.fixture
def root_logger() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    before = root.level
    yield root
    root.setLevel(before)


def test_the_default_is_the_platforms_place_where_decks_lie_already(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_data_folder() == Path(platformdirs.user_data_dir("kemps", appauthor=False))
    assert read_settings().folder(None).decks == default_folder()
    monkeypatch.setenv("KEMPS_DATA_FOLDER", "elsewhere")
    assert read_settings().folder(None).root == Path("elsewhere")
    assert read_settings().folder(Path("named")).root == Path("named")


def test_a_new_folder_is_its_owners_alone_and_has_its_parts(made: DataFolder) -> None:
    assert stat.S_IMODE(made.root.stat().st_mode) == 0o700
    assert all(part.is_dir() for part in made.parts)
    made.make()  # again does no harm
    assert made.beside("thursday").parent == made.games


def test_what_a_store_puts_there_is_what_the_document_says(made: DataFolder) -> None:
    with Store.open(made) as store, logged_into(made, 100_000):
        store.games.all()
        names = {path.name for path in made.root.iterdir() if not path.name.startswith(".")}
    text = DOCUMENT.read_text(encoding="utf-8")
    tree = re.search(r"```\nDIR/\n(.*?)```", text, re.DOTALL)
    assert tree is not None
    told = {
        re.split(r"[/ ]", line.strip(), maxsplit=1)[0] for line in tree[1].splitlines() if line[2:3] != " "
    }
    made_later = {made.words.name}  # when the first word is learnt
    assert (names - {"kemps.sqlite-wal", "kemps.sqlite-shm"}) | made_later == told
    assert (made.logs / NAME).is_file()


def test_every_setting_is_in_the_document() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, setting in Settings.model_fields.items():
        assert f"`KEMPS_{name.upper()}`" in text
        assert setting.description


def test_a_setting_that_makes_no_sense_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEMPS_LOG_BYTES", "many")
    with pytest.raises(KempsServerError, match=r"KEMPS_LOG_BYTES: .*; unset it"):
        read_settings()


def test_the_address_of_a_database_is_not_shown_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEMPS_DATABASE", "postgresql://kemps:very-secret@localhost/kemps")
    settings = read_settings()
    assert "very-secret" not in repr(settings)
    assert settings.database_address == "postgresql://kemps:very-secret@localhost/kemps"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(KempsServerError, match="is a file; --data names a folder"):
        DataFolder(tmp_path / "file").make()
    with pytest.raises(StoreError, match=r"cannot be written \(.*\).*name another folder with --data"):
        DataFolder(tmp_path / "file/below").make()


@pytest.mark.usefixtures("root_logger")
def test_logs_are_in_one_place_and_old_ones_make_room(made: DataFolder) -> None:
    log = logging.getLogger("kemps_server.somewhere")
    with logged_into(made, 10_000):
        for number in range(2_000):
            log.info("event %d", number)
    files = sorted(path.name for path in made.logs.iterdir())
    assert files == [NAME, *(f"{NAME}.{number}" for number in range(1, KEPT + 1))]
    assert all(path.stat().st_size <= 10_000 for path in made.logs.iterdir())
    last = (made.logs / NAME).read_text(encoding="utf-8").splitlines()[-1]
    assert last.endswith("INFO kemps_server.somewhere: event 1999")
    log.info("after")
    assert "after" not in (made.logs / NAME).read_text(encoding="utf-8")


def test_the_terminal_hears_no_more_than_before(made: DataFolder, root_logger: logging.Logger) -> None:
    heard: list[str] = []

    class Terminal(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    terminal = Terminal()
    root_logger.setLevel(logging.WARNING)
    root_logger.addHandler(terminal)
    try:
        with logged_into(made, 10_000):
            logging.getLogger("kemps_server.somewhere").info("quiet")
            logging.getLogger("kemps_server.somewhere").warning("loud")
        assert root_logger.level == logging.WARNING
        assert terminal.level == logging.NOTSET
    finally:
        root_logger.removeHandler(terminal)
    assert heard == ["loud"]
    assert "quiet" in (made.logs / NAME).read_text(encoding="utf-8")


def test_a_log_that_cannot_be_opened_is_a_warning(made: DataFolder, caplog: pytest.LogCaptureFixture) -> None:
    (made.logs / NAME).mkdir()
    with logged_into(made, 10_000):
        logging.getLogger("kemps_server.somewhere").warning("still there")
    assert "nothing is logged there" in caplog.text
    assert "still there" in caplog.text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_log_on_a_full_disk_is_told_once_and_the_rest_goes_on(
    made: DataFolder, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    (made.logs / NAME).symlink_to("/dev/full")
    with logged_into(made, 10_000_000):
        for _ in range(3):
            logging.getLogger("kemps_server.somewhere").info("x")
    assert caplog.text.count("what happens is not logged from now on") == 1
    assert capsys.readouterr().err == ""


def test_secrets_that_older_versions_logged_are_taken_out_of_all_logs(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.logs.mkdir(parents=True)
    line = b'INFO: 127.0.0.1 - "WebSocket /api/tables/club/live?as=viewer&token=zqsecret" [accepted]\n'
    for name in (NAME, f"{NAME}.3"):
        (folder.logs / name).write_bytes(b"begun\n" + line)
    assert forget_secrets(folder) == 2
    assert forget_secrets(folder) == 0
    kept = (folder.logs / NAME).read_bytes()
    assert b"zqsecret" not in kept
    assert kept.startswith(b"begun\n")
    assert b'token=..." [accepted]' in kept
