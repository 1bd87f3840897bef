"""Work on many rows, of which a bad one is set aside while the others are processed."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import psycopg
from sqlalchemy import select, text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.commands import tables
from service.commands.accounts import delete_account
from service.commands.notifications import change, queue_due_digests
from service.jobs.worker_context import WorkerContext
from service.local.postgres import Postgres
from service.mail.maildir import address_of
from service.queries.table import load
from service.store.accounts import Account, Token
from service.store.batches import Batch
from service.store.purging import in_pieces
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.unit.jobs.test_delivery_preferences import mails, two
from tests.unit.jobs.test_housekeeping import periodic, states

SEVEN = datetime.fromisoformat("2026-11-28T07:00:00+00:00")


@contextmanager
def refusing(postgres: Postgres, table: str, event: str, condition: str) -> Iterator[None]:
    """Make the database fail on some rows of a table during the block."""
    with psycopg.connect(postgres.url_of("jobs"), autocommit=True) as owner:
        owner.execute(
            "CREATE OR REPLACE FUNCTION bad_row() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'a bad row'; END $$"
        )
        owner.execute(
            f"CREATE TRIGGER bad_row BEFORE {event} ON {table} FOR EACH ROW WHEN ({condition})"
            " EXECUTE FUNCTION bad_row()"
        )
        try:
            yield
        finally:
            owner.execute(f"DROP TRIGGER bad_row ON {table}")


def with_digest(session: Session, *names: str) -> list[str]:
    accounts = [world.account(session, name) for name in names]
    for each in accounts:
        change(session, each, {"turn": "digest", "digest_hour": 7}, NOW)
    return accounts


def test_a_zone_that_is_unknown_stops_no_digest(session: Session, context: WorkerContext, clock: Clock) -> None:
    ann, ben = with_digest(session, "Ann", "Ben")
    world.match(session, ann, ben)
    world.match(session, ben, ann)
    session.execute(text("UPDATE accounts SET zone = 'Mars/Olympus' WHERE id = :id"), {"id": ann})
    mails(context, session)
    clock.now = SEVEN
    in_pieces(context.sessions, queue_due_digests, SEVEN, 1)
    sent = {address_of(mail) for mail in mails(context, session)}
    waiting = session.execute(text("SELECT DISTINCT turn_account FROM progress WHERE turn_account IS NOT NULL"))
    assert sent == {session.get_one(Account, account).email for (account,) in waiting if account in (ann, ben)}


def test_a_digest_that_fails_is_put_off_and_the_others_come(
    session: Session, context: WorkerContext, postgres: Postgres
) -> None:
    accounts = with_digest(session, "Ann", "Ben", "Cleo")
    session.commit()
    bad = accounts[1]
    with (
        refusing(postgres, "procrastinate_jobs", "INSERT", f"NEW.args ->> 'account' = '{bad}'"),
        capture_logs() as logs,
    ):
        assert in_pieces(context.sessions, queue_due_digests, SEVEN, 2) == 3
    assert [log["row"] for log in logs if log["event"] == "set aside"] == [bad]
    assert {job["account"] for job in world.jobs(session, "mail_digest")} == {accounts[0], accounts[2]}
    assert queue_due_digests(session, SEVEN + timedelta(minutes=59), 9) == 0
    assert queue_due_digests(session, SEVEN + timedelta(hours=1), 9) == 1
    assert bad in {job["account"] for job in world.jobs(session, "mail_digest")}


def test_a_game_that_cannot_be_read_keeps_no_other_out_of_the_digest(
    session: Session, context: WorkerContext, clock: Clock, postgres: Postgres
) -> None:
    first, second = (two_in_digest(session) for _ in range(2))
    mails(context, session)
    with psycopg.connect(postgres.url_of("jobs"), autocommit=True) as owner:
        owner.execute("ALTER TABLE setups DISABLE TRIGGER USER")
        owner.execute("UPDATE setups SET header = '{}' WHERE game = (SELECT key FROM tables WHERE id = %s)", (first,))
        owner.execute("ALTER TABLE setups ENABLE TRIGGER USER")
    clock.now = SEVEN
    in_pieces(context.sessions, queue_due_digests, SEVEN, 9)
    text_of_all = "".join(str(mail.get_body(("plain",))) for mail in mails(context, session))
    assert second in text_of_all and first not in text_of_all


def two_in_digest(session: Session) -> str:
    game, first, _ = two(session)
    change(session, first, {"turn": "digest", "digest_hour": 7}, NOW)
    return game


def test_a_table_that_cannot_be_closed_stops_no_other(
    session: Session, context: WorkerContext, postgres: Postgres
) -> None:
    ann = world.account(session, "Ann")
    made = [world.open_table(session, ann) for _ in range(3)]
    session.execute(text("UPDATE tables SET created_at = :old WHERE closed_at IS NULL"), {"old": NOW - tables.LIFETIME})
    session.commit()
    batch = Batch("close_old_tables")
    with refusing(postgres, "tables", "UPDATE", f"NEW.id = '{made[0]}'"):
        taken = in_pieces(context.sessions, lambda s, now, most: tables.close_expired(s, now, most, batch), NOW, 1)
    assert taken == 3 and len(batch.aside) == 1
    still = session.scalars(select(Table.id).where(Table.id.in_(made), Table.closed_at.is_(None)))
    assert list(still) == [made[0]]


def test_a_purge_that_fails_stops_no_other_and_is_tried_again(
    session: Session, context: WorkerContext, postgres: Postgres
) -> None:
    ann = world.account(session, "Ann")
    session.add(Token(id="token", account=ann, hash=bytes(32), created_at=NOW, expires_at=NOW))
    session.execute(text("INSERT INTO rate_limits VALUES ('old', 1, :old)"), {"old": world.later(seconds=-1)})
    session.commit()
    with refusing(postgres, "tokens", "DELETE", "true"):
        periodic(context, "purge")
    assert states(session, "purge") == {"todo"}
    assert session.scalar(text("SELECT count(*) FROM rate_limits WHERE key = 'old'")) == 0


def test_an_account_is_erased_though_a_game_of_it_cannot_be_read(session: Session, postgres: Postgres) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    bad, good = world.match(session, ann, ben), world.match(session, ann, ben)
    session.commit()
    with psycopg.connect(postgres.url_of("jobs"), autocommit=True) as owner:
        owner.execute("SET session_replication_role = replica")
        owner.execute("ALTER TABLE setups DISABLE TRIGGER ALL")
        owner.execute("UPDATE setups SET header = '{' WHERE game = (SELECT key FROM tables WHERE id = %s)", [bad])
        owner.execute("ALTER TABLE setups ENABLE TRIGGER ALL")
        for guard in ("append_only", "append_only_truncate"):
            owner.execute(f"ALTER TABLE setups ENABLE ALWAYS TRIGGER {guard}")
    with capture_logs() as logs:
        delete_account(session, world.KEYS, ann, NOW)
    assert [log["row"] for log in logs if log["event"] == "set aside"] == [bad]
    assert session.get_one(Account, ann).email is None
    left = load(session, good)
    assert left is not None and left.status == "finished"
