"""A worker that is killed at any point of a checkpoint leaves what the next one goes on from: one tree, one history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from service.commands.checkpoint_folder import NoteFolder
from service.queries.checkpoint_audit import compare
from service.store import checkpoint_tiles, checkpoints
from tests.support.checkpoint_site import Site, make_site

pytestmark = pytest.mark.drill

POINTS, POINTS_IN_FULL = 5, 50

site = make_site


class Killed(BaseException):
    """The worker was killed; nothing of it goes on, so nothing catches this."""


class _Counter:
    """Counts the points that a worker comes to, and kills it at one of them."""

    def __init__(self, fatal: int | None) -> None:
        self.fatal, self.passed = fatal, 0

    def __call__(self, *_: object, **__: object) -> None:
        self.passed += 1
        if self.passed == self.fatal:
            raise Killed


@contextmanager
def _killed_at(site: Site, monkeypatch: pytest.MonkeyPatch, fatal: int | None) -> Iterator[_Counter]:
    """Count each statement, each COPY, each note written to the folder and each request, before it and after it."""
    counter = _Counter(fatal)

    def around(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            counter()
            result = real(*arguments, **named)
            counter()
            return result

        patched.setattr(owner, name, counted)

    engine = site.sessions.kw["bind"]
    with monkeypatch.context() as patched:
        for owner, name in (
            (checkpoint_tiles, "add_tiles"),
            (checkpoint_tiles, "add_leaves"),
            (NoteFolder, "write"),
            (site.witnesses, "post"),
        ):
            around(owner, name)
        for moment in ("before_cursor_execute", "after_cursor_execute", "commit"):
            event.listen(engine, moment, counter)
        try:
            yield counter
        finally:
            for moment in ("before_cursor_execute", "after_cursor_execute", "commit"):
                event.remove(engine, moment, counter)


def test_a_checkpoint_survives_a_kill_at_any_point(
    site: Site, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    site.witnessed("group both all w1 w2\nquorum both\n")
    site.play()
    site.restarted().run(at_once=True)
    site.play()
    site.next_day()
    with _killed_at(site, monkeypatch, None) as counter:
        site.restarted().run()
    points = POINTS_IN_FULL if request.config.getoption("--drill") else POINTS
    assert counter.passed >= POINTS_IN_FULL
    for number in range(points):
        fatal = 1 + number * counter.passed // points
        site.play()
        site.next_day()
        with _killed_at(site, monkeypatch, fatal), pytest.raises(Killed):
            site.restarted().run()
        site.restarted().run()
        assert [list(note.witnesses) for note in site.notes()] == [["w1", "w2"]], fatal
        with site.sessions() as session:
            assert list(compare(session)) == [], fatal
            newest = checkpoints.newest_batch(session, 1)
        assert newest is not None
        noted = NoteFolder(site.settings.data_dir).read(1)
        assert noted is not None and (noted.size, noted.root) == (newest.size, newest.root), fatal
        assert all(witness.size == newest.size for witness in site.witnesses.by_url.values()), fatal
