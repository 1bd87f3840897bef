"""Store with a sign-in code the language it was requested in, so that the first mail to somebody is understood.

The default is what the previous release writes, and what it used until now; no row is rewritten.
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE codes ADD COLUMN language text NOT NULL DEFAULT 'en'")
