"""A move over HTTP, made or only tried: the same for games and solo sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, jsonify

from engine import text
from engine.moves import Move, Resign, to_json
from engine.step import Step
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.context import now
from service.api.documented import View, annotate
from service.api.game_answers import CREATED_HEADERS, view
from service.api.game_examples import Examples
from service.api.game_schemas import GameShown
from service.api.game_view import covered, moved
from service.api.idempotent import given_key, once, takes_key
from service.api.move_schemas import MoveGiven, MoveQuery, MoveTried
from service.api.preconditions import expectation, parameter
from service.commands import play
from service.queries.table import LoadedTable
from service.store.unit import transaction


def takes_move(blp: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Decorator, below that of the table: all that a route for moves reads, refuses and answers."""

    def decorator(view: View) -> View:
        answers = blp.alt_response(200, schema=MoveTried, example=examples.tried, success=True)(view)
        answers = blp.response(201, GameShown, example=examples.view, headers=CREATED_HEADERS)(answers)
        taking = annotate(takes_key(answers), refuses=(409, 412, 428), parameters=(parameter(examples.tag),))
        return query(MoveQuery)(body(MoveGiven, example=examples.move)(taking))

    return decorator


def move(account: str, table: LoadedTable, query: dict[str, Any], body: dict[str, Any], path: str) -> Response:
    """Make the move of a player at the table, or say what it would do.

    `path` is where the table is. A dry run makes no use of an `Idempotency-Key`: it does nothing to be done twice.
    """
    seat = table.seat_of(account)
    assert seat is not None, "only players get here"
    asked: Move = body["move"]
    if query["dry_run"]:
        given_key()  # refused when malformed, as ever
        expected = expectation(body["expected_version"], needed=False)
        return jsonify(_tried(table.version, seat, asked, play.preview(table, seat, asked, expected, now())))

    def make() -> Response:
        expected = expectation(body["expected_version"], needed=not isinstance(asked, Resign))
        with transaction() as session:
            played = play.play(session, table, seat, asked, expected, now())
        return view(played.table, account, 201, f"{path}?at={played.table.version}")

    return once(account, make)


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
