"""Add messages at tables, how far each reader was notified of them, and private notes.

All tables are new. The previous release can keep running: it does not know them, and notifies nobody.
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

TALK = """
CREATE TABLE messages (
    game integer NOT NULL REFERENCES tables,
    number integer NOT NULL CHECK (number > 0),
    account text NOT NULL REFERENCES accounts,
    at timestamptz NOT NULL,
    text text CHECK (length(text) BETWEEN 1 AND 500),     -- empty: its author was erased
    PRIMARY KEY (game, number)
);
CREATE INDEX messages_of_account ON messages (account) WHERE text IS NOT NULL;

-- No row: told of nothing yet, and not muted.
CREATE TABLE listeners (
    account text NOT NULL REFERENCES accounts,
    game integer NOT NULL REFERENCES tables,
    told integer NOT NULL DEFAULT 0,
    muted boolean NOT NULL DEFAULT false,
    telling text,                                         -- the mail that is about to tell more, and since when
    telling_at timestamptz,
    PRIMARY KEY (account, game)
);

CREATE TABLE notes (
    id text PRIMARY KEY,
    account text NOT NULL REFERENCES accounts,
    game integer NOT NULL REFERENCES tables,
    at timestamptz NOT NULL,
    text text NOT NULL CHECK (length(text) BETWEEN 1 AND 500)
);
CREATE INDEX notes_of_account ON notes (account, game, at, id);
"""


def upgrade() -> None:
    """Add the tables."""
    op.get_bind().exec_driver_sql(TALK, execution_options={"no_parameters": True})
