"""Share tests out among processes module by module, so that what a module sets up is made once. A plugin of pytest.

It acts with `--dist loadgroup`. Tests with a mark `xdist_group` stay together instead, and begin first, because they
take longest.
"""

from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling

_WAITING = tuple(f"tests/unit/{package}/" for package in ("local", "receiver", "service", "store", "witness"))
"""Tests that wait longer, for processes, time-outs and locks, than they compute."""


class ByModule(LoadGroupScheduling):  # type: ignore[misc]  # the package has no types
    """A scheduler that gives a process all tests of a group or of a module, in the order of their collection."""

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        return group.partition("::")[0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of groups first, then those that wait most, so that others fill the time until the end."""
    items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, not item.nodeid.startswith(_WAITING)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule | None:
    """Return the scheduler of this module; None, the usual one, without `--dist loadgroup`."""
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False  # it would put small modules last, some of which take longest
    return ByModule(config, log)
