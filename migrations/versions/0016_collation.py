"""Text that is looked up or sorted is in byte order, whatever the collation of the database.

An index in a collation of the system's is wrong once an update of the system changes that collation. Ids, keys, addresses
and locks need none: their order is ours alone. The columns keep their type, so no table is rewritten; their
indexes are made anew. What a table or a game is (`kind`, `status`: a few words in lower case, which every collation sorts
alike) stays, since triggers hang on it.
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_COLUMNS = """
    SELECT format('ALTER TABLE %%I %%s', relname, string_agg(
               format('ALTER COLUMN %%I TYPE %%s COLLATE "C"', attname, type), ', ' ORDER BY attnum))
      FROM (
        SELECT DISTINCT class.oid, class.relname, attribute.attname, attribute.attnum,
               format_type(attribute.atttypid, attribute.atttypmod) AS type
          FROM pg_index AS index
          JOIN pg_class AS class ON class.oid = index.indrelid
          JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = ANY (index.indkey)
         WHERE class.relnamespace = current_schema::regnamespace AND class.relname <> 'alembic_version'
           AND attribute.attname NOT IN ('kind', 'status')
           AND attribute.attcollation = 'pg_catalog.default'::regcollation
      ) AS found
     GROUP BY oid, relname
     ORDER BY oid
"""


def upgrade() -> None:
    """Change every column of an index that has the database's collation."""
    execute = op.get_bind().exec_driver_sql
    for (statement,) in execute(_COLUMNS).all():
        execute(statement)
