"""Allow answers to two more questions: whether a player wants no more mails of a game, or no more messages in them.

The previous release can keep running: it asks neither, and treats such an answer as a mail about no game.
"""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Accept mails to these addresses; existing rows are validated separately, so that nobody waits for that."""
    execute = op.get_bind().exec_driver_sql
    execute("ALTER TABLE incoming DROP CONSTRAINT incoming_kind_check")
    execute(
        "ALTER TABLE incoming ADD CONSTRAINT incoming_kind_check CHECK"
        " (kind IN ('service', 'play', 'leave', 'stop', 'mute', 'code', 'invitation', 'bounce')) NOT VALID"
    )
    execute("ALTER TABLE incoming VALIDATE CONSTRAINT incoming_kind_check")
