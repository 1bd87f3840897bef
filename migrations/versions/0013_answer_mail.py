"""Add the delivery preference for answers to one's own mails, for all games and for one.

A preference for a game may now be for these alone, so the one for its mails may be missing; the previous release reads
that as no preference. The default is a constant, so no row is rewritten.
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    execute = op.get_bind().exec_driver_sql
    execute(
        "ALTER TABLE notifications ADD COLUMN answer_mail text NOT NULL DEFAULT 'short'"
        " CHECK (answer_mail IN ('whole', 'short', 'problems'))"
    )
    execute("ALTER TABLE game_notifications ALTER COLUMN mail DROP NOT NULL")
    execute("ALTER TABLE game_notifications ADD COLUMN answer text CHECK (answer IN ('whole', 'short', 'problems'))")
