"""A move over HTTP, made or only tried: the same for games and solo sessions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response, jsonify

from engine import text
from engine.moves import Move, Place, Resign, to_json
from engine.saying import said
from engine.table import Step
from service.api.auth import bearer_hash
from service.api.blueprint import Blueprint
from service.api.bodies import body, json_body, query, refuse
from service.api.context import kept_tables, now, straight
from service.api.documented import View, annotate
from service.api.game_answers import CREATED_HEADERS, respond
from service.api.game_examples import Examples
from service.api.game_schemas import GameShown
from service.api.game_view import covered, moved
from service.api.idempotent import again, given_key, given_slot, takes_key
from service.api.made import Made
from service.api.move_schemas import MoveGiven, MoveQuery, MoveTried
from service.api.preconditions import PARAMETER, expectation
from service.commands import play
from service.commands.play import Expectation
from service.queries import legal
from service.queries.table import Asking, LoadedTable, read
from service.store.idempotency import Kept, Slot


def takes_move(blp: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Decorator, below that of the table: all that a route for moves reads, refuses and answers."""

    def decorator(view: View) -> View:
        answers = blp.alt_response(200, schema=MoveTried, example=examples.tried, success=True)(view)
        answers = blp.response(201, GameShown, example=examples.view, headers=CREATED_HEADERS)(answers)
        taking = annotate(takes_key(answers), refuses=(409, 412, 428), parameters=(PARAMETER,))
        return query(MoveQuery)(body(MoveGiven, example=examples.move)(taking))

    return decorator


def move(
    account: str,
    table: LoadedTable,
    answered: Kept | None,
    query: dict[str, Any],
    body: dict[str, Any],
    path: str,
) -> Response:
    """Make the move of a player at the table, or say what it would do.

    `answered` is the answer that is kept of the same request, `path` is where the table is. A dry run makes no use of
    an `Idempotency-Key`: it does nothing to be done twice.
    """
    seat = table.seat_of(account)
    assert seat is not None, "only players get here"
    asked: Move = body["move"]
    given_key()  # refused when malformed, by a dry run too
    if query["dry_run"]:
        expected = expectation(body["expected_version"], needed=False)
        _check_letter(table, seat, asked, body["letter"], expected)
        return jsonify(_tried(table.version, seat, asked, play.preview(table, seat, asked, expected, now())))
    if answered is not None:
        return again(answered)
    expected = expectation(body["expected_version"], needed=not isinstance(asked, Resign))
    _check_letter(table, seat, asked, body["letter"], expected)
    slot = given_slot(account)
    made = Made(path, slot, json_body(), partial(_check_answered, table.table.id, slot))
    try:
        after = play.play(straight(), table, seat, asked, expected, now(), made.by(account)).table
    except _AnsweredBefore as before:
        return again(before.kept)
    view = made.view(after)
    kept_tables().keep(after, view)
    return respond(after, account, view, 201, {"Location": made.location(after)})


def _check_letter(table: LoadedTable, seat: int, asked: Move, letter: str | None, expected: Expectation | None) -> None:
    """Refuses a letter that is another cell's at the version that the move is for: one of the two is a mistake. Whatever
    else is wrong, a stale version and a cell that is not open included, is found where the move is made."""
    if letter is None or not isinstance(asked, Place) or table.progress is None:
        return
    if expected is not None and not {table.version, table.tag} & set(expected.states):
        return
    right = legal.letters(table.state, seat, asked)
    if right not in (None, letter):
        refuse(
            "body", {"letter": [said("Must be %(letter)s, the letter of this cell, or not be given.", letter=right)]}
        )


def _check_answered(table_id: str, slot: Slot | None) -> None:
    found = read(straight(), table_id, Asking(bearer_hash(), now(), slot)).answered
    if found is not None:
        raise _AnsweredBefore(found)


class _AnsweredBefore(Exception):
    """The same request was faster, and this is its answer."""

    def __init__(self, kept: Kept) -> None:
        super().__init__(kept)
        self.kept = kept


def _tried(version: int, seat: int, asked: Move, step: Step) -> dict[str, Any]:
    return {
        "version": version,
        "seat": seat,
        "move": to_json(asked),
        "notation": text.render(asked),
        "moved": moved(step),
        "covered": covered(step),
        "discs_left": step.state.discs_left[seat],
        "refills": bool(step.refilled),
        "turn": step.turn,
        "result": None if step.ended is None else step.ended.to_json(),
    }
