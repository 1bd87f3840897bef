"""Answers to two more questions: whether a player wants no more mails of a game, or no more talk in them.

The release before this one may run on: it asks neither, and takes such an answer for a mail about no game.
"""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Lets mails to these addresses in. The rows that are there are looked at apart, so that nobody waits for that."""
    execute = op.get_bind().exec_driver_sql
    execute("ALTER TABLE incoming DROP CONSTRAINT incoming_kind_check")
    execute(
        "ALTER TABLE incoming ADD CONSTRAINT incoming_kind_check CHECK"
        " (kind IN ('service', 'play', 'leave', 'stop', 'mute', 'code', 'invitation', 'bounce')) NOT VALID"
    )
    execute("ALTER TABLE incoming VALIDATE CONSTRAINT incoming_kind_check")
