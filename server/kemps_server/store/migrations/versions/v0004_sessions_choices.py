"""Sessions beside links, what the owner chose, and how often a game was rewritten."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0004"
down_revision: Final = "0003"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Add the columns and the table; tokens that are there are links."""
    op.add_column("games", sa.Column("settings", sa.Text, nullable=False, server_default="{}"))
    op.add_column("games", sa.Column("revision", sa.Integer, nullable=False, server_default="0"))
    op.add_column("tokens", sa.Column("kind", sa.String(16), nullable=False, server_default="link"))
    op.add_column("tokens", sa.Column("seen_at", sa.String(32), nullable=True))
    op.add_column("tokens", sa.Column("leads_to", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "choices",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_choices"),
    )


def downgrade() -> None:
    """There is no way back: the copy taken before an upgrade is."""
    raise NotImplementedError("restore the copy in backups/ instead")
