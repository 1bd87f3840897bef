"""Run drills in full with `--drill`, and a tenth of them without. A plugin of pytest.

A drill that repeats something asks the fixture `amount` how often. A test of many cases that are alike has the mark
`tenth`, and one of which there is no shorter form the mark `long`.
"""

from collections import defaultdict
from collections.abc import Callable
from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--drill`."""
    parser.addoption("--drill", action="store_true", help="run the drills in full, not a small part of each")


@pytest.hookimpl(trylast=True)  # after `-k` and `-m`, so that what they choose is run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip drills that have no shorter form, and leave out nine of ten cases of others, unless one is asked for."""
    if config.getoption("--drill"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="takes long, so it runs in `make drill` alone"))
    if not any("::" in each for each in config.args):
        left_out = _left_out(items)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]


def _left_out(items: list[pytest.Item]) -> set[str]:
    """Return the ids of all but a tenth of the cases of each test with the mark `tenth`.

    Which tenth it is follows from the ids, not from the order, in which every tenth may have something in common.
    """
    cases: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("tenth") and not item.get_closest_marker("long"):
            cases[item.nodeid.partition("[")[0]].append(item.nodeid)
    return {
        case
        for same in cases.values()
        for case in sorted(same, key=lambda each: crc32(each.encode()))[-(-len(same) // 10) :]
    }


@pytest.fixture(scope="session")
def amount(request: pytest.FixtureRequest) -> Callable[..., int]:
    """Return a function that chooses how often a drill repeats.

    That is the first number with ``--drill``; otherwise the second, or a tenth of the first, rounded up.
    """
    full = request.config.getoption("--drill")
    return lambda number, few=None: number if full else few or -(-number // 10)
