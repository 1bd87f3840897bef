"""Add the games that have to be given the time of an outage back, so that workers share them and try again."""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE pending_outages (
    game integer NOT NULL REFERENCES tables,
    began_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3) NOT NULL,
    parts text[] NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    next_at timestamptz(3) NOT NULL,
    PRIMARY KEY (game, began_at, ended_at)
);
CREATE INDEX pending_outages_next ON pending_outages (next_at, game);
"""


def upgrade() -> None:
    """Create the table. The previous release knows no outages."""
    op.get_bind().exec_driver_sql(TABLE, execution_options={"no_parameters": True})
