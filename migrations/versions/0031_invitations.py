"""Add invitations by player id, and links that invite whoever has them.

The previous release can keep running: it sees an invitation by player id as one whose address was erased.
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

COLUMNS = """
-- No references: accounts and links are never deleted, and an invitation must not wait for a lock on them.
ALTER TABLE invitations ADD COLUMN IF NOT EXISTS account text COLLATE "C";  -- invited by player id; no address then
ALTER TABLE invitations ADD COLUMN IF NOT EXISTS link text COLLATE "C";     -- by whose page it was asked for
CREATE TABLE IF NOT EXISTS invitation_links (
    id text COLLATE "C" PRIMARY KEY,
    game integer NOT NULL REFERENCES tables,
    made_by text COLLATE "C" NOT NULL REFERENCES accounts,
    uses smallint NOT NULL,
    used smallint NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3)
);
CREATE INDEX IF NOT EXISTS invitation_links_of_table ON invitation_links (game, created_at, id);
"""

_INDEXES = {
    "invitations_of_account": "invitations (account, created_at, id) WHERE account IS NOT NULL",
    "invitations_to_address": "invitations (email, created_at, id) WHERE email IS NOT NULL",
}

# The index above begins with the same column.
_REDUNDANT = "invitations_email"


def upgrade() -> None:
    """Add the columns, which rewrites no row, and the table, and build the indexes without locking their table."""
    op.get_bind().exec_driver_sql(COLUMNS, execution_options={"no_parameters": True})
    with op.get_context().autocommit_block():
        for name, columns in _INDEXES.items():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # a failed attempt left it incomplete
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {columns}")
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {_REDUNDANT}")
