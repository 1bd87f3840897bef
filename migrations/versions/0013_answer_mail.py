"""How answers to one's own mails are wanted, of all games and of one.

A wish for a game may now be for these alone, so the one for its mails may be missing; the release before this one reads
that as no wish. The default is a constant, so no row is rewritten.
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the columns."""
    execute = op.get_bind().exec_driver_sql
    execute(
        "ALTER TABLE notifications ADD COLUMN answer_mail text NOT NULL DEFAULT 'short'"
        " CHECK (answer_mail IN ('whole', 'short', 'problems'))"
    )
    execute("ALTER TABLE game_notifications ALTER COLUMN mail DROP NOT NULL")
    execute("ALTER TABLE game_notifications ADD COLUMN answer text CHECK (answer IN ('whole', 'short', 'problems'))")
