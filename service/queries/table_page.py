"""Read who looks at a table's page, and what it shows beside the table, in one statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from service.queries import checkpoint_notice
from service.queries.browser_sessions import SESSION_OF_BROWSER, BrowserSession
from service.queries.talk import BEHIND_ALL, NOTED, SAID, OwnNote, TableMessage
from service.store.autocommit_pool import Statements


class LinkedAccount(NamedTuple):
    """The account that a link was given to: its id, language and time zone, and whether it is suspended."""

    id: str
    language: str
    zone: str
    is_suspended: bool


class BesideTable(NamedTuple):
    """The things that a table's page shows beside the table.

    Attributes:
        hints: whether the viewer wants to be told where tiles would cover goals.
        messages: the newest messages at the table that the viewer may see, newest first.
        notes: the newest notes of the viewer's own, newest first.
        notice: the columns from which `service.queries.checkpoint_notice` makes the game's notice.
    """

    hints: bool
    messages: Sequence[TableMessage]
    notes: Sequence[OwnNote]
    notice: tuple[Any, ...]


class Visit(NamedTuple):
    """A visit of a table's page: the browser's session, the link's account, and what is shown beside the table."""

    browser: BrowserSession | None
    linked: LinkedAccount | None
    beside: BesideTable


# The account of a link comes before that of the session, which counts for nothing while its account is suspended.
_VISIT = f"""
SELECT browser.*, linked.id, linked.language, linked.zone, linked.suspended_at IS NOT NULL,
       coalesce((SELECT hints FROM notifications WHERE notifications.account = caller.account), true),
       (SELECT json_agg(json_build_array(number, seat, name, at, json_build_array(text, author_id)))::text
          FROM ({SAID}) AS said),
       (SELECT json_agg(json_build_array(id, at, text))::text FROM ({NOTED}) AS noted),
       {checkpoint_notice.COLUMNS}
  FROM (SELECT) AS request
  LEFT JOIN LATERAL ({SESSION_OF_BROWSER}) AS browser ON true
  LEFT JOIN accounts AS linked ON linked.id = %(linked)s AND linked.erased_at IS NULL
 CROSS JOIN LATERAL (
       SELECT coalesce(linked.id, CASE WHEN NOT browser.is_suspended THEN browser.account END) AS account
       ) AS caller
  LEFT JOIN tables ON tables.id = %(table)s{checkpoint_notice.JOIN}
"""


def visit(store: Statements, table: str, session: bytes | None, linked: str | None, now: datetime, most: int) -> Visit:
    """Return the viewer of a table's page, and what it shows beside the table.

    It is not checked whether the viewer may see the table.

    Args:
        store: runs the statement.
        table: the id of the table.
        session: the hash of the secret of the browser's session, or None.
        linked: the account of the link in the page's address, or None.
        now: the time of the request.
        most: the number of messages, and of notes, that are returned at most.
    """
    first = {"before": BEHIND_ALL, "at": "infinity", "id": "", "limit": most}
    row = store.read(_VISIT, {"table": table, "session": session, "linked": linked, "now": now, **first})
    said, noted = (json.loads(row[column]) if row[column] else () for column in (13, 14))
    return Visit(
        None if row[0] is None else BrowserSession._make(row[:8]),
        None if row[8] is None else LinkedAccount._make(row[8:12]),
        BesideTable(
            row[12],
            [TableMessage(number, seat, name, _time(at), *what) for number, seat, name, at, what in said],
            [OwnNote(id, _time(at), text) for id, at, text in noted],
            row[15:],
        ),
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
