"""Games and the lines of their journals."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Make the two tables."""
    op.create_table(
        "games",
        sa.Column("id", sa.String(80), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("added_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_table(
        "lines",
        sa.Column("game", sa.String(80), nullable=False),
        sa.Column("n", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", "n", name="pk_lines"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_lines_game", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """There is no way back: the copy taken before an upgrade is."""
    raise NotImplementedError("restore the copy in backups/ instead")
