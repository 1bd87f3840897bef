"""Alembic's entry: runs the migrations on the connection that ``service.store.migrate`` hands over.

The caller has opened the transaction and holds the advisory lock, so that upgrades at the same time are safe.
"""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection)
with context.begin_transaction():
    context.run_migrations()
