"""Add the checkpoints: a log over all games' logs, in which a signed note commits to everything before it.

All tables are append-only, like the log itself. They are no projection: a tree that was signed cannot be made again,
because its padding is random, and must not be. The previous release knows none of them.
"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE checkpoint_logs (
    log smallint PRIMARY KEY CHECK (log > 0),
    origin text COLLATE "C" NOT NULL UNIQUE,
    begun_at timestamptz(3) NOT NULL
);

-- Every key that has signed, or may sign, a log's checkpoints, with the note by which an earlier key endorses it.
CREATE TABLE checkpoint_keys (
    log smallint NOT NULL REFERENCES checkpoint_logs,
    vkey text COLLATE "C" NOT NULL,
    added_at timestamptz(3) NOT NULL,
    endorsement text COLLATE "C",
    PRIMARY KEY (log, vkey)
);

CREATE TABLE checkpoint_closings (
    log smallint PRIMARY KEY REFERENCES checkpoint_logs,
    closed_at timestamptz(3) NOT NULL,
    reason text COLLATE "C" NOT NULL
);

CREATE TABLE checkpoint_batches (
    log smallint NOT NULL REFERENCES checkpoint_logs,
    size bigint NOT NULL CHECK (size > 0 AND size % 256 = 0),
    root bytea NOT NULL CHECK (length(root) = 32),
    edge bytea NOT NULL,                    -- the roots of the perfect subtrees that make up the tree, largest first
    leaves integer NOT NULL,                -- how many of its new entries are leaves of games, the others being padding
    events_to bigint NOT NULL,              -- games that have events after this position are looked at next
    made_at timestamptz(3) NOT NULL,
    PRIMARY KEY (log, size)
);

-- The note as the operator signed it, then as it was published, with the cosignatures that came in time.
CREATE TABLE checkpoint_notes (
    log smallint NOT NULL,
    size bigint NOT NULL,
    stage text COLLATE "C" NOT NULL CHECK (stage IN ('signed', 'published')),
    note text COLLATE "C" NOT NULL,
    witnesses text[] COLLATE "C" NOT NULL DEFAULT '{}',
    at timestamptz(3) NOT NULL,
    PRIMARY KEY (log, stage, size),
    FOREIGN KEY (log, size) REFERENCES checkpoint_batches
);

-- A row for each full tile: the root of its 256 hashes and, at level 0, its entries. The hashes of a tile of a higher
-- level are the roots of 256 tiles of the level below; those of level 0 follow from the entries.
CREATE TABLE checkpoint_tiles (
    log smallint NOT NULL,
    level smallint NOT NULL CHECK (level BETWEEN 0 AND 6),
    tile bigint NOT NULL CHECK (tile >= 0),
    root bytea NOT NULL CHECK (length(root) = 32),
    entries bytea CHECK (length(entries) = 16384),
    PRIMARY KEY (log, level, tile),
    CHECK ((level = 0) = (entries IS NOT NULL))
);
ALTER TABLE checkpoint_tiles ALTER COLUMN entries SET STORAGE EXTERNAL;  -- hashes and chance, which nothing compresses

-- Where the leaves of a game are. No references: millions of rows are added at once.
CREATE TABLE checkpoint_leaves (
    index bigint NOT NULL,
    game integer NOT NULL,
    version smallint NOT NULL,
    log smallint NOT NULL,
    finished boolean NOT NULL,
    PRIMARY KEY (game, log, version)
);
"""

APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_truncate;
"""

_NAMES = ("logs", "keys", "closings", "batches", "notes", "tiles", "leaves")


def upgrade() -> None:
    """Create the tables, which are all new, and the triggers that refuse every change of a row."""
    guards = [APPEND_ONLY.format(table=f"checkpoint_{name}") for name in _NAMES]
    for statements in (TABLES, *guards):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
