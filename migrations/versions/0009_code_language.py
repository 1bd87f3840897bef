"""A code knows the language in which it was asked for, so that the first mail to somebody can be read.

The default is what the release before this one writes, and what it said until now; no row is rewritten.
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.execute("ALTER TABLE codes ADD COLUMN language text NOT NULL DEFAULT 'en'")
