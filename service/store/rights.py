"""Grant the service's own database role what it needs on each table, and nothing else.

Whoever runs migrations owns the tables, and could switch off what keeps the log append-only. The web server and the
worker need none of that. If `DATABASE_URL` names another role than the owner's, that role gets these rights after each
upgrade. It can create, alter and truncate no table; set-ups, the log and the checkpoints it can read and add to, but
never change.
"""

from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

_READ = ("SELECT",)
_ADD = ("SELECT", "INSERT")
_ADD_AND_CHANGE = (*_ADD, "UPDATE")
_ADD_AND_REMOVE = (*_ADD, "DELETE")
_ALL = (*_ADD, "UPDATE", "DELETE")

TABLES: dict[str, tuple[str, ...]] = {
    "accounts": _ADD_AND_CHANGE,
    "former_addresses": _ALL,
    "codes": _ALL,
    "tokens": _ALL,
    "tables": _ADD_AND_CHANGE,
    "seats": _ALL,
    "draw_secrets": _ADD,
    "invitations": _ADD_AND_CHANGE,
    "invitation_links": _ALL,
    "setups": _ADD,
    "log": _ADD,
    "progress": _ADD_AND_CHANGE,
    "schedules": _ALL,
    "clock_words": _ALL,
    "reminders": _ALL,
    "service_signs": _ALL,
    "failures": _ALL,
    "pending_outages": _ALL,
    "blocks": _ADD_AND_REMOVE,
    "never_mail": _ADD_AND_REMOVE,
    "notifications": _ALL,
    "game_notifications": _ALL,
    "messages": _ADD_AND_CHANGE,
    "new_events": _ADD_AND_REMOVE,
    "events": _ADD_AND_REMOVE,
    "event_positions": ("SELECT", "UPDATE"),
    "listeners": _ALL,
    "notes": _ADD_AND_REMOVE,
    "checkpoint_logs": _ADD,
    "checkpoint_keys": _ADD,
    "checkpoint_closings": _ADD,
    "checkpoint_batches": _ADD,
    "checkpoint_notes": _ADD,
    "checkpoint_tiles": _ADD,
    "checkpoint_leaves": _ADD,
    "imports": _ALL,
    "explorations": _ALL,
    "deliveries": _ALL,
    "bounces": _ADD_AND_REMOVE,
    "incoming": _ALL,
    "relay_state": _ADD_AND_CHANGE,
    "mail_domains": _ALL,
    "epoch": ("SELECT", "UPDATE"),
    "idempotency": _ALL,
    "rate_limits": _ALL,
    "slot_processes": _ALL,
    "slots": _ALL,
    "procrastinate_workers": _ALL,
    "procrastinate_jobs": _ALL,
    "procrastinate_periodic_defers": _ALL,
    "procrastinate_events": _ADD,
    "alembic_version": _READ,
}
"""Every table, with what the service does in it. Locking a row counts as UPDATE. A test checks that none is missing."""

SEQUENCES = ("procrastinate_jobs_id_seq", "procrastinate_periodic_defers_id_seq", "procrastinate_events_id_seq")
"""The sequences that column defaults use. (Identity columns need no right.)"""


class RoleError(Exception):
    """The role cannot be used by the service; the text says why and what to do."""


def role_of(database_url: str) -> str:
    """Return the role that a connection to this address uses."""
    given = conninfo_to_dict(database_url).get("user")
    if given:
        return str(given)
    defaults = {option.keyword: option.val for option in Conninfo.get_defaults()}
    return (defaults[b"user"] or b"").decode()


def grant(connection: Connection, service_url: str) -> None:
    """Grant the role of this address what it needs in the connection's database, and revoke everything else.

    The connection is the owner's, in a transaction. A missing role is created, unless the address has a password, which
    somebody else then has to set with it. Several processes may do this at once in one cluster. It locks no tables.

    Raises:
        RoleError: the role does not exist and cannot be created, or it has more rights than any grant would give.
    """
    role = role_of(service_url)
    if connection.scalar(text("SELECT current_user")) == role:
        return
    _ensure(connection, role, bool(conninfo_to_dict(service_url).get("password")))
    if connection.scalar(_MIGHTY, {"role": role}):
        raise RoleError(
            f"DATABASE_URL is wrong: its role {role} is a superuser, or a member of the role that owns the tables, so "
            "no right can be kept from it. Take a role of its own for the service."
        )
    quote = connection.dialect.identifier_preparer.quote_identifier
    database, schema = connection.execute(text("SELECT current_database(), current_schema()")).one()
    for statement in (
        "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC",
        "REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC",  # which everybody had before Postgres 15
        "REVOKE ALL ON DATABASE {database} FROM {role}",
        "REVOKE ALL ON SCHEMA {schema} FROM {role}",
        "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}",
        "REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {role}",
        "GRANT CONNECT ON DATABASE {database} TO {role}",
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
        *(f"GRANT {', '.join(rights)} ON {table} TO {{role}}" for table, rights in TABLES.items()),
        *(f"GRANT USAGE ON SEQUENCE {sequence} TO {{role}}" for sequence in SEQUENCES),
    ):
        # Quoting doubles percent signs, which the driver turns back.
        connection.exec_driver_sql(statement.format(database=quote(database), schema=quote(schema), role=quote(role)))


_MIGHTY = text("""
    SELECT rolsuper OR pg_has_role(oid, (SELECT relowner FROM pg_class WHERE oid = 'log'::regclass), 'MEMBER')
      FROM pg_roles WHERE rolname = :role
""")

_MAKE = text("""
DO $$
BEGIN
    EXECUTE format('CREATE ROLE %I LOGIN', current_setting('novaluna.role'));
EXCEPTION WHEN duplicate_object OR unique_violation THEN  -- somebody was faster
    NULL;
END;
$$
""")


def _ensure(connection: Connection, role: str, has_password: bool) -> None:
    if connection.scalar(text("SELECT count(*) FROM pg_roles WHERE rolname = :role"), {"role": role}):
        return
    missing = (
        f"There is no role {role}, which DATABASE_URL names. Make it, as a role that may do so: "
        f"CREATE ROLE {role} LOGIN" + (" PASSWORD '…'" if has_password else "")
    )
    if has_password:
        raise RoleError(missing)
    try:
        with connection.begin_nested():
            connection.execute(text("SELECT set_config('novaluna.role', :role, true)"), {"role": role})
            connection.execute(_MAKE)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != "42501":  # insufficient_privilege
            raise
        raise RoleError(missing) from None
