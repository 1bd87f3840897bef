"""Let browsers sign in: sessions beside the access tokens, and codes that a browser has asked for.

The previous release can keep running: it lists and revokes a session like a token, and mails codes without a link.
"""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS kind text COLLATE "C" NOT NULL DEFAULT 'token';  -- or 'session'
ALTER TABLE codes ADD COLUMN IF NOT EXISTS browser bytea;  -- the hash of the secret of the browser that asked for it
"""


def upgrade() -> None:
    """Add the columns, which rewrites no row."""
    op.get_bind().exec_driver_sql(COLUMNS, execution_options={"no_parameters": True})
