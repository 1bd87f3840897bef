"""Transactions that a deadlock broke are run again, a few times."""

from collections.abc import Callable

import psycopg
import pytest
from psycopg import errors
from sqlalchemy.exc import OperationalError

from service import metrics
from service.store import broken_transactions
from service.store.broken_transactions import TRIES


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    counts: list[None] = []
    monkeypatch.setattr(metrics, "transaction_repeated", lambda: counts.append(None))
    return counts


def failing(error: Exception, times: int) -> Callable[[], str]:
    """Return a function that raises the error so often, and then returns a text."""
    left = iter([error] * times)

    def transaction() -> str:
        for each in left:
            raise each
        return "done"

    return transaction


@pytest.mark.parametrize(
    "error",
    [errors.DeadlockDetected(), errors.SerializationFailure(), OperationalError("x", None, errors.DeadlockDetected())],
)
def test_the_last_try_may_succeed(error: Exception, counted: list[None]) -> None:
    assert broken_transactions.run(failing(error, TRIES - 1)) == "done"
    assert len(counted) == TRIES - 1


def test_the_error_of_the_last_try_is_raised(counted: list[None]) -> None:
    with pytest.raises(errors.DeadlockDetected):
        broken_transactions.run(failing(errors.DeadlockDetected(), TRIES))
    assert len(counted) == TRIES - 1


@pytest.mark.parametrize("error", [errors.LockNotAvailable(), errors.AdminShutdown(), psycopg.OperationalError()])
def test_a_failure_of_another_kind_is_raised_at_once(error: Exception, counted: list[None]) -> None:
    with pytest.raises(type(error)):
        broken_transactions.run(failing(error, 1))
    assert counted == []


def test_what_may_not_be_done_again_is_not(counted: list[None]) -> None:
    with pytest.raises(errors.DeadlockDetected):
        broken_transactions.run(failing(errors.DeadlockDetected(), 1), lambda: False)
    assert counted == []
