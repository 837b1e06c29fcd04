"""Which game is played where, what the server does with a table, and when each line came."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0003"
down_revision: Final = "0002"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Add the columns and the table; lines that are there came nobody knows when."""
    op.add_column("lines", sa.Column("written_ms", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("tables", sa.Column("settings", sa.Text, nullable=False, server_default="{}"))
    op.create_table(
        "sittings",
        sa.Column("game", sa.String(80), nullable=False),
        sa.Column("table_name", sa.String(80), nullable=False),
        sa.Column("begun_at", sa.String(32), nullable=False),
        sa.Column("ended_at", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("game", name="pk_sittings"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_sittings_game", ondelete="CASCADE"),
    )
    op.create_index("ix_sittings_table_name", "sittings", ["table_name"])


def downgrade() -> None:
    """There is no way back: the copy taken before an upgrade is."""
    raise NotImplementedError("restore the copy in backups/ instead")
