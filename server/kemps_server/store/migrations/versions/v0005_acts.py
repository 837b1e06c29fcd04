"""What was done at the referee's desk: each act once, and opinions that are kept sealed for a while."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0005"
down_revision: Final = "0004"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "acts",
        sa.Column("n", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("game", sa.String(80), nullable=False),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("noted_at", sa.String(32), nullable=False),
        sa.Column("incident", sa.String(80), nullable=False),
        sa.Column("opinion", sa.String(16), nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("n", name="pk_acts"),
        sa.UniqueConstraint("game", "key", name="uq_acts_game"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_acts_game", ondelete="CASCADE"),
    )


def downgrade() -> None:
    """There is no way back: the copy taken before an upgrade is."""
    raise NotImplementedError("restore the copy in backups/ instead")
