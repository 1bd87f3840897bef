"""Budgets of requests in several processes: no more than the amount, few leases, and windows that end."""

import random
from dataclasses import dataclass, field

import pytest

from service.access import request_budgets
from service.access.request_budgets import BudgetStanding, Lease, RequestBudget
from service.errors import Policy

ANN, BEN = b"ann", b"ben"


@dataclass
class Machine:
    """A shared budget of `amount` requests a minute, and the processes that lease parts of it."""

    amount: int
    now: float = 1000.0
    wanted: list[int] = field(default_factory=list)
    _spent: dict[bytes, tuple[float, int]] = field(default_factory=dict)

    def lease(self, subject: bytes, wanted: int) -> Lease:
        self.wanted.append(wanted)
        ends, spent = self._spent.get(subject, (0.0, 0))
        if self.now >= ends:
            ends, spent = self.now + 60, 0
        granted = max(0, min(wanted, self.amount - spent))
        self._spent[subject] = ends, spent + wanted
        return Lease(granted, max(0, self.amount - spent - wanted), ends - self.now)

    @property
    def leases(self) -> int:
        return len(self.wanted)

    def process(self) -> RequestBudget:
        return RequestBudget(Policy("requests", self.amount, 60), self.lease, lambda: self.now)


@pytest.mark.parametrize("amount", [1, 7, 99, 100, 1000, 6000])
def test_one_process_allows_the_amount_and_no_more(amount: int) -> None:
    machine = Machine(amount)
    process = machine.process()
    standings = [process.take(ANN) for _ in range(amount + 50)]
    assert [each.is_allowed for each in standings] == [True] * amount + [False] * 50
    assert [each.left for each in standings] == [*range(amount - 1, -1, -1)] + [0] * 50
    assert standings[0].seconds == 60
    assert machine.leases <= 80


@pytest.mark.parametrize(("amount", "processes"), [(10, 3), (60, 8), (1000, 4), (6000, 16)])
def test_several_processes_allow_about_the_amount(amount: int, processes: int) -> None:
    machine = Machine(amount)
    running = [machine.process() for _ in range(processes)]
    chance = random.Random(amount)
    allowed = sum(chance.choice(running).take(ANN).is_allowed for _ in range(3 * amount))
    assert 0.9 * amount <= allowed <= amount + (processes - 1) * (amount // request_budgets.UNCOUNTED)
    assert machine.leases <= 100 * processes


def test_a_small_budget_is_exact_in_any_number_of_processes() -> None:
    machine = Machine(10)
    assert machine.process().is_exact
    assert sum(machine.process().take(ANN).is_allowed for _ in range(30)) == 10


def test_few_requests_need_no_lease() -> None:
    machine = Machine(1000)
    process = machine.process()
    assert not process.is_exact
    for _ in range(3):
        assert [process.take(ANN).left for _ in range(10)] == [*range(999, 989, -1)]
        machine.now += 60
    assert machine.leases == 0


@pytest.mark.parametrize("left", [0, 1])
def test_those_that_needed_no_lease_are_counted_with_the_first_one(left: int) -> None:
    machine = Machine(100)
    first, second = machine.process(), machine.process()
    assert sum(first.take(ANN).is_allowed for _ in range(100 - left)) == 100 - left
    assert sum(second.take(ANN).is_allowed for _ in range(200)) == 1


def test_leases_shrink_with_what_is_left() -> None:
    machine = Machine(1000)
    process = machine.process()
    for _ in range(1000):
        process.take(ANN)
    assert machine.wanted[:2] == [10 + 50, 50] and machine.wanted[-1] == 1
    assert machine.wanted == sorted(machine.wanted, reverse=True)


def test_a_spent_budget_is_there_again_after_its_window() -> None:
    machine = Machine(5)
    process, other = machine.process(), machine.process()
    assert process.take(ANN).is_allowed
    machine.now += 40
    assert sum(other.take(ANN).is_allowed for _ in range(9)) == 4
    assert other.take(ANN) == BudgetStanding(False, 0, 20)
    machine.now += 19.5
    assert other.take(ANN) == BudgetStanding(False, 0, 1)
    leases = machine.leases
    assert not other.take(ANN).is_allowed and machine.leases == leases
    machine.now += 0.5
    assert other.take(ANN) == BudgetStanding(True, 4, 60)


def test_subjects_have_budgets_of_their_own() -> None:
    process = Machine(2).process()
    assert [process.take(each).is_allowed for each in (ANN, ANN, ANN, BEN, BEN, BEN)] == [True, True, False] * 2
    assert process.knows(ANN) and not process.knows(b"cleo")


def test_the_oldest_of_too_many_subjects_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_budgets, "_MOST_SUBJECTS", 2)
    machine = Machine(100)
    process = machine.process()
    for subject, seconds in ((b"1", 0), (b"2", 60), (b"1", 0), (b"3", 0)):
        process.take(subject)
        machine.now += seconds
    assert [process.knows(subject) for subject in (b"1", b"2", b"3")] == [True, False, True]
