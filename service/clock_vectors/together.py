"""Run a vector of planned reminders of several games, which says which of them go into one mail (CLOCKS.md 5.3)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from engine import record
from engine.clock.terms import Ladder, PerWait, Terms
from service.commands import players, reminding, tables
from service.ids import new_id
from service.jobs import deadlines
from service.jobs.worker_context import WorkerContext
from service.queries.table import load
from service.store import reminders, signs
from service.store.accounts import ensure_account
from service.store.reminders import Reminder

_DAY = timedelta(days=1)
_TERMS = Terms(PerWait(30 * _DAY), Ladder(_DAY, None, "wait"))


def mails(context: WorkerContext, planned: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the mails that the worker queues for the planned reminders."""
    times = sorted({record.moment(one["at"]) for one in planned})
    now = times[0] - _DAY
    context = replace(context, clock=lambda: now)
    names, account = _games(context, [one["game"] for one in planned], now)
    deadlines.look(context)
    with context.sessions.begin() as session:
        for one in planned:
            due = Reminder(account, names[one["game"]], 0, 0, one["which"], record.moment(one["at"]))
            reminders.plan(session, due.game, [due])
    for at in times:
        now = at
        with context.sessions.begin() as session:
            session.execute(_SIGNED, {"at": at})
        deadlines.look(context)
    return _sent(context, {key: name for name, key in names.items()})


_SIGNED = text("UPDATE service_signs SET at = :at")


def _games(context: WorkerContext, games: list[str], now: datetime) -> tuple[dict[str, int], str]:
    """Start a game for each of these names, all of which wait for one account; return their keys and the account."""
    with context.sessions.begin() as session:
        people = [
            ensure_account(session, f"{new_id()}@example.org", name=name, language=None, now=now).id
            for name in ("One", "Two")
        ]
        for account in people:
            reminding.choose(session, account, (), now)
        signs.sign(session, signs.WEB, now)
        keys: dict[str, int] = {}
        while len(keys) < len(games):
            table = tables.create(
                session,
                people[0],
                tables.TableSettings(seats=2, goal_discs=20, visibility="public", terms=_TERMS),
                now=now,
            )
            players.join(
                session,
                people[1],
                table.id,
                invitation=None,
                entropy="",
                keys=context.settings.secret_keys,
                now=now,
            )
            started = load(session, table.id)
            assert started is not None and started.progress is not None, "all seats are taken"
            if started.progress.turn == 0:
                keys[games[len(keys)]] = table.key
    return keys, people[0]


def _sent(context: WorkerContext, names: dict[int, str]) -> list[dict[str, Any]]:
    with context.session() as session:
        rows = session.execute(text("SELECT sent_at, due_at, game, which FROM reminders WHERE sent_at IS NOT NULL"))
        found: dict[datetime, list[tuple[datetime, str, str]]] = defaultdict(list)
        for sent_at, due_at, game, which in rows:
            found[sent_at].append((due_at, names[game], which))
    return [
        {"at": record.stamp(at), "games": [[game, which] for _, game, which in sorted(sent)]}
        for at, sent in sorted(found.items())
    ]
