"""Which tests are chosen for a mutant of the real code, given the lines that each test executes."""

from scripts.mutate.choice import MOST_SECONDS, Choice
from scripts.mutate.executed import ROOT, Executed
from scripts.mutate.mutants import Mutant, mutants_of

WHEEL = "engine/wheel.py"
SOURCE = (ROOT / WHEEL).read_bytes()
BODY = next(number for number, line in enumerate(SOURCE.decode().split("\n"), 1) if "needed = min(" in line)


def mutant(before: str) -> Mutant:
    return next(each for each in mutants_of(WHEEL, SOURCE) if each.before == before)


def test_a_line_in_a_function_wants_the_tests_that_execute_it() -> None:
    executed = Executed({}, {"a::t": 1.0, "b::t": 0.5, "b::u": 0.1, "c::t": 0.2}, {})
    taking = mutant("choice + 1")
    executed.lines = {"a::t": {WHEEL: [taking.line]}, "b::t": {WHEEL: [taking.line]}, "b::u": {WHEEL: [taking.line]}}
    executed.lines["c::t"] = {WHEEL: [taking.line + 1]}
    assert Choice(executed).tests(taking) == ["b::u", "a::t", "b::t"]
    executed.seconds["a::t"] = MOST_SECONDS
    assert Choice(executed).tests(taking) == ["b::u", "b::t"]
    executed.lines = {"c::t": {"engine/table.py": [1]}}
    assert Choice(executed).tests(taking) == []


def test_a_line_that_no_test_executes_wants_the_tests_of_its_module() -> None:
    named = ["tests/unit/engine/test_wheel.py::t", "tests/unit/engine/test_wheel_spaces.py::t"]
    executed = Executed({}, dict.fromkeys([*named, "tests/unit/engine/test_wheels.py::t"], 1.0), {})
    assert Choice(executed).tests(mutant("choice + 1")) == named


def test_a_constant_wants_the_tests_of_the_functions_that_use_it() -> None:
    executed = Executed({}, {"a::t": 1.0, "b::t": 1.0}, {"a::t": {WHEEL: [BODY]}, "b::t": {WHEEL: [1]}})
    spaces = mutant("12")
    assert spaces.name == "SPACES"
    assert Choice(executed).tests(spaces) == ["a::t"], "refill() uses it"


def test_a_constant_wants_the_tests_that_import_what_is_made_of_it() -> None:
    backoff, test = (
        "service/jobs/backoff.py",
        "tests/unit/jobs/test_delivery.py::test_the_delays_grow_and_go_over_two_days",
    )
    executed = Executed({}, {f"{test}[a]": 1.0, "a::t": 1.0}, {})
    delays = [each for each in mutants_of(backoff, (ROOT / backoff).read_bytes()) if each.where == "_delays"]
    assert delays and all(Choice(executed).tests(each) == [f"{test}[a]"] for each in delays), "it reads DELAYS"


def test_a_declaration_wants_the_test_of_all_declarations_first() -> None:
    document = "tests/integration/contract/test_document.py::test_the_file_is_what_the_code_gives"
    fields = "service/api/clock_fields.py"
    declares, acts = (
        next(each for each in mutants_of(fields, (ROOT / fields).read_bytes()) if each.where == where)
        for where in ("object_schema", "Duration._deserialize")
    )
    executed = Executed({}, {document: 5.0, "a::t": 1.0}, {"a::t": {fields: [acts.line]}})
    assert [Choice(executed).tests(each) for each in (declares, acts)] == [[document], ["a::t"]]


def test_what_was_measured_of_a_test_file_is_replaced_as_a_whole() -> None:
    old = Executed({"x.py": "1"}, {"a::t": 1.0, "a::gone": 1.0, "b::t": 1.0}, {"a::t": {}, "a::gone": {}, "b::t": {}})
    old.add(Executed({"x.py": "1"}, {"a::t": 2.0}, {"a::t": {"x.py": [1]}}))
    assert old.seconds == {"a::t": 2.0, "b::t": 1.0} and old.lines == {"a::t": {"x.py": [1]}, "b::t": {}}
    old.add(Executed({"x.py": "2"}, {"b::t": 3.0}, {"b::t": {"x.py": [2]}}))
    assert old.seconds == {"b::t": 3.0}, "the lines of a file that was changed mean nothing any more"
