"""docs/CLOCKS.md has every ruling once and in order, and its tables say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from engine.clock import marks
from engine.clock.durations import render
from engine.clock.mark_forms import KINDS
from engine.clock.terms import ABANDONED_AFTER, BOUNDS, LONGEST_PAUSE, MOST_GIVEN, PRESETS

TEXT = (Path(__file__).parents[2] / "docs" / "CLOCKS.md").read_text()
RULINGS = {1: 5, 2: 7, 3: 6, 4: 7, 5: 6, 6: 7, 7: 6, 8: 5, 9: 3, 10: 3, 11: 2}
"""How many rulings each section has; section 12 has tables."""


def section(number: int) -> str:
    """Return the text of a section."""
    return TEXT.partition(f"\n## {number}. ")[2].partition("\n## ")[0]


def test_clock_rulings_are_all_there_in_order() -> None:
    assert re.findall(r"^## (\d+)\. ", TEXT, re.MULTILINE) == [str(number) for number in range(1, 13)]
    for number, count in RULINGS.items():
        found = re.findall(r"^- (\d+\.\d+) ", section(number), re.MULTILINE)
        assert found == [f"{number}.{ruling}" for ruling in range(1, count + 1)]


def test_every_ruling_of_clocks_that_is_referred_to_exists() -> None:
    there = set(re.findall(r"^- (\d+\.\d+) ", TEXT, re.MULTILINE))
    without_rules = re.sub(r"ruling 4\.3 of the", "", TEXT)
    for inside in re.findall(r"\(([^()]*)\)", without_rules):
        assert set(re.findall(r"(?<![\w.])(\d{1,2}\.\d)(?![\w.])", inside)) <= there, inside


def test_every_kind_of_mark_is_in_the_table() -> None:
    table = section(12).partition("| kind | data |")[2].partition("\n\n")[0]
    named = {kind for row in table.splitlines()[2:] for kind in re.findall(r"`([a-z.]+)`", row.split("|")[1])}
    assert named == set(KINDS)


def test_bounds_are_those_of_the_code() -> None:
    table = section(12).partition("| bounds |")[2].partition("\n\n")[0]
    rows = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    shown = {name.partition(",")[0]: (least, most) for name, least, most in rows}
    assert shown == {name: (render(least), render(most)) for name, (least, most) in BOUNDS.items() if name != "more"}
    least, most = map(render, BOUNDS["more"])
    assert f"a duration from `{least}` to `{most}`, together at most `{render(MOST_GIVEN)}`" in unwrapped(section(7))


def test_other_numbers_are_those_of_the_code() -> None:
    assert f"`abandoned_after` (`{render(ABANDONED_AFTER)}` by default)" in unwrapped(section(9))
    assert f"until at most {LONGEST_PAUSE.days} days ahead" in unwrapped(section(7))
    assert f"a reason of 1 to {marks.LONGEST_REASON} characters" in unwrapped(section(7))
    times = [f"`{render(clock.per_wait)}`" for clock in PRESETS.values()]
    names = [f"`{name}`" for name in PRESETS]
    said = f"{names[0]}, {names[1]} and {names[2]} are a per_wait of {times[0]}, {times[1]} and {times[2]}"
    assert said in unwrapped(section(2))


def unwrapped(text: str) -> str:
    """Return the text with its lines joined."""
    return re.sub(r"\s+", " ", text)
