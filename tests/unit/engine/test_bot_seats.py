"""Who plays a seat, as far as a log tells."""

from __future__ import annotations

from typing import Any

import pytest

from engine.clock.bot_seats import bot_seats

BOT = "bot:greedy"


def entry(kind: str, seat: Any = 0, by: Any = None) -> dict[str, Any]:
    """Return an entry with the fields that `bot_seats` reads; a kind with a dot is that of a mark."""
    move = {"type": "mark", "kind": kind} if "." in kind else {"type": kind}
    return {"seat": seat, "move": move} | ({} if by is None else {"by": by})


def told(*log: Any) -> tuple[set[int], set[int]]:
    found = bot_seats(log)
    return set(found.bots), set(found.persons)


@pytest.mark.parametrize("kind", ["place", "refill", "resign"])
def test_a_seat_is_a_bots_by_its_bots_moves_and_a_persons_by_its_own(kind: str) -> None:
    assert told(entry(kind, by=BOT), entry(kind, 1)) == ({0}, {1})
    assert told(entry("place", by=BOT), entry(kind), entry("place", by=BOT)) == (set(), {0})


@pytest.mark.parametrize(
    "kind", ["clock.nudge", "clock.grace", "clock.autopilot", "clock.more", "clock.back", "clock.keep"]
)
def test_a_persons_mark_counts_if_it_is_the_first_sign(kind: str) -> None:
    assert told(entry(kind), entry("place", by=BOT)) == (set(), {0})
    assert told(entry("place", by=BOT), entry(kind)) == ({0}, set())
    assert told(entry(kind)) == (set(), {0})


def gave(*seats: Any, by: Any = None) -> dict[str, Any]:
    """Return the entry with which these seats give seat 0 time."""
    given = entry("clock.more", by=by)
    return given | {"move": given["move"] | {"data": {"given_by": list(seats)}}}


def test_a_seat_that_gives_time_first_is_a_persons() -> None:
    assert told(gave(1, 2)) == (set(), {0, 1, 2})
    assert told(gave(1), entry("place", 1, BOT), entry("place", 2, BOT)) == ({2}, {0, 1})
    assert told(entry("place", 1, BOT), gave(1, 2)) == ({1}, {0, 2})
    assert told(gave("1", None, True, by="host")) == (set(), set()) and told(gave("1", True)) == (set(), {0})


@pytest.mark.parametrize("kind", ["clock.outage", "clock.warning", "clock.pause", "timeout", "end", "host.out"])
def test_other_entries_say_nothing_of_a_seat(kind: str) -> None:
    assert told(entry(kind)) == (set(), set())
    assert told(entry(kind), entry("place", by=BOT)) == ({0}, set())


def test_a_mark_by_somebody_else_is_no_sign_of_a_person() -> None:
    assert told(entry("clock.keep", by="host"), entry("place", by=BOT)) == ({0}, set())


@pytest.mark.parametrize(
    "wrong", [None, [], {}, {"seat": 0}, {"seat": 0, "move": []}, {"seat": 0, "move": {"type": 5}}, entry("place", "0")]
)
def test_an_entry_of_another_form_is_passed_over(wrong: object) -> None:
    assert told(wrong, entry("place", True), entry("place", 1)) == (set(), {1})
