"""Add an index of guests, who play solos without an address, by which those whose session is over are erased.

The previous release can keep running: to it, a guest is an account whose address it does not know.
"""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_INDEX = "accounts_guests"


def upgrade() -> None:
    """Build the index without locking the table."""
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {_INDEX}")  # a failed attempt left it incomplete
        op.execute(
            f"CREATE INDEX CONCURRENTLY {_INDEX} ON accounts (created_at) WHERE email IS NULL AND erased_at IS NULL"
        )
