"""Add delivery preferences, the outcome of each mail, and a list of addresses that mail does not reach.

All tables are new, and the columns have constant defaults, so no row is rewritten. The previous release can keep
running: it does not know them, and sends everything at once.
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

ACCOUNTS = """
ALTER TABLE accounts ADD COLUMN zone text NOT NULL DEFAULT 'UTC';
ALTER TABLE accounts ADD COLUMN mail_stopped_at timestamptz;
ALTER TABLE accounts ADD COLUMN mail_stopped_because text;
"""

WISHES = """
-- No row: all at once.
CREATE TABLE notifications (
    account text PRIMARY KEY REFERENCES accounts,
    turn_mail text NOT NULL DEFAULT 'at_once' CHECK (turn_mail IN ('at_once', 'digest', 'off')),
    end_mail text NOT NULL DEFAULT 'at_once' CHECK (end_mail IN ('at_once', 'digest', 'off')),
    closed_mail text NOT NULL DEFAULT 'at_once' CHECK (closed_mail IN ('at_once', 'digest', 'off')),
    invitation_mail text NOT NULL DEFAULT 'at_once' CHECK (invitation_mail IN ('at_once', 'digest', 'off')),
    digest_hour smallint NOT NULL DEFAULT 18 CHECK (digest_hour BETWEEN 0 AND 23),
    digest_due_at timestamptz      -- empty: nothing of this account goes into a digest
);
CREATE INDEX notifications_due ON notifications (digest_due_at) WHERE digest_due_at IS NOT NULL;

-- No row: as for all games.
CREATE TABLE game_notifications (
    account text NOT NULL REFERENCES accounts,
    game integer NOT NULL REFERENCES tables,
    mail text NOT NULL CHECK (mail IN ('at_once', 'digest', 'off')),
    PRIMARY KEY (account, game)
);
"""

DELIVERIES = """
-- What became of each mail to somebody with an account; `key` is the left part of its Message-ID.
CREATE TABLE deliveries (
    key text PRIMARY KEY,
    account text NOT NULL REFERENCES accounts,
    kind text NOT NULL,
    game text,
    state text NOT NULL CHECK (state IN ('queued', 'sent', 'refused', 'bounced', 'dropped')),
    reason text,
    answer text,
    address_hash bytea CHECK (length(address_hash) = 32),
    reference text,                -- the one in the address that it comes back to
    queued_at timestamptz NOT NULL,
    at timestamptz NOT NULL
);
CREATE INDEX deliveries_of_account ON deliveries (account, queued_at, key);
CREATE INDEX deliveries_at ON deliveries (at);
CREATE INDEX deliveries_reference ON deliveries (reference) WHERE reference IS NOT NULL;
CREATE INDEX deliveries_for_digest ON deliveries (account) WHERE reason = 'for_digest';

-- One a day and a mail at most, by the address that mail came back from.
CREATE TABLE bounces (
    address_hash bytea NOT NULL CHECK (length(address_hash) = 32),
    day date NOT NULL,
    mail text NOT NULL UNIQUE,
    status text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (address_hash, day)
);
CREATE INDEX bounces_at ON bounces (at);
"""


def upgrade() -> None:
    """Add the tables and columns."""
    for statements in (ACCOUNTS, WISHES, DELIVERIES):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
