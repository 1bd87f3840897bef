"""Note the language in which somebody has asked for an invitation on the page of an invitation link.

It is null for all others, which are written in the inviter's language. The previous release can keep running: it writes
these too in that language.
"""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute('ALTER TABLE invitations ADD COLUMN IF NOT EXISTS language text COLLATE "C"')
