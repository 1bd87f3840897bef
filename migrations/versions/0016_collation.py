"""Compare text that is looked up or sorted in byte order, whatever the collation of the database.

An index in a collation of the operating system becomes wrong when an update changes that collation. Ids, keys,
addresses and locks need none: only we depend on their order. The columns keep their type, so no table is rewritten;
their indexes are rebuilt. The kind and status of a table or game (`kind`, `status`: a few lower-case words, which every
collation sorts alike) stay, since triggers depend on them.
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
    """Change every indexed column that has the database's collation."""
    execute = op.get_bind().exec_driver_sql
    for (statement,) in execute(_COLUMNS).all():
        execute(statement)
