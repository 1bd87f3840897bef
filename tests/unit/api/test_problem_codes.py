"""Every code that a problem of the API can have is known to the document, with its statuses."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus
from pathlib import Path

import pytest

from service import errors
from service.api import errors as http_errors
from service.api.errors import STATUS_OF
from service.api.problem_codes import ALL, CODES
from service.api.problem_schema import Problem
from service.app import openapi_yaml

ROOT = Path(__file__).parents[3]

TURNED = {"ClockError": {403, 409, 422}, "IllegalMove": {422}}
"""Errors of the engine and of clocks that commands turn into refusals, and the statuses that these have."""

MAKERS = {"conflict": (2, {409}), "refusal": (0, {409, 412}), "require": (1, {429})}
"""Functions and methods that make a refusal of the code in this place of their arguments."""

COMPUTED: dict[str, set[str]] = {
    "error.code": set(),  # of the engine's errors, which are found where they are made
    "code": set(),  # in `conflict`, whose calls are looked at
    "CODE": {"account_suspended"},
    "f'link_{state}'": {f"link_{state}" for state in ("revoked", "used_up", "expired", "suspended")},
    "f'invitation_{state}'": {f"invitation_{state}" for state in ("used", "declined", "taken_back", "expired")},
}
"""Codes that are not written where the refusal is made, by the expression that stands there."""

PAGES = "service/pages/"
"""Pages show what a refusal says, and not its code."""

OF_COMMANDS = {"bad_reason", "bots_seat", "no_such_account", "not_paused", "not_to_move", "on_autopilot"}
"""Codes that only the command line shows."""

OF_FIELDS = {"bad_clock", "bad_duration", "bad_reminders", "bounds", "out_of_bounds", "unknown_zone"}
"""Codes for what the schemas of the API refuse before, as `wrong_fields`, so that no problem has them."""


def places(call: ast.Call) -> tuple[int, set[int]] | None:
    """Return the place of the code among a call's arguments, and its statuses; None if it makes no refusal."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and kind in STATUS_OF:
        return 0, {STATUS_OF[kind]}
    if name in TURNED:
        return 0, TURNED[name]
    return MAKERS.get(name)


@cache
def made() -> tuple[tuple[str, set[int], str], ...]:
    """Return the code, the possible statuses and the file of every refusal in the code."""
    return tuple(_made())


def _made() -> Iterator[tuple[str, set[int], str]]:
    for path in sorted([*ROOT.glob("engine/**/*.py"), *ROOT.glob("service/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = places(node) if isinstance(node, ast.Call) else None
            if found is None or not isinstance(node, ast.Call) or len(node.args) <= found[0]:
                continue
            code, where = node.args[found[0]], str(path.relative_to(ROOT))
            if isinstance(code, ast.Constant):
                yield str(code.value), found[1], where
                continue
            for each in COMPUTED.get(ast.unparse(code), {f"{ast.unparse(code)} in {where}"}):
                yield each, found[1], where


def test_each_refusal_in_the_code_has_a_known_code() -> None:
    unseen = OF_COMMANDS | OF_FIELDS
    found = {code: where for code, _, where in made() if code not in unseen and not where.startswith(PAGES)}
    assert len(found) > 60
    assert not unseen & ALL
    assert {code: where for code, where in found.items() if code not in ALL} == {}, "add them to problem_codes.CODES"


def test_each_member_of_a_refusal_is_a_member_of_a_problem() -> None:
    found = set()
    for path in sorted(ROOT.glob("service/**/*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        found |= {keyword.arg for call in calls if places(call) for keyword in call.keywords if keyword.arg}
    members = found - {"wrong", "retry_after", "policy"}
    assert {"version", "rule", "legal", "most"} <= members
    assert members - set(Problem().fields) == set(), "describe them in problem_schema.py"


def test_each_known_code_is_of_a_refusal() -> None:
    of_http = {code for code, _ in http_errors._OF_HTTP.values()}
    assert set(ALL) - {code for code, _, _ in made()} - of_http == {"malformed_move"}  # MalformedMove has it


@pytest.mark.parametrize("subject", CODES)
def test_the_statuses_of_the_codes_are_right(subject: str) -> None:
    possible: defaultdict[str, set[int]] = defaultdict(set)
    for code, of_refusal, _ in made():
        possible[code] |= of_refusal
    for status, (code, _) in http_errors._OF_HTTP.items():
        possible[code].add(status)
    for code, (statuses, meaning) in CODES[subject].items():
        told = {int(status) for status in statuses.split(", ")}
        assert told <= possible.get(code, told), code
        assert all(HTTPStatus(status) for status in told)
        assert meaning.endswith(".") and meaning[0] not in " abcdefghijklmnopqrstuvwxyz", code


def test_each_code_in_a_description_is_known() -> None:
    told = set(re.findall(r"\b4\d\d,? `([a-z_]+)`", openapi_yaml().replace("\n", " ")))
    assert len(told) > 20
    assert told - {*ALL} == set()


def test_no_code_stands_under_two_subjects() -> None:
    assert len(ALL) == len(set(ALL))
