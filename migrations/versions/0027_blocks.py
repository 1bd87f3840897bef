"""Add whom each player has blocked."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. The previous release does not know it, so it blocks nobody while it runs."""
    op.execute("""
CREATE TABLE blocks (
    account text COLLATE "C" NOT NULL REFERENCES accounts,
    blocked text COLLATE "C" NOT NULL REFERENCES accounts,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (account, blocked)
)
""")
    op.execute("CREATE INDEX blocks_listed ON blocks (account, created_at, blocked)")
    op.execute("CREATE INDEX blocks_of ON blocks (blocked)")  # for the deletion of an account
