"""Lookups go by byte order, and a collation that changed under the database is reported."""

import pytest
from sqlalchemy import Engine, text

from service.store.collation import warning

# Columns with lower-case words, which every collation sorts alike, and those of other software.
_ALIKE = {"kind", "status", "version_num"}

_OF_INDEXES = text("""
    SELECT class.relname || '.' || attribute.attname
      FROM pg_index AS index
      JOIN pg_class AS class ON class.oid = index.indrelid
      JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = ANY (index.indkey)
     WHERE class.relnamespace = 'public'::regnamespace AND attribute.attcollation = 'pg_catalog.default'::regcollation
""")


def test_every_index_on_text_is_in_byte_order(owner: Engine) -> None:
    with owner.connect() as connection:
        found = {name for name in connection.scalars(_OF_INDEXES) if name.partition(".")[2] not in _ALIKE}
    assert found == set(), 'a migration that makes such a column says COLLATE "C"'


@pytest.mark.parametrize(("recorded", "actual"), [("2.36", "2.36"), (None, "2.36"), ("2.36", None), ("2.36", "2.41")])
def test_a_collation_of_another_version_is_told_with_what_to_do(
    owner: Engine, recorded: str | None, actual: str | None
) -> None:
    """Replaces what Postgres reports, since the collations of this one have no versions."""
    with owner.connect() as connection:
        assert warning(connection) is None
        run = connection.exec_driver_sql
        run("CREATE TABLE public.pg_database AS SELECT oid, datname, datcollversion FROM pg_catalog.pg_database")
        run("UPDATE public.pg_database SET datcollversion = %s", (recorded,))
        run(
            "CREATE FUNCTION public.pg_database_collation_actual_version(oid) RETURNS text"
            f" LANGUAGE sql AS $$ SELECT CAST({'NULL' if actual is None else repr(actual)} AS text) $$"
        )
        run("SET LOCAL search_path = public, pg_catalog")
        told = warning(connection)
        connection.rollback()
    if recorded is None or actual is None or recorded == actual:
        assert told is None
    else:
        assert told is not None and f"was {recorded} when" in told and "REINDEX DATABASE" in told
