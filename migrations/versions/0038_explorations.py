"""Add explorations: what might have followed a position of a game, each of one account.

The previous release can keep running: it knows nothing of this table. No trigger for events or checkpoints is on it.
"""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE explorations (
    id text COLLATE "C" PRIMARY KEY,
    account text COLLATE "C" NOT NULL REFERENCES accounts,
    origin integer NOT NULL REFERENCES tables,
    seq smallint NOT NULL CHECK (seq >= 0),  -- the last entry of the origin that is kept
    hash bytea NOT NULL CHECK (length(hash) = 32),  -- that entry's
    tiles smallint NOT NULL CHECK (tiles BETWEEN 11 AND 68),  -- so many of the draw order are the origin's
    seed bytea CHECK (length(seed) = 32),  -- shuffles the others
    seat smallint CHECK (seat BETWEEN 0 AND 3),
    bot text,  -- plays the other seats; without one, the account plays all
    moves text NOT NULL CHECK (length(moves) <= 65536),
    version smallint NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'finished')),
    created_at timestamptz(3) NOT NULL,
    CHECK ((tiles = 68) = (seed IS NULL)),
    CHECK ((bot IS NULL) = (seat IS NULL))
);
CREATE INDEX explorations_of_account ON explorations (account, created_at, id);
"""


def upgrade() -> None:
    """Add the table."""
    op.get_bind().exec_driver_sql(TABLE, execution_options={"no_parameters": True})
