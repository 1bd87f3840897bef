"""Answer a GET of the goals on a display: why each is met or not."""

from __future__ import annotations

from typing import Any

from engine.goals import AskedColor, ExplainedGoal, explained
from engine.table import no_such_seat
from engine.tiles import COLORS, LETTERS
from service.api.application_context import Context
from service.api.authorization import find_table
from service.api.goal_schemas import GoalsQuery
from service.api.json_response import JSON
from service.api.json_text import encode
from service.api.past_states import state_asked_for
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.errors import NotFound
from service.language import goal_words
from service.language.languages import Language, language
from service.queries import replay
from service.queries.table import LoadedTable

_QUERY = GoalsQuery()


def show_goals(context: Context, request: ApiRequest, *, kind: str, table_id: str, seat: int) -> ApiResponse:
    """Return the goals on a seat's display; raise NotFound before the start, and if there is no such seat."""
    table = find_table(context, request, kind, table_id, whole_log=True).table
    query = request.load_query(_QUERY)
    check_seat(table, seat)
    if table.header is None:
        raise NotFound("not_started", "The game has not started, so it has no goals yet.")
    state = state_asked_for(table, query)
    if request.knows(state.tag):
        return ApiResponse(304, None, state.headers())
    shown = to_json(table, state.version, seat, language(query["language"]))
    return ApiResponse(200, encode(shown).encode(), {**state.headers(), "Content-Type": JSON})


def check_seat(table: LoadedTable, seat: int) -> None:
    """Raise NotFound if a table has no such seat."""
    if seat >= table.table.seats:
        raise NotFound("no_such_seat", no_such_seat(seat, table.table.seats))


def to_json(table: LoadedTable, version: int, seat: int, language: Language) -> dict[str, Any]:
    """Return the goals on the display of a seat at a version, in JSON."""
    assert table.header is not None
    game = replay.start(table.header, table.tiles)
    covered: dict[tuple[int, int], int] = {}
    for entry in table.entries[:version]:
        covered |= dict.fromkeys(game.advance(entry).covered, entry.seq)
    goals = [_goal(each, covered.get((each.tile, each.goal)), language) for each in explained(game.state, seat)]
    return {"version": version, "seat": seat, "goals": goals}


def _goal(goal: ExplainedGoal, covered_by: int | None, language: Language) -> dict[str, Any]:
    return {
        "tile": goal.tile,
        "goal": goal.goal,
        "name": goal.name,
        "asks": goal.asks,
        "met": goal.is_met,
        "covered": goal.covered,
        "covered_by": covered_by,
        "colors": [_color(goal, asked, language) for asked in goal.colors],
        "counting": goal.counting,
        "rules": goal.rules,
        "sentence": goal_words.summary(goal, language),
    }


def _color(goal: ExplainedGoal, asked: AskedColor, language: Language) -> dict[str, Any]:
    return {
        "color": COLORS[LETTERS.index(asked.letter)],
        "needed": asked.needed,
        "counted": asked.counted,
        "missing": asked.missing,
        "chains": [{"tiles": chain.tiles, "sides": chain.sides} for chain in asked.chains],
        "sentence": goal_words.color(goal, asked, language),
    }
