"""Tables, users, tokens and decisions of a store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from kemps_rules.events import CentreSwept, Retracted, Reviewed, Ruled, Undone
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.store import passwords
from kemps_server.store.passwords import hash_password, is_password
from kemps_server.store.store import Store
from kemps_server.store.users import Role
from kemps_vision.errors import ConfigError

OpenStore = Callable[[], Store]
CONFIG = '[[camera]]\nname = "table"\nrole = "table"\n'


@pytest.fixture
def quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords hashed cheaply: what they cost is not what is tested."""
    monkeypatch.setattr(passwords, "_LOG_N", 4)


@pytest.fixture
def nine_o_clock(folder: DataFolder) -> tuple[Store, list[datetime]]:
    now = [datetime(2026, 3, 5, 21, 0, tzinfo=UTC)]
    return Store.open(folder, clock=lambda: now[0]), now


def test_a_table_is_kept_as_it_was_written(open_store: OpenStore) -> None:
    store = open_store()
    store.tables.save("table-1", f"# ours\n{CONFIG}")
    kept = open_store().tables.find("table-1")
    assert kept is not None
    assert kept.config == f"# ours\n{CONFIG}"
    assert kept.parsed.table_camera.name == "table"
    store.tables.save("table-1", CONFIG)
    assert [table.config for table in store.tables.all()] == [CONFIG]
    store.tables.remove("table-1")
    assert store.tables.find("table-1") is None


def test_a_table_that_makes_no_sense_does_not_replace_one_that_does(open_store: OpenStore) -> None:
    store = open_store()
    store.tables.save("table-1", CONFIG)
    with pytest.raises(ConfigError, match="table table-1"):
        store.tables.save("table-1", "rulez = 1")
    with pytest.raises(KempsServerError, match="cannot name a table"):
        store.tables.save("../x", CONFIG)
    assert [table.config for table in store.tables.all()] == [CONFIG]


@pytest.mark.usefixtures("quick_hash")
def test_a_user_logs_in_by_the_password_alone(open_store: OpenStore) -> None:
    store = open_store()
    ann = store.users.add("Ann", Role.REFEREE, "correct horse")
    assert store.users.log_in("Ann", "correct horse") == ann
    assert store.users.log_in("Ann", "correct horsf") is None
    assert store.users.log_in("ann", "correct horse") is None
    assert store.users.log_in("Ann", "correct \ud800") is None
    assert store.users.log_in("Ann\ud800\x00", "correct horse") is None
    store.users.set_password("Ann", "battery staple")
    assert store.users.log_in("Ann", "correct horse") is None
    store.users.set_role("Ann", Role.OWNER)
    found = open_store().users.log_in("Ann", "battery staple")
    assert found is not None
    assert found.role is Role.OWNER


def test_passwords_are_not_in_the_database(store: Store) -> None:
    store.users.add("Ann", Role.OWNER, "correct horse")
    with store.database.reading() as connection:
        rows = connection.execute(text("SELECT * FROM users")).all()
    assert "correct horse" not in repr(rows)
    assert "$15$8$3$" in repr(rows)  # the cost, in each hash
    one, other = hash_password("correct horse"), hash_password("correct horse")
    assert one != other
    assert is_password("correct horse", one)
    assert not is_password("x" * 2000, one)
    assert not is_password("correct horse", one.replace("scrypt", "plain"))


@pytest.mark.usefixtures("quick_hash")
@pytest.mark.parametrize(
    ("name", "password", "message"),
    [
        ("Ann", "battery staple", "there is a user 'Ann' already"),
        ("Bo", "short", "too short; take at least 8"),
        ("Bo", "x" * 1025, "too long"),
        ("", "battery staple", "cannot name a user"),
        (" Bo", "battery staple", "cannot name a user"),
        ("B\no", "battery staple", "cannot name a user"),
        ("B\ud800", "battery staple", "cannot name a user"),
    ],
)
def test_a_user_that_cannot_be_is_one_line(store: Store, name: str, password: str, message: str) -> None:
    store.users.add("Ann", Role.PLAYER, "correct horse")
    with pytest.raises(KempsServerError, match=message):
        store.users.add(name, Role.OWNER, password)
    assert [user.name for user in store.users.all()] == ["Ann"]
    with pytest.raises(KempsServerError, match="no user 'Cy'"):
        store.users.set_role("Cy", Role.OWNER)


def test_a_token_holds_until_it_is_revoked(open_store: OpenStore) -> None:
    store = open_store()
    token, secret = store.tokens.issue(Role.VIEWER, "overlay of table 1")
    assert open_store().tokens.find(secret) == token
    assert store.tokens.find(secret[:-1] + ("a" if secret[-1] != "a" else "b")) is None
    store.tokens.revoke(token.id)
    assert open_store().tokens.find(secret) is None
    assert store.tokens.find("\ud800") is None
    with pytest.raises(KempsServerError, match="no token"):
        store.tokens.revoke("nothing")


def test_a_token_runs_out(nine_o_clock: tuple[Store, list[datetime]]) -> None:
    store, now = nine_o_clock
    with store:
        token, secret = store.tokens.issue(Role.PLAYER, "tonight", lasts=timedelta(hours=3))
        assert store.tokens.find(secret) == token
        now[0] += timedelta(hours=3)
        assert store.tokens.find(secret) is None
        store.tokens.revoke(token.id)
        revoked = store.tokens.all()[0].revoked_at
        now[0] += timedelta(hours=1)
        store.tokens.revoke(token.id)
        assert store.tokens.all()[0].revoked_at == revoked == "2026-03-06T00:00:00.000000+00:00"


def test_secrets_are_not_in_the_database_file(folder: DataFolder) -> None:
    with Store.open(folder) as store:
        _, secret = store.tokens.issue(Role.OWNER, "mine")
    written = b"".join(path.read_bytes() for path in sorted(folder.root.glob("kemps.sqlite*")))
    assert secret.encode() not in written


@pytest.mark.usefixtures("quick_hash")
def test_a_users_tokens_go_with_the_user(open_store: OpenStore) -> None:
    store = open_store()
    store.users.add("Ann", Role.REFEREE, "correct horse")
    _, secret = store.tokens.issue(Role.REFEREE, "desk", user="Ann")
    with pytest.raises(KempsServerError, match="no user 'Bo'"):
        store.tokens.issue(Role.REFEREE, "desk", user="Bo")
    store.users.remove("Ann")
    assert store.tokens.find(secret) is None
    assert store.users.find("Ann") is None


def test_decisions_are_lines_of_the_journal(open_store: OpenStore, header: str) -> None:
    store = open_store()
    call = '{"kind":"called","at_ms":41250,"seat":"C","call":"kemps"}\n'
    game = store.games.take_in("Thursday", f"{header}{call}".encode()).game.id
    other = store.games.take_in("Friday", f"{header.replace('Ann', 'Anna')}{call}".encode()).game.id
    ruling = store.decisions.add(game, Ruled(at_ms=99_000, event=1, ruling="right", by="ref", why="seen"))
    assert (ruling.line, ruling.by) == (2, "ref")
    store.decisions.add(
        game, Reviewed(at_ms=99_500, rule="R8", events=(1,), decision="dismiss", by="ref", why="no")
    )
    store.decisions.add(game, Undone(at_ms=99_900, event=2, by="owner"))
    store.decisions.add(other, Retracted(at_ms=99_900, event=1, by="owner"))
    found = open_store().decisions.of(game)
    assert [(one.line, one.event.kind, one.by) for one in found] == [
        (2, "ruled", "ref"),
        (3, "reviewed", "ref"),
        (4, "undone", "owner"),
    ]
    assert len(store.decisions.of()) == 4
    assert store.games.journal(game).read(2, 3)[0].event == ruling.event
    with pytest.raises(KempsServerError, match="no person's decision"):
        store.decisions.add(game, CentreSwept(at_ms=1, seat="A"))


def test_decks_are_those_of_the_folder(store: Store) -> None:
    assert store.decks.folder == store.folder.decks
    assert store.decks.names() == []
