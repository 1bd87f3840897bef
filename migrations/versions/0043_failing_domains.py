"""Note since when a domain has taken no mail, so that mails to it are given up by that and not by their own age.

The previous release can keep running: for what its workers note first, the time is that of the next failure.
"""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE mail_domains ADD COLUMN IF NOT EXISTS failing_since timestamptz")
