"""Create the job queue: procrastinate's schema of version 3.10, frozen as text beside this file.

Changes of later versions become migrations of their own, made from those that procrastinate ships.
"""

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create procrastinate's tables, types, functions and triggers."""
    statements = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
