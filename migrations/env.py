"""Alembic's entry point: run the migrations on the connection that ``service.store.migrate`` passes in.

The caller holds the advisory lock, so that concurrent upgrades are safe, and has no transaction open. Each migration
has a transaction of its own, or none if it builds an index without locking the table.
"""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
