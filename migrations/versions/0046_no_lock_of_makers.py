"""Drop the foreign key of a table's maker, which locked other players' accounts and so led to deadlocks.

Postgres checks a foreign key again whenever a row is updated that the same transaction has written before, whether or
not the key has changed. So whoever updated a table twice, as a start does, locked its maker's account after the table,
while a deletion of that account locks the table after the account. Accounts are never deleted, only erased, so there is
nothing that the key prevents. The previous release can keep running.
"""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the constraint."""
    op.execute("ALTER TABLE tables DROP CONSTRAINT IF EXISTS tables_maker_fkey")
