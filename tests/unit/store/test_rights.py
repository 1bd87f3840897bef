"""The role that the service works as has the rights that are declared for it, and no others."""

from collections.abc import Callable, Iterator
from functools import partial

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import NullPool, create_engine

from service.local.cluster import SERVICE
from service.local.postgres import Postgres
from service.store import migrate, rights
from service.store.base import engine_url
from tests.support.at_once import at_once
from tests.support.databases import as_service

_POSSIBLE = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")

REFUSED = (
    "UPDATE log SET move = 'resign'",
    "UPDATE log SET at = at WHERE false",
    "DELETE FROM log WHERE false",
    "TRUNCATE log",
    "SELECT * FROM log FOR UPDATE",
    "ALTER TABLE log DISABLE TRIGGER append_only",
    "ALTER TABLE log ADD COLUMN more text",
    "DROP TABLE log",
    "DROP TRIGGER append_only ON log",
    "CREATE TRIGGER mine BEFORE INSERT ON log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "UPDATE setups SET header = ''",
    "UPDATE checkpoint_notes SET note = note",
    "DELETE FROM checkpoint_leaves",
    "ALTER TABLE checkpoint_batches DISABLE TRIGGER append_only",
    "DELETE FROM setups",
    "TRUNCATE setups CASCADE",
    "UPDATE draw_secrets SET server_seed = server_seed",
    "DELETE FROM progress",
    "TRUNCATE procrastinate_jobs CASCADE",
    "SELECT setval('procrastinate_jobs_id_seq', 1)",
    "UPDATE alembic_version SET version_num = '0001'",
    "CREATE TABLE mine ()",
    "CREATE TEMPORARY TABLE mine ()",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA mine",
    "CREATE ROLE mine",
    "CREATE DATABASE mine",
    "SET session_replication_role = replica",
    "SET ROLE novaluna",
    "SET SESSION AUTHORIZATION novaluna",
    "COPY log TO '/tmp/log'",
    "COPY log FROM PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'novaluna'",
)


@pytest.fixture(scope="module")
def migrated(postgres: Postgres) -> Iterator[str]:
    """Migrate an empty database, and return its owner's address.

    A database made from a template doesn't get the rights in the database as a whole.
    """
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE rights")
        url = postgres.url_of("rights")
        migrate.upgrade(url, as_service(url))
        yield url
        connection.execute("DROP DATABASE rights WITH (FORCE)")


@pytest.mark.parametrize("statement", REFUSED)
def test_what_the_service_needs_not_it_may_not(migrated: str, statement: str) -> None:
    with psycopg.connect(as_service(migrated), autocommit=True) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute(statement)


def test_service_role_has_the_declared_rights_and_no_table_is_left_out(migrated: str) -> None:
    with psycopg.connect(migrated) as connection:
        possible = [right for right in _POSSIBLE if right != "MAINTAIN" or connection.info.server_version >= 170000]
        found = connection.execute(
            """
            SELECT relname, relkind, array(SELECT r FROM unnest(%s::text[]) r WHERE has_table_privilege(%s, oid, r)),
                   relkind = 'S' AND has_sequence_privilege(%s, oid, 'USAGE')
              FROM pg_class
             WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
            """,
            [possible, SERVICE, SERVICE],
        ).fetchall()
    assert {name: set(held) for name, kind, held, _ in found if kind != "S"} == {
        name: set(declared) for name, declared in rights.TABLES.items()
    }
    sequences = [(name, held, used) for name, kind, held, used in found if kind == "S"]
    assert {name for name, _, used in sequences if used} == set(rights.SEQUENCES)
    assert all(held == [] for _, held, _ in sequences)


def test_what_it_had_beyond_is_taken_at_the_next_upgrade(migrated: str) -> None:
    role = sql.Identifier(SERVICE)
    with psycopg.connect(migrated, autocommit=True) as connection:
        connection.execute(sql.SQL("GRANT ALL ON log, draw_secrets TO {}").format(role))
        connection.execute(sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(role))
        migrate.upgrade(migrated, as_service(migrated))
        query = "SELECT has_table_privilege(%s, 'log', 'TRUNCATE'), has_schema_privilege(%s, 'public', 'CREATE')"
        assert connection.execute(query, [SERVICE, SERVICE]).fetchone() == (False, False)


def test_upgrades_at_once_in_one_cluster_make_one_role(make_database: Callable[[], str]) -> None:
    urls = [make_database() for _ in range(3)]
    for url in urls:
        migrate.upgrade(url)

    def served(url: str) -> str:
        return url.replace("//novaluna@", "//maid_of_all_work@")

    def grant(url: str) -> None:
        engine = create_engine(engine_url(url), poolclass=NullPool)
        with engine.begin() as connection:
            rights.grant(connection, served(url))

    at_once(*(partial(grant, url) for url in urls))
    for url in urls:
        with psycopg.connect(served(url)) as connection:
            assert connection.execute("SELECT count(*) FROM log").fetchone() == (0,)
            connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('q', 't')")


def test_the_owner_as_the_service_is_left_as_it_is(migrated: str) -> None:
    migrate.upgrade(migrated, migrated)
    with psycopg.connect(migrated) as connection:
        assert connection.execute("SELECT has_table_privilege('log', 'TRUNCATE')").fetchone() == (True,)


def test_a_role_that_cannot_be_had_is_named_with_what_to_do(
    postgres: Postgres, make_database: Callable[[], str]
) -> None:
    url = make_database()
    with pytest.raises(rights.RoleError, match=r"There is no role bea,.*: CREATE ROLE bea LOGIN PASSWORD '…'"):
        migrate.upgrade(url, url.replace("//novaluna@", "//bea:secret@"))
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE mighty LOGIN SUPERUSER")
    with pytest.raises(rights.RoleError, match="its role mighty is a superuser"):
        migrate.upgrade(url, url.replace("//novaluna@", "//mighty@"))


def test_a_role_may_have_any_name(postgres: Postgres, make_database: Callable[[], str]) -> None:
    url = make_database()
    theirs = url.replace("//novaluna@", "//half%25%20a%22role@")
    migrate.upgrade(url, theirs)
    with psycopg.connect(theirs) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ('half% a"role',)
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (0,)


def test_an_owner_who_can_make_no_roles_is_enough(postgres: Postgres, make_database: Callable[[], str]) -> None:
    url = make_database()
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE small_owner LOGIN")
        connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO small_owner").format(sql.Identifier(name)))
    owned = url.replace("//novaluna@", "//small_owner@")
    with pytest.raises(rights.RoleError, match="There is no role nobody_yet,"):
        migrate.upgrade(owned, url.replace("//novaluna@", "//nobody_yet@"))
    migrate.upgrade(owned, as_service(url))
    with psycopg.connect(as_service(url)) as connection:
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (0,)
        with pytest.raises(InsufficientPrivilege):
            connection.execute("CREATE TEMPORARY TABLE mine ()")
