"""A site with many games, whose query plans are logged."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from bench.copied import fill
from service.api import boards
from service.config import Settings
from service.jobs.worker_context import WorkerContext, sessions
from service.local.postgres import Postgres
from service.mail.maildir import Maildir
from tests.drills.growth.plans import Log, explain
from tests.drills.growth.site import Site
from tests.support.clock import Clock
from tests.support.databases import as_service
from tests.support.web import KEYS, RENDERERS, opened

# The numbers of games and of all entries: in `make test` just enough for a wrong plan to show.
_GAMES, _ENTRIES, _SAMPLES = 8_000, 80_000, 60
_GAMES_IN_FULL = 1_000_000
_ENTRIES_IN_FULL, _ENTRIES_WITHOUT_ROOM = 40_000_000, 5_000_000

_ROOM = 30 * 10**9
"""Bytes that must be free on the disk for so many entries."""


# Preferences and mails: a tenth want a digest, for which some mails wait; four mails to each person; messages at all
# tables, half of them mailed; a note of each player; and a mail from each person.
_MAILS = """
INSERT INTO notifications (account, turn_mail, digest_due_at)
SELECT id, 'digest', CASE WHEN row_number() OVER () % 10 = 0 THEN now() + interval '1 day' END FROM accounts;
INSERT INTO game_notifications (account, game, mail) SELECT account, game, 'digest' FROM seats WHERE game % 4 = 0;
INSERT INTO deliveries (key, account, kind, game, state, reason, reference, queued_at, at)
SELECT 'turn.' || n || '.' || id, id, 'turn', 'G4mE8sWqKzRt', CASE n WHEN 0 THEN 'queued' ELSE 'sent' END,
       CASE n WHEN 0 THEN 'for_digest' END, 'reference.' || n || '.' || id, now(), now()
  FROM accounts, generate_series(0, 3) AS n;
INSERT INTO messages (game, number, account, at, text)
SELECT game, row_number() OVER (PARTITION BY game), account, now(), 'a text'
  FROM seats, generate_series(1, 2) WHERE kind = 'match';
INSERT INTO listeners (account, game, told) SELECT account, game, 1 FROM seats WHERE kind = 'match' AND game % 2 = 0;
INSERT INTO notes (id, account, game, at, text) SELECT game || '.' || seat, account, game, now(), 'a text' FROM seats;
INSERT INTO incoming (digest, received_at, kind, about, seat, version, authentication, state, at)
SELECT sha256(convert_to(game || '.' || seat, 'UTF8')), now(), 'play', 'G4mE8sWqKzRt', seat, 1, '{}', 'answered', now()
  FROM seats;
UPDATE tables SET clock = '{"absences":true,"clock":{"kind":"per_wait","per_wait":"P3D"},'
    '"ladder":{"grace":"P2D","nudge":"P1D","then":"autopilot"},"quiet":true}'
 WHERE kind = 'match' AND status = 'running' AND key % 2 = 0;
UPDATE progress SET clock_due_at = now() + game * interval '1 second', runs_out_at = now() + game * interval '1 second'
 WHERE status = 'running';
INSERT INTO reminders (account, game, wait, round, which, due_at, sent_at)
SELECT turn_account, game, 1, 1, which, now() + game * interval '1 second', CASE which WHEN 'half' THEN now() END
  FROM progress, unnest(ARRAY['half', 'PT3H']) AS which WHERE turn_account IS NOT NULL;
INSERT INTO schedules (account, set_at, zone, quiet)
SELECT id, now() - n * interval '1 day', 'Europe/Berlin', '[]' FROM accounts, generate_series(1, 3) AS n;
TRUNCATE new_events;
INSERT INTO events (position, game, kind, at, status, version, revision, head)
SELECT row_number() OVER (ORDER BY n, key), key, 'move', now(), 'running', 1, 1, ''
  FROM tables, generate_series(1, 4) AS n;
UPDATE event_positions SET last = (SELECT count(*) FROM events);
ANALYZE tables, progress, reminders, schedules, events;
ANALYZE notifications, game_notifications, deliveries, messages, listeners, notes, incoming;
"""


def _entries_in_full(postgres: Postgres) -> int:
    has_room = shutil.disk_usage(postgres.folder).free > _ROOM
    return _ENTRIES_IN_FULL if has_room else _ENTRIES_WITHOUT_ROOM


_BOUNDED = dict.fromkeys(
    (
        "limit_open_tables_per_account",
        "limit_solos_per_account",
        "limit_games_per_account",
        "limit_standing_invitations_per_account",
        "limit_standing_links_per_account",
        "limit_invitations_per_recipient",
    ),
    1_000_000,
)
"""Limits that are looked up in growing tables, and never reached."""


@pytest.fixture(scope="package")
def site(
    request: pytest.FixtureRequest, postgres: Postgres, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    name = sql.Identifier("growth")
    is_full = request.config.getoption("--drill")
    clock = Clock()
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(template)))
        games, entries = (_GAMES_IN_FULL, _entries_in_full(postgres)) if is_full else (_GAMES, _ENTRIES)
        copied = fill(postgres.url_of("growth"), games, entries, clock(), _SAMPLES)
        with psycopg.connect(postgres.url_of("growth")) as filling:
            filling.execute(_MAILS)
        # With few rows, Postgres prefers to scan a table, unless random pages cost as little as sequential ones.
        explain(postgres.url, "growth", **({} if is_full else {"random_page_cost": "1.0"}))
        folder: Path = tmp_path_factory.mktemp("growth")
        unlimited = dict.fromkeys((name for name in Settings.__dataclass_fields__ if name.startswith("limit_")), 0)
        settings = Settings(
            database_url=as_service(postgres.url_of("growth")),
            secret_keys=KEYS,
            data_dir=folder,
            **unlimited | _BOUNDED,  # type: ignore[arg-type]
        )
        context = WorkerContext(settings, sessions(settings, 2), Maildir(folder / "mail"), clock)
        with opened(settings, clock) as app:
            boards.Pictures(RENDERERS).init_app(app)
            yield Site(copied, app, context, Log(postgres))
        context.sessions.kw["bind"].dispose()
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
