"""Create the first schema.

There is no downgrade: the log is append-only, and a step back would have to drop it.
"""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ACCOUNTS = """
CREATE TABLE accounts (
    id text PRIMARY KEY,
    email text UNIQUE,
    name text,
    language text NOT NULL DEFAULT 'en',
    created_at timestamptz NOT NULL,
    erased_at timestamptz
);

-- Kept so that what is left of them can be erased with the account.
CREATE TABLE former_addresses (
    account text NOT NULL REFERENCES accounts,
    email text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (account, email)
);

-- The codes themselves are nowhere: they follow from the secret key, the purpose and the id.
CREATE TABLE codes (
    id text PRIMARY KEY,
    purpose text NOT NULL CHECK (purpose IN ('sign-in', 'email-change')),
    email text NOT NULL,
    account text REFERENCES accounts,
    former_email text,      -- the address to be told of a change that was confirmed; empty once it was told
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    used_at timestamptz
);
CREATE INDEX codes_email ON codes (email);
CREATE INDEX codes_account ON codes (account);

CREATE TABLE tokens (
    id text PRIMARY KEY,
    account text NOT NULL REFERENCES accounts,
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    label text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz
);
CREATE INDEX tokens_account ON tokens (account);
"""

TABLES = """
CREATE TABLE tables (
    key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('match', 'solo')),
    seats smallint NOT NULL,
    goal_discs smallint NOT NULL,
    visibility text NOT NULL CHECK (visibility IN ('public', 'private')),
    maker text REFERENCES accounts,
    commitment bytea NOT NULL CHECK (length(commitment) = 32),
    created_at timestamptz NOT NULL,
    revision integer NOT NULL DEFAULT 0,
    closed_at timestamptz,
    closed_because text
);

CREATE TABLE seats (
    game integer NOT NULL REFERENCES tables,
    seat smallint NOT NULL,
    account text NOT NULL REFERENCES accounts,
    entropy text NOT NULL DEFAULT '',
    joined_at timestamptz NOT NULL,
    PRIMARY KEY (game, seat),
    UNIQUE (account, game)
);

CREATE TABLE draw_secrets (
    game integer PRIMARY KEY REFERENCES tables,
    server_seed bytea NOT NULL CHECK (length(server_seed) = 32)
);

CREATE TABLE invitations (
    id text PRIMARY KEY,
    game integer NOT NULL REFERENCES tables,
    email text,
    invited_by text REFERENCES accounts,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    taken_back_at timestamptz,
    declined_at timestamptz,
    used_at timestamptz
);
CREATE INDEX invitations_game ON invitations (game);
CREATE INDEX invitations_email ON invitations (email);
"""

LOG = """
CREATE TABLE setups (
    game integer PRIMARY KEY REFERENCES tables,
    header text NOT NULL
);

CREATE TABLE log (
    game integer NOT NULL REFERENCES setups,
    seq smallint NOT NULL CHECK (seq > 0),
    at timestamptz(3) NOT NULL,
    seat smallint,
    by text NOT NULL DEFAULT '',
    move text NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (game, seq) INCLUDE (at, seat, by, move)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'append-only: % of % is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END;
$$;
"""

APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_truncate;
"""
"""Statement triggers, ALWAYS enabled, so that they hold for the table's owner and in a replica session too."""

PROGRESS = """
-- A projection of setups and log: it can be made again from them.
CREATE TABLE progress (
    game integer PRIMARY KEY REFERENCES setups,
    status text NOT NULL CHECK (status IN ('running', 'finished')),
    version smallint NOT NULL,
    head bytea NOT NULL CHECK (length(head) = 32),
    last_at timestamptz(3) NOT NULL,
    turn smallint,
    turn_account text,
    wait_seq smallint,
    ended_at timestamptz(3),
    result text
);
CREATE INDEX progress_turn ON progress (turn_account, game) WHERE turn_account IS NOT NULL;
"""

SUNDRY = """
CREATE TABLE never_mail (
    address_hash bytea PRIMARY KEY CHECK (length(address_hash) = 32),
    at timestamptz NOT NULL
);

CREATE TABLE idempotency (
    account text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
    status smallint,
    headers jsonb,
    body text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account, method, path, key)
);
CREATE INDEX idempotency_created_at ON idempotency (created_at);

-- Counters of at most a day, lost without harm when the database goes down hard.
CREATE UNLOGGED TABLE rate_limits (
    key text PRIMARY KEY,
    count integer NOT NULL,
    expires_at timestamptz NOT NULL
);
"""


def upgrade() -> None:
    """Create every table of the service except those of the job queue."""
    guards = [APPEND_ONLY.format(table=table) for table in ("setups", "log")]
    for statements in (ACCOUNTS, TABLES, LOG, *guards, PROGRESS, SUNDRY):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
