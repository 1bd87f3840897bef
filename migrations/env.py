"""Alembic's entry: runs the migrations on the connection that ``service.store.migrate`` hands over.

The caller holds the advisory lock, so that upgrades at the same time are safe, and has no transaction open: each
migration has one of its own, or none where it builds an index without locking the table.
"""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
