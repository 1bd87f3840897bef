"""Choose how much of what takes long is run. A plugin of pytest.

By itself pytest runs what `make test` does: a tenth of the cases of a test with the mark `tenth`, of one with the mark
`slow` too, rounded down, so that one without cases does not run, and nothing with the mark `long`. With `--whole`, as
in a build, the slow tests run in full, and with `--drill` all three. What `-k` or `::` names runs in full, too. A drill
that repeats something asks the fixture `amount` how often.
"""

from collections import defaultdict
from collections.abc import Callable
from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--whole` and `--drill`."""
    parser.addoption("--whole", action="store_true", help="run the slow tests in full, not a tenth of their cases")
    parser.addoption("--drill", action="store_true", help="run the drills in full too, not a small part of each")


@pytest.hookimpl(trylast=True)  # after `-m`, so that something of what it chooses is run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip drills that have no shorter form, and leave out nine of ten cases of others, unless one is asked for."""
    if config.getoption("--drill"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="takes long, so it runs in `make drill` alone"))
    if config.getoption("lf", False) or config.option.keyword or any("::" in each for each in config.args):
        return
    left_out = _left_out(items, "tenth", lambda cases: -(-cases // 10))
    if not config.getoption("--whole"):
        left_out |= _left_out(items, "slow", lambda cases: cases // 10)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def _left_out(items: list[pytest.Item], mark: str, kept: Callable[[int], int]) -> set[str]:
    """Return the ids of the cases of each test with a mark, without as many of them as `kept` makes of their number.

    Which are kept follows from the ids, not from the order, in which every tenth may have something in common.
    """
    cases: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker(mark) and not item.get_closest_marker("long"):
            cases[item.nodeid.partition("[")[0]].append(item.nodeid)
    return {
        case
        for same in cases.values()
        for case in sorted(same, key=lambda each: crc32(each.encode()))[kept(len(same)) :]
    }


@pytest.fixture(scope="session")
def amount(request: pytest.FixtureRequest) -> Callable[..., int]:
    """Return a function that chooses how often a drill repeats.

    That is the first number with ``--drill``; otherwise the second, or a tenth of the first, rounded up.
    """
    full = request.config.getoption("--drill")
    return lambda number, few=None: number if full else few or -(-number // 10)
