"""How long ordinary jobs are held back while something is due at its minute."""

import pytest

from service.jobs.precedence import LONGEST, Precedence


class Ticking:
    """A clock that is set by hand, with a precedence by it; `released` counts its calls."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.released = 0
        self.precedence = Precedence(lambda: self.now, self.release)

    def release(self) -> None:
        self.released += 1

    def held_after(self, seconds: float) -> bool:
        self.now += seconds
        return self.precedence.holds_back()


@pytest.fixture
def ticking() -> Ticking:
    return Ticking()


def test_jobs_are_held_back_while_something_is_done_and_only_then(ticking: Ticking) -> None:
    assert not ticking.precedence.holds_back()
    with ticking.precedence.over_jobs():
        assert ticking.held_after(0) and ticking.held_after(LONGEST - 1)
    assert not ticking.precedence.holds_back()


def test_an_error_ends_the_holding_back(ticking: Ticking) -> None:
    with pytest.raises(ValueError, match="broken"), ticking.precedence.over_jobs():
        raise ValueError("broken")
    assert not ticking.precedence.holds_back()


def test_jobs_that_were_held_back_are_released_once_when_it_ends(ticking: Ticking) -> None:
    with ticking.precedence.over_jobs():
        assert ticking.released == 0
    assert ticking.released == 0, "nobody has asked"
    with ticking.precedence.over_jobs():
        ticking.held_after(1)
        ticking.held_after(1)
        assert ticking.released == 0
    assert ticking.released == 1
    with ticking.precedence.over_jobs():
        pass
    assert ticking.released == 1


def test_endless_work_leaves_jobs_every_other_stretch_of_time(ticking: Ticking) -> None:
    with ticking.precedence.over_jobs():
        held = [ticking.held_after(1) for _ in range(200)]
    longest = int(LONGEST)
    assert held[:longest] == [True] * (longest - 1) + [False]
    assert held[longest - 1 : 2 * longest - 1] == [False] * longest
    assert sum(held) <= len(held) / 2


def test_many_short_looks_are_held_to_the_same_as_one_long_one(ticking: Ticking) -> None:
    began, held = ticking.now, 0
    for _ in range(100):
        with ticking.precedence.over_jobs():
            ticking.now += 2
            held += 2 * ticking.precedence.holds_back()
        ticking.now += 0.5
    half = (ticking.now - began) / 2
    assert half - LONGEST <= held <= half + LONGEST


def test_what_was_used_up_comes_back_while_nothing_is_due(ticking: Ticking) -> None:
    with ticking.precedence.over_jobs():
        ticking.held_after(LONGEST)
    ticking.now += LONGEST - 1
    with ticking.precedence.over_jobs():
        assert not ticking.held_after(0.5)
        assert ticking.held_after(0.5), "by now it has been free for as long as it was held back"
        assert ticking.held_after(LONGEST - 1)
        assert not ticking.held_after(1)
