"""Add two settings of turn mails: where a tile would cover goals, and how to move over HTTP.

A table can forbid the former for all its players, and an account can turn it off. The latter is for accounts with an
access token, unless they choose otherwise. The defaults are constants, so no row is rewritten. The previous release can
keep running: it does not know these columns.
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    execute = op.get_bind().exec_driver_sql
    execute("ALTER TABLE tables ADD COLUMN hints boolean NOT NULL DEFAULT true")
    execute("ALTER TABLE notifications ADD COLUMN hints boolean NOT NULL DEFAULT true")
    execute(
        "ALTER TABLE notifications ADD COLUMN http_commands text NOT NULL DEFAULT 'auto'"
        " CHECK (http_commands IN ('auto', 'on', 'off'))"
    )
