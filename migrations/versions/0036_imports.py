"""Add imports: games that were played elsewhere, and that accounts have brought here to replay them.

The previous release can keep running: it knows nothing of this table.
"""

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE imports (
    id text COLLATE "C" PRIMARY KEY,
    account text COLLATE "C" NOT NULL REFERENCES accounts,
    imported_at timestamptz(3) NOT NULL,
    digest bytea NOT NULL CHECK (length(digest) = 32),  -- SHA-256 of the content: the same game is imported once
    content text NOT NULL CHECK (length(content) <= 1048576),
    is_record boolean NOT NULL,
    summary text NOT NULL,
    shared boolean NOT NULL DEFAULT false,
    UNIQUE (account, digest)
);
CREATE INDEX imports_of_account ON imports (account, imported_at, id);
"""


def upgrade() -> None:
    """Add the table."""
    op.get_bind().exec_driver_sql(TABLE, execution_options={"no_parameters": True})
