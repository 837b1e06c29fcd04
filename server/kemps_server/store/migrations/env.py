"""Run by Alembic: the steps go over the connection, and in the transaction, of whoever asked for them."""

from __future__ import annotations

from alembic import context

from kemps_server.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
