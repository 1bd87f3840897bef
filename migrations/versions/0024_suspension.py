"""Add when an account was suspended, and whether an access token is of a suspended account.

The second follows from the first. It stands beside the token because the token is looked up with each request.
"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, which rewrites no row. The previous release does not know that anybody is suspended."""
    op.execute("ALTER TABLE accounts ADD COLUMN suspended_at timestamptz")
    op.execute("ALTER TABLE tokens ADD COLUMN suspended boolean NOT NULL DEFAULT false")
