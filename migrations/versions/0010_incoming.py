"""Add incoming mails: stored until they are read, and then the outcome of each, so that none acts twice.

The table is new. The previous release can keep running: it does not know the table, and receives no mail.
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

INCOMING = """
CREATE TABLE incoming (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32),   -- the same for a mail that is brought again
    received_at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('service', 'play', 'leave', 'code', 'invitation', 'bounce')),
    about text,                          -- the id, or the reference, in the address that it was sent to
    seat smallint,
    version integer,
    sender text,                         -- of the envelope; '': a delivery report
    authentication jsonb NOT NULL,       -- what the relay found, by method
    raw bytea,                           -- empty once it was read, as is the sender
    state text NOT NULL CHECK (state IN ('waiting', 'read', 'answered')),
    outcome jsonb,                       -- what came of it, until that was answered
    at timestamptz NOT NULL
);
CREATE INDEX incoming_received_at ON incoming (received_at);
"""


def upgrade() -> None:
    """Add the table."""
    op.get_bind().exec_driver_sql(INCOMING, execution_options={"no_parameters": True})
