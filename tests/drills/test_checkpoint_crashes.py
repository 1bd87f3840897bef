"""A worker that is killed at any point of a checkpoint leaves what the next one goes on from: one tree, one history.

Each worker is a process of its own that ends by SIGKILL. Its witnesses are asked over HTTP, and remember what they
signed.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import event

from service.commands.checkpoint_folder import NoteFolder
from service.jobs import witnesses
from service.queries.checkpoint_audit import compare
from service.store import checkpoint_tiles, checkpoints
from tests.support import witness
from tests.support.checkpoint_site import ORIGIN, Site, make_site

pytestmark = pytest.mark.drill

POINTS, POINTS_IN_FULL = 5, 50

site = make_site


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch, site: Site) -> Iterator[list[Callable[[], None]]]:
    """Yield what is called at each point: before and after each statement, COPY, note in the folder, and request."""
    called: list[Callable[[], None]] = []

    def reach(*_: object, **__: object) -> None:
        for each in called:
            each()

    def around(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            reach()
            result = real(*arguments, **named)
            reach()
            return result

        monkeypatch.setattr(owner, name, watched)

    with witness.served("w1", "w2", origin=ORIGIN) as asked:
        site.witnesses, site.post = asked, witnesses.post
        for owner, name in (
            (checkpoint_tiles, "add_tiles"),
            (checkpoint_tiles, "add_leaves"),
            (NoteFolder, "write"),
            (site, "post"),
        ):
            around(owner, name)
        for moment in ("before_cursor_execute", "after_cursor_execute", "commit"):
            event.listen(site.sessions.kw["bind"], moment, reach)
        yield called


class _Counter:
    """Counts the points that are reached, and kills its process at one of them."""

    def __init__(self, fatal: int | None = None) -> None:
        self.fatal, self.reached = fatal, 0

    def __call__(self) -> None:
        self.reached += 1
        if self.reached == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)


def _kill_at(site: Site, points: list[Callable[[], None]], fatal: int) -> bool:
    """Run a worker in a process of its own, which is killed at this point; return whether it came there."""
    if pid := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code in (0, -signal.SIGKILL), fatal
        return code != 0
    try:
        site.sessions.kw["bind"].dispose(close=False)  # its connections are the parent's
        points.append(_Counter(fatal))
        site.restarted().run()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(1)  # nothing of the tests goes on in this process


def test_a_checkpoint_survives_a_kill_at_any_point(
    site: Site, points: list[Callable[[], None]], request: pytest.FixtureRequest
) -> None:
    site.witnessed("group both all w1 w2\nquorum both\n")
    site.play()
    site.restarted().run(at_once=True)
    site.play()
    site.next_day()
    counter = _Counter()
    points.append(counter)
    site.restarted().run()
    points.clear()
    kills, killed, reached = POINTS_IN_FULL if request.config.getoption("--drill") else POINTS, 0, counter.reached
    while killed < kills:
        assert reached >= POINTS_IN_FULL
        fatal = 1 + killed * reached // kills
        site.play()
        site.next_day()
        if _kill_at(site, points, fatal):
            killed += 1
        else:
            reached = fatal - 1  # a batch has fewer points than the first one had
        site.restarted().run()
        assert [list(note.witnesses) for note in site.notes()] == [["w1", "w2"]], fatal
        with site.sessions() as session:
            assert list(compare(session)) == [], fatal
            newest = checkpoints.newest_batch(session, 1)
        assert newest is not None
        noted = NoteFolder(site.settings.data_dir).read(1)
        assert noted is not None and (noted.size, noted.root) == (newest.size, newest.root), fatal
        assert all(each.size == newest.size for each in site.witnesses.by_url.values()), fatal
