"""The tables of the database as they are today; ``migrations`` leads older ones here."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

HEAD: Final = "0005"
"""The version of the schema below: the last of the migrations."""

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)

games: Final = Table(
    "games",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("title", Text, nullable=False),
    Column("added_at", String(32), nullable=False),  # ISO 8601, UTC
    Column("opening", String(64), nullable=False, server_default=""),  # sha256 of the header's text
    Column("settings", Text, nullable=False, server_default="{}"),  # JSON: whether it is kept, consent
    Column("revision", Integer, nullable=False, server_default="0"),  # how often lines were rewritten
    Index("ix_games_opening", "opening"),
)

lines: Final = Table(
    "lines",
    metadata,
    Column("game", String(80), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),  # the line as it stands in the file, with its newline
    Column("kind", Text, nullable=False, server_default=""),  # of its event, for looking it up
    Column("written_ms", BigInteger, nullable=False, server_default="0"),  # of the clock, since 1970
    sqlite_with_rowid=False,
)

tables: Final = Table(
    "tables",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("config", Text, nullable=False),  # table.toml
    Column("changed_at", String(32), nullable=False),
    Column("settings", Text, nullable=False, server_default="{}"),  # JSON: delay, overlay
)

sittings: Final = Table(
    "sittings",
    metadata,
    Column("game", String(80), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("table_name", String(80), nullable=False),
    Column("begun_at", String(32), nullable=False),
    Column("ended_at", String(32), nullable=True),
    Index("ix_sittings_table_name", "table_name"),
)

users: Final = Table(
    "users",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("password", Text, nullable=False),  # a salted hash
    Column("added_at", String(32), nullable=False),
)

tokens: Final = Table(
    "tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),  # sha256 of the secret
    Column("role", String(16), nullable=False),
    Column("label", Text, nullable=False),
    Column("user", String(80), ForeignKey("users.name", ondelete="CASCADE"), nullable=True),
    Column("issued_at", String(32), nullable=False),
    Column("expires_at", String(32), nullable=True),
    Column("revoked_at", String(32), nullable=True),
    Column("kind", String(16), nullable=False, server_default="link"),  # or session: of a login
    Column("seen_at", String(32), nullable=True),  # a session's last use, some minutes exact
    Column("leads_to", Text, nullable=False, server_default=""),  # the page a link was made for
)

choices: Final = Table(
    "choices",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)

acts: Final = Table(
    "acts",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=True),
    Column("game", String(80), ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("key", String(80), nullable=False),  # the client's: an act that is sent twice is done once
    Column("digest", String(64), nullable=False),  # of what was sent
    Column("person", Text, nullable=False),
    Column("noted_at", String(32), nullable=False),
    Column("incident", String(80), nullable=False),  # empty for a decision about none
    Column("opinion", String(16), nullable=False),  # sealed: what it was; empty for an open act
    Column("why", Text, nullable=False),  # of the opinion
    Column("first", Integer, nullable=False),  # the first line it added to the journal
    Column("count", Integer, nullable=False),  # and how many
    UniqueConstraint("game", "key"),
)
