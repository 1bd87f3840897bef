"""Add the indexes that lists, deadlines and erasures need once there are very many games.

They are built while the service runs: rows are corrected in small batches, and indexes are built without locking their
table. If it is interrupted, it can be run again.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_PIECE = 10_000

# A concurrent move waits for a batch, or the batch for the move, and then checks its condition again.
_RUNNING = """
    WITH running AS (
        SELECT game FROM progress
         WHERE status = 'running' AND game BETWEEN %(first)s AND %(last)s ORDER BY game FOR NO KEY UPDATE
    )
    UPDATE tables SET status = 'running' FROM running WHERE key = game AND tables.status = 'finished'
"""
_CLOSED = """
    UPDATE tables SET status = 'closed'
     WHERE status = 'finished' AND closed_at IS NOT NULL AND key BETWEEN %(first)s AND %(last)s
"""
_OPEN = """
    UPDATE tables SET status = 'open'
     WHERE status = 'finished' AND closed_at IS NULL AND key BETWEEN %(first)s AND %(last)s
       AND NOT EXISTS (SELECT FROM setups WHERE game = key)
"""
_SOLO = """
    UPDATE seats SET kind = 'solo' FROM tables
     WHERE seats.game = tables.key AND seats.kind <> 'solo' AND tables.kind = 'solo'
       AND seats.game BETWEEN %(first)s AND %(last)s
"""

_INDEXES = {
    # Lists of public games and of one's own, by key for each status: a page has the newest of some statuses
    "tables_public": "tables (kind, status, key) WHERE visibility = 'public'",
    "seats_own": "seats (account, kind, status, game)",
    # Tables due to close
    "tables_open": "tables (created_at, key) WHERE status = 'open'",
    # Lists of an account's tokens and of a table's invitations
    "tokens_of_account": "tokens (account, created_at, id)",
    "invitations_to_table": "invitations (game, created_at, id)",
    # Rows that expire, and rows that are deleted with an account
    "tokens_expiring": "tokens (expires_at) WHERE expires_at IS NOT NULL",
    "invitations_by": "invitations (invited_by)",
}

# The indexes above begin with the same columns.
_REDUNDANT = ("tokens_account", "invitations_game")


def upgrade() -> None:
    """Correct older rows, build the indexes, and drop those that are no longer needed."""
    with op.get_context().autocommit_block():
        connection = op.get_bind()
        newest = connection.exec_driver_sql("SELECT coalesce(max(key), 0) FROM tables").scalar_one()
        for first in range(0, newest + 1, _PIECE):
            piece = {"first": first, "last": first + _PIECE - 1}
            for statement in (_RUNNING, _CLOSED, _OPEN, _SOLO):
                connection.exec_driver_sql(statement, piece)
        for name, columns in _INDEXES.items():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # a failed attempt left it incomplete
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {columns}")
        for name in _REDUNDANT:
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
