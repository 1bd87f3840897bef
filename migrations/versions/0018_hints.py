"""What turn mails tell beside the rules: where a tile would cover goals, and how to move over HTTP.

A table may forbid the first for all at it, an account may not want it. The second goes to whoever has an access token,
unless something else is wished. The defaults are constants, so no row is rewritten; the release before this one may run
on: it does not know these columns.
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the columns."""
    execute = op.get_bind().exec_driver_sql
    execute("ALTER TABLE tables ADD COLUMN hints boolean NOT NULL DEFAULT true")
    execute("ALTER TABLE notifications ADD COLUMN hints boolean NOT NULL DEFAULT true")
    execute(
        "ALTER TABLE notifications ADD COLUMN http_commands text NOT NULL DEFAULT 'auto'"
        " CHECK (http_commands IN ('auto', 'on', 'off'))"
    )
