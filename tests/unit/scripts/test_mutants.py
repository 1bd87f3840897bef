"""Which mutants are found in a file, and what is left alone."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from scripts.mutate.mutants import Mutant, mutants_of

ROOT = Path(__file__).parents[3]


def found(source: str) -> list[Mutant]:
    return mutants_of("some.py", source.encode())


def changes(source: str) -> set[str]:
    """Return the source once with each change."""
    return {mutant.apply(source.encode()).decode() for mutant in found(source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", {"x = (a <= b)"}),
        ("x = a < b == c", {"x = (a <= b == c)", "x = (a < b != c)"}),
        ("x = a is None", {"x = (a is not None)"}),
        ("x = a in b", {"x = (a not in b)"}),
        ("x = a and b", {"x = (a or b)"}),
        ("x = not a", {"x = (a)"}),
        ("x = a - b", {"x = (a + b)"}),
        ("x = a | b", {"x = (a & b)"}),
        ("x += y", {"x -= y"}),
        ("x = True", {"x = False"}),
        ("x = 7", {"x = (7 + 1)"}),
        ("x = 'stale'", {"x = 'stale_x'"}),
        ("x = any(a)", {"x = all(a)"}),
        ("x = max(a)", {"x = min(a)"}),
        ("x = a.copy()", {"x = (a)"}),
        ("x = a if b else c", {"x = a if (not b) else c"}),
        ("x = [a for a in b if c]", {"x = [a for a in b if (not c)]"}),
        ("f(x)", {"pass"}),
        ("raise x", {"pass"}),
        ("def f():\n    return x", {"def f():\n    return None"}),
        ("def f():\n    return False", {"def f():\n    return True"}),
        ("while a:\n    break", {"while (not a):\n    break", "while a:\n    continue"}),
        ("x = é < b", {"x = (é <= b)"}),
    ],
)
def test_each_construct_is_changed_in_all_ways(source: str, expected: set[str]) -> None:
    assert changes(source) == expected


def test_conditions_in_sql_are_changed() -> None:
    source = 'READ = """\n  SELECT a FROM b\n   WHERE c <= 1 AND d IS NULL\n   ORDER BY e DESC FOR UPDATE"""'
    assert {(mutant.line, mutant.before, mutant.after) for mutant in found(source)} == {
        (3, "<=", "<"),
        (3, "AND", "OR"),
        (3, "AND d IS NULL", ""),
        (3, "IS NULL", "IS NOT NULL"),
        (4, " DESC", ""),
        (4, " FOR UPDATE", ""),
    }
    assert [mutant.after for mutant in found('x = f"SELECT {a} FROM b WHERE c AND d"')] == ["OR", ""]


def test_each_condition_of_a_part_of_a_statement_is_left_out_once() -> None:
    source = 'PART = f"""\n  FROM a\n WHERE b = %(b)s AND c = {C} AND d IN (1, 2)\n   AND e = %(e)s"""'
    assert {mutant.before for mutant in found(source) if not mutant.after} == {"AND c = {C}", "AND e = %(e)s"}


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        "def f() -> None:\n    'a docstring'",
        "assert a < b",
        "x: list[int]",
        "x = 'A sentence has spaces.'",
        "__slots__ = ('a', 'b')",
        "_log.info('told', job=7)",
        "class Reader(Protocol):\n    def read(self, most=7): ...",
        "if TYPE_CHECKING:\n    x = 7",
        "def f():\n    return None",
        "x = a + [b]",
        "x = 'a' + b",
        "x = f'{a < 7}'",
    ],
)
def test_what_no_test_could_notice_is_left_alone(source: str) -> None:
    assert [str(mutant) for mutant in found(source) if mutant.before != "'a'"] == []


def test_a_mutant_says_where_it_is_and_what_is_executed_with_it() -> None:
    source = "A, B = 7, 8\n\nclass C:\n    def f(self):\n        if (a <\n                b):\n"
    source += "            g(\n                9)\n"
    found_there = {(mutant.before, mutant.where, mutant.name, mutant.lines) for mutant in found(source)}
    assert ("7", "", "A B", (1, 1)) in found_there
    assert ("9", "C.f", None, (7, 8)) in found_there
    [comparison] = [mutant for mutant in found(source) if mutant.before.startswith("a <")]
    assert (comparison.where, comparison.line, comparison.lines) == ("C.f", 5, (5, 6))
    assert str(comparison) == "some.py:5 in C.f: 'a < b' -> '(a <= b)'"


def test_a_mutant_of_another_version_of_the_file_is_refused() -> None:
    [mutant] = found("x = a < b")
    with pytest.raises(ValueError, match="is not the file"):
        mutant.apply(b"y = 1\nx = a < b")


@cache
def mutants_in(path: str) -> list[Mutant]:
    return mutants_of(path, (ROOT / path).read_bytes())


def test_each_reason_is_one_for_a_mutant_that_there_is() -> None:
    reasons = tomllib.loads((ROOT / "scripts" / "mutate" / "explained.toml").read_text())["mutant"]
    assert len(reasons) > 50
    stale = [
        reason
        for reason in reasons
        if not any(
            all(getattr(each, key) == value for key, value in reason.items() if key != "why")
            for each in mutants_in(reason["path"])
        )
    ]
    assert stale == []
