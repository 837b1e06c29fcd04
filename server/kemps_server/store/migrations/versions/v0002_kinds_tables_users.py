"""The kind of each line, what tells games apart, tables that were set up, users and tokens."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0002"
down_revision: Final = "0001"
branch_labels: Final = None
depends_on: Final = None

_BATCH: Final = 5_000


def upgrade() -> None:
    """Add the columns and fill them from what is there; make the tables."""
    op.add_column("games", sa.Column("opening", sa.String(64), nullable=False, server_default=""))
    op.add_column("lines", sa.Column("kind", sa.Text, nullable=False, server_default=""))
    _fill()
    op.create_index("ix_games_opening", "games", ["opening"])
    op.create_table(
        "tables",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("changed_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_tables"),
    )
    op.create_table(
        "users",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("added_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_users"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("user", sa.String(80), nullable=True),
        sa.Column("issued_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32), nullable=True),
        sa.Column("revoked_at", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
        sa.ForeignKeyConstraint(["user"], ["users.name"], name="fk_tokens_user", ondelete="CASCADE"),
    )


def downgrade() -> None:
    """There is no way back: the copy taken before an upgrade is."""
    raise NotImplementedError("restore the copy in backups/ instead")


def _fill() -> None:
    games = sa.table("games", sa.column("id", sa.String), sa.column("opening", sa.String))
    lines = sa.table(
        "lines",
        sa.column("game", sa.String),
        sa.column("n", sa.Integer),
        sa.column("text", sa.Text),
        sa.column("kind", sa.Text),
    )
    connection = op.get_bind()
    set_kind = (
        lines.update()
        .where(lines.c.game == sa.bindparam("of_game"), lines.c.n == sa.bindparam("of_n"))
        .values(kind=sa.bindparam("to_kind"))
    )
    for game in connection.scalars(sa.select(games.c.id)).all():
        rows = connection.execute(
            sa.select(lines.c.n, lines.c.text).where(lines.c.game == game).order_by(lines.c.n)
        ).all()
        values = [{"of_game": game, "of_n": n, "to_kind": _kind(text)} for n, text in rows]
        for start in range(0, len(values), _BATCH):
            connection.execute(set_kind, values[start : start + _BATCH])
        opening = next((text for _, text in rows if text.strip()), "").rstrip("\r\n")
        digest = sha256(opening.encode()).hexdigest()
        connection.execute(games.update().where(games.c.id == game).values(opening=digest))


def _kind(text: str) -> str:
    if not text.strip("\ufeff \t\r\n\v\f"):
        return ""
    kind = json.loads(text.removeprefix("\ufeff")).get("kind")
    return kind if isinstance(kind, str) else ""
