"""The plan of each query, of the API and of the jobs, as the code runs it.

None reads a growing table completely, and what must be read from an index alone is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from math import inf

import pytest

from service.jobs import deadlines
from service.jobs.worker import make_app, work
from tests.drills.growth import checkpoints as checkpoint_scenes
from tests.drills.growth import clocks as _clocks  # noqa: F401  (it adds its scenes)
from tests.drills.growth import event_scenes as _events  # noqa: F401  (it adds its scenes)
from tests.drills.growth import lists as _lists  # noqa: F401  (it adds its scenes)
from tests.drills.growth import pages as _pages  # noqa: F401  (it adds its scenes)
from tests.drills.growth import talk as _talk  # noqa: F401  (so does it)
from tests.drills.growth.plans import Plan
from tests.drills.growth.requests import SCENES
from tests.drills.growth.site import Site
from tests.support.checkpointed import checkpoint

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("growth")]

_MOST_ROWS = 1_500
"""The most rows that a node of a plan handles, however many there are: an account's, a game's, a page's."""

# Statements that may scan a growing table, by their beginning, and why.
_KNOWN = {
    "SELECT account, method, path, key, body FROM idempotency WHERE account <>": (
        "an erased name is looked for in the answers kept for others; they are kept for a day"
    ),
    "SELECT count(*) FROM generate_series(": "no table: what is written to see whether the disk has room",
    "DELETE FROM new_events WHERE account": "events that have no place yet; each is given one within moments",
    "WITH piece AS ( SELECT id FROM procrastinate_jobs": "a thousand jobs at a time; a small table is read whole for "
    "it",
    'UPDATE ONLY "public"."procrastinate_jobs" SET "worker_id" = NULL': (
        "the foreign key of a worker that is struck off, which is rare; finished jobs are kept for an hour"
    ),
}


def _bad(plans: Iterable[Plan], most: float = _MOST_ROWS) -> list[str]:
    return [
        f"{plan.statement}\n  reads whole: {plan.scanned_whole}, rows: {plan.rows:.0f}, {plan.read}"
        for plan in plans
        if (plan.scanned_whole or plan.rows > most) and not any(map(plan.statement.startswith, _KNOWN))
    ]


def test_each_route_is_asked(site: Site) -> None:
    without_database = {
        "documents.openapi_json",
        "documents.openapi_yaml",
        "docs_assets.get_asset",
        "offline_page.show_png",
        "offline_page.show_registration",
        "offline_page.show_worker",
        "docs_guide.show_changelog",
        "docs_guide.show_chapter",
        "docs_guide.show_errors",
        "docs_guide.show_guide",
        "docs_reference.show_reference",
        "tiles.list_tiles",
        "rules.get_rules",
        "rules.get_rules_of_version",
        "health.get_health",
        "programs_page.show_programs",
        "script.show_check",
        "verifier_page.show_script",
        "verifier_page.show_verifier",
        "rules_page.show_rules",
        "rules_page.show_rules_of_version",
    }
    endpoints = {rule.endpoint for rule in site.app.url_map.iter_rules()}
    assert endpoints - without_database - {name.partition("__")[0] for name in SCENES} == set()


@pytest.mark.tenth
@pytest.mark.parametrize("name", SCENES)
def test_a_request_reads_no_growing_table_from_end_to_end(site: Site, name: str) -> None:
    scene = SCENES[name](site)
    next(scene)
    plans = site.plans(lambda: next(scene, None))
    assert plans
    assert not _bad(plans), "\n".join(_bad(plans))


_MAIL = """
    INSERT INTO incoming (digest, received_at, kind, about, seat, version, sender, authentication, raw, state, at)
    SELECT sha256('a mail'), now(), 'play', tables.id, seats.seat, progress.version, accounts.email, '{}',
           convert_to('From: ' || accounts.email || E'\\r\\n\\r\\nsay hello\\r\\nhistory\\r\\nblock X\\r\\n', 'UTF8'),
           'waiting', now()
      FROM tables JOIN progress ON game = key JOIN seats ON seats.game = key JOIN accounts ON accounts.id = account
     WHERE tables.id = %s AND account = %s
    RETURNING id
"""


@pytest.mark.slow
def test_the_jobs_read_no_growing_table_from_end_to_end(site: Site) -> None:
    names = {name for name in make_app(site.context).tasks if "builtin" not in name}
    game, account = site.my_turn(), site.reader.account
    closed = site.sql("SELECT id FROM tables WHERE status = 'closed' LIMIT 1")[0][0]
    code = site.sql("SELECT id FROM codes LIMIT 1")[0][0]
    [[mail]] = site.sql(_MAIL, game, account)
    hourly = '{"timestamp": 0}'
    arguments = {
        "mail_turn": f'{{"game": "{game}", "wait": 0}}',
        "mail_end": f'{{"game": "{site.copied.finished[0]}", "account": "{account}"}}',
        "mail_closed": f'{{"game": "{closed}", "account": "{account}"}}',
        "mail_talk": f'{{"game": "{site.copied.finished[0]}", "account": "{account}", "message": 1}}',
        "mail_invitation": '{"invitation": "newest1"}',
        "mail_digest": f'{{"account": "{account}", "day": "2026-11-27"}}',
        "mail_about": f'{{"code": "{code}"}}',
        "mail_code": f'{{"code": "{code}"}}',
        "mail_address_changed": f'{{"code": "{code}"}}',
        "take_in": f'{{"incoming": {mail}}}',
        "mail_answer": f'{{"incoming": {mail}, "whom": "sender"}}',
        "mail_step": f'{{"game": "{site.copied.finished[0]}", "account": "{account}", "seq": 1}}',
        "mail_reminder": f'{{"account": "{account}", "at": 0}}',
        "settle_clock": f'{{"game": "{game}"}}',
        "forget_mail": f'{{"address_hash": "{bytes(32).hex()}", "account": "{account}", "until_ms": 0}}',
        "close_old_tables": hourly,
        "erase_guests": hourly,
        "call_for_digests": hourly,
        "purge": hourly,
        "purge_jobs": hourly,
        "take_up_stalled_jobs": hourly,
        "make_checkpoints": hourly,
    }
    assert set(arguments) == names
    put = "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES ('default', %s, %s::jsonb) RETURNING id"
    ids = [site.sql(put, name, given)[0][0] for name, given in arguments.items()]
    waiting = "SELECT task_name FROM procrastinate_jobs WHERE id = ANY(%s) AND status IN ('todo', 'doing')"

    def run_all() -> None:
        """Run all jobs; ordinary ones may have to wait for urgent ones, and a worker that is to end doesn't."""
        for _ in range(3):
            if site.sql(waiting, ids):
                asyncio.run(work(site.context, until_idle=True))

    plans = site.plans(run_all)
    assert site.sql(waiting, ids) == []
    assert not _bad(plans, inf), "\n".join(_bad(plans, inf))
    due = [plan for plan in plans if "tables.created_at <= " in plan.statement]
    # The queue also runs it by itself, seven minutes past the hour.
    assert {tuple(plan.read) for plan in due} == {("Index Only Scan of tables by tables_open",)}


_TIME_PASSES = """
    UPDATE progress SET clock_due_at = '2020-01-01'
     WHERE game IN (SELECT game FROM progress WHERE clock_due_at IS NOT NULL ORDER BY game DESC LIMIT 30);
    UPDATE reminders SET due_at = '2020-01-01'
     WHERE (account, game, which) IN (SELECT account, game, which FROM reminders WHERE sent_at IS NULL LIMIT 30);
"""


def test_what_is_due_is_found_by_index(site: Site) -> None:
    site.sql(_TIME_PASSES)
    plans = site.plans(lambda: deadlines.look(site.context))
    assert not _bad(plans), "\n".join(_bad(plans))
    read = {index for plan in plans for index in plan.read}
    assert any("progress_clock_due" in index for index in read), read
    assert any("reminders_due" in index for index in read), read


def test_a_batch_looks_at_games_that_have_changed_alone(site: Site) -> None:
    checkpoint_scenes.size_of_log(site)
    while site.sql("SELECT place_events()") != [(0,)]:
        pass  # as a worker would have done
    checkpoint(site.context.settings, site.context.clock)
    game = f"/v1/games/{site.my_turn()}"
    site.ask(site.reader, "POST", f"{game}/moves", site.move(site.reader, game))
    plans = site.plans(lambda: checkpoint(site.context.settings, site.context.clock))
    assert any("checkpoint_leaves" in plan.statement for plan in plans)
    assert not _bad(plans), "\n".join(_bad(plans))


def test_a_game_s_log_is_read_off_its_index(site: Site) -> None:
    game = site.public(site.copied.finished)
    site.sql("VACUUM log")  # as Postgres does by itself after other moves on the same pages
    plans = site.plans(lambda: site.ask(site.reader, "GET", f"/v1/games/{game}"))
    (plan,) = [plan for plan in plans if "Index Only Scan of log by log_pkey" in plan.read]  # besides those of threads
    assert not [read for read in plan.read if not read.startswith("Index ")]
    log = next(node for node in plan.nodes() if node.get("Index Name") == "log_pkey")
    assert log["Heap Fetches"] == 0
    assert log["Shared Hit Blocks"] + log["Shared Read Blocks"] <= 8


def test_my_turn_list_reads_the_index_of_turns(site: Site) -> None:
    plans = site.plans(lambda: site.ask(site.reader, "GET", "/v1/games?my_turn=true"))
    assert any("Index Only Scan of progress by progress_turn" in plan.read for plan in plans)
