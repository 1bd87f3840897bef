"""Add clocks: the settings of a table, what players set, what the projection knows, and what the worker has to do.

New columns are empty or have constant defaults, so no row is rewritten. The previous release can keep running: a move
that it makes leaves `progress.clock_seq` behind the version, by which this release sees that it has to fold the log
again. Running games get the time at which they must be looked at in small batches, and indexes are built without
locking their table. If it is interrupted, it can be run again.
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_PIECE = 10_000

COLUMNS = """
-- In the order in which a move takes its locks.
ALTER TABLE progress ADD COLUMN IF NOT EXISTS acted_seq smallint;        -- the last entry that is no mark
ALTER TABLE progress ADD COLUMN IF NOT EXISTS clock_seq smallint;        -- the version that these columns are of
ALTER TABLE progress ADD COLUMN IF NOT EXISTS clock text;
ALTER TABLE progress ADD COLUMN IF NOT EXISTS clock_due_at timestamptz(3);
ALTER TABLE progress ADD COLUMN IF NOT EXISTS runs_out_at timestamptz(3);

ALTER TABLE tables ADD COLUMN IF NOT EXISTS clock text;                  -- RFC 8785; empty: no clock
ALTER TABLE tables ADD COLUMN IF NOT EXISTS abandoned_after text NOT NULL DEFAULT 'P90D';
-- Counts changes of what the players' clocks depend on and nobody else may see. It is in no ETag.
ALTER TABLE tables ADD COLUMN IF NOT EXISTS facts integer NOT NULL DEFAULT 0;

ALTER TABLE accounts ADD COLUMN IF NOT EXISTS quiet jsonb;               -- the windows of now; the zone is beside it
ALTER TABLE accounts ADD COLUMN IF NOT EXISTS absences jsonb;            -- [[announced, begins, ends], …] in order

ALTER TABLE notifications ADD COLUMN IF NOT EXISTS reminder_mail text NOT NULL DEFAULT 'at_once'
    CONSTRAINT notifications_reminder_mail CHECK (reminder_mail IN ('at_once', 'digest', 'off'));
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS reminders jsonb;      -- [[point, chosen at], …]; empty: usual ones

ALTER TABLE incoming ALTER COLUMN about TYPE text COLLATE "C";           -- for an index of it
"""

TABLES = """
CREATE TABLE IF NOT EXISTS schedules (
    account text COLLATE "C" NOT NULL REFERENCES accounts,
    set_at timestamptz NOT NULL,
    zone text NOT NULL,
    quiet jsonb,
    PRIMARY KEY (account, set_at)
);

-- What was said in the running stretch; a word that was taken is deleted.
CREATE TABLE IF NOT EXISTS clock_words (
    game integer NOT NULL REFERENCES tables,
    seat smallint NOT NULL,
    wait smallint NOT NULL,
    duration text NOT NULL,
    at timestamptz(3) NOT NULL,
    PRIMARY KEY (game, seat)
);

-- `round` is the entry from which the points count: that which began the stretch, or the last time that was given.
CREATE TABLE IF NOT EXISTS reminders (
    game integer NOT NULL REFERENCES tables,
    round smallint NOT NULL,
    which text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,  -- no reference: who plans reminders must not wait for a deletion
    wait smallint NOT NULL,
    due_at timestamptz(3) NOT NULL,
    sent_at timestamptz(3),
    PRIMARY KEY (game, round, which)
);
CREATE INDEX IF NOT EXISTS reminders_due ON reminders (due_at) WHERE sent_at IS NULL;
CREATE INDEX IF NOT EXISTS reminders_of_account ON reminders (account, due_at);
CREATE INDEX IF NOT EXISTS reminders_sent ON reminders (sent_at) WHERE sent_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS service_signs (part text COLLATE "C" PRIMARY KEY, at timestamptz(3) NOT NULL);

-- From a part's last sign to its next; `settled_at` once the clocks have been given back what it cost them.
CREATE TABLE IF NOT EXISTS failures (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    part text NOT NULL,
    began_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3) NOT NULL,
    settled_at timestamptz(3)
);
CREATE INDEX IF NOT EXISTS failures_unsettled ON failures (id) WHERE settled_at IS NULL;
CREATE INDEX IF NOT EXISTS failures_ended ON failures (ended_at);
"""

# 14 days before the least time after which a game counts as abandoned.
_RUNNING = """
    UPDATE progress SET acted_seq = version, clock_seq = version, clock_due_at = last_at + interval '76 days'
     WHERE status = 'running' AND clock_seq IS NULL AND game BETWEEN %(first)s AND %(last)s
"""

_INDEXES = {
    # What the worker has to look at
    "progress_clock_due": "progress (clock_due_at) WHERE clock_due_at IS NOT NULL",
    # Whether a mail of a seat is waiting to be read
    "incoming_waiting": "incoming (about, seat) WHERE state = 'waiting'",
}


def upgrade() -> None:
    """Add the columns and tables, correct the running games, and build the indexes."""
    for statements in (COLUMNS, TABLES):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
    with op.get_context().autocommit_block():
        connection = op.get_bind()
        newest = connection.exec_driver_sql("SELECT coalesce(max(key), 0) FROM tables").scalar_one()
        for first in range(0, newest + 1, _PIECE):
            connection.exec_driver_sql(_RUNNING, {"first": first, "last": first + _PIECE - 1})
        for name, columns in _INDEXES.items():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # a failed attempt left it incomplete
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {columns}")
