"""A plain GET of a table, for `service.api.front`: this module is on the hot path.

Clients ask again and again how a game stands. Not plain are a query, and a token or a condition that is oddly written.
Refusals are Flask's too, with what was read already.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import psycopg
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.api import game_view
from service.api.context import context_of, kept_tables_of
from service.api.game_answers import shown_as
from service.api.handed import hand_on
from service.api.plain import KIND, TABLE, Answer, Unplain, token_of
from service.queries.table import Asking, LoadedTable

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

BELOW = ""
PATH = re.compile(TABLE)

_ONE_TAG = re.compile(r'(?:W/)?"([0-9]+-[0-9]+-[0-9a-f]{8})"')


def answer(app: Flask, environ: WSGIEnvironment, collection: str, table_id: str) -> Answer:
    """The answer; raises Unplain where it is Flask's to give."""
    token, known = token_of(environ), _tag(environ)
    context, kept = context_of(app), kept_tables_of(app)
    try:
        reading = kept.read(
            context.straight, table_id, Asking(token, context.clock()), () if known is None else (known,)
        )
    except (psycopg.Error, SQLAlchemyError) as error:
        hand_on(environ, error)
        raise Unplain from None
    account, table = reading.account, reading.table
    if (token is not None and account is None) or table is None or not _is_seen(table, KIND[collection], account):
        hand_on(environ, reading)
        raise Unplain
    tag = table.tag
    if tag == known:
        kept.keep(table)
        return Answer("304 NOT MODIFIED", None, tag)
    body = kept.body(table)
    if body is None:
        body = shown_as(table)
    kept.keep(table, body)
    return Answer("200 OK", game_view.with_you(body, table.seat_of(account)), tag)


def _tag(environ: WSGIEnvironment) -> str | None:
    """The tag that a GET's condition names, None if it has none."""
    if "HTTP_IF_NONE_MATCH" not in environ:
        return None
    named = _ONE_TAG.fullmatch(environ["HTTP_IF_NONE_MATCH"])
    if named is None:
        raise Unplain
    return named[1]


def _is_seen(table: LoadedTable, kind: str, account: str | None) -> bool:
    return table.table.kind == kind and table.may_be_read_by(account)
