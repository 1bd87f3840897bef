"""The unit of work: one transaction for everything that a request or a job does.

All transactions lock rows in one order, so that they wait for each other in no circle:

1. the claim of an `Idempotency-Key`, or of a form;
2. accounts: the caller's first, then others by id;
3. games by key, and of each its log (by adding an entry), then its progress, then its table. Whoever adds no entries
   may lock the progress of all its games first, and then their tables;
4. what belongs to them, such as invitations and the responses stored for others, by key.

A row is locked `FOR NO KEY UPDATE` unless a key changes, as an account's address does. Each row that refers to it takes
a `KEY SHARE` lock of it, often after other locks, and waits only for a lock that is stronger. A message locks its table
like this and then, at the commit, to count it.

A deadlock that happens nevertheless breaks one of the transactions, and `repeated` runs that again for a request. A job
is tried again by the queue.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy.orm import Session

from service.store import broken_transactions
from service.store.base import db

_OPEN = "unit_of_work_open"
_COMMITTED = "units_of_work_committed"

Result = TypeVar("Result")


@contextmanager
def transaction() -> Iterator[Session]:
    """Yield the session of the application context, and commit when the block ends without an exception.

    A block inside another one joins it: only the outermost commits. An exception that leaves any block rolls back at
    once all that was done before, in the outer ones too. For a part that may fail by itself use
    `session.begin_nested()`.
    """
    session: Session = db.session()
    if session.info.get(_OPEN):
        try:
            yield session
        except BaseException:
            session.rollback()
            raise
        return
    session.info[_OPEN] = True
    try:
        yield session
        session.commit()
        session.info[_COMMITTED] = session.info.get(_COMMITTED, 0) + 1
    except BaseException:
        session.rollback()
        raise
    finally:
        session.info[_OPEN] = False


def repeated(work: Callable[[], Result]) -> Result:
    """Return the result of `work()`, and call it again if a deadlock broke its transaction before it committed any.

    All that a transaction contains is undone and done again: stored responses, jobs, hits of rate limits. What `work`
    does beside its transactions must bear to be done twice; a hit that counts whatever becomes of the request counts
    for each try.
    """
    session: Session = db.session()
    committed = session.info.get(_COMMITTED, 0)

    def may_repeat() -> bool:
        session.rollback()
        return bool(session.info.get(_COMMITTED, 0) == committed)

    return broken_transactions.run(work, may_repeat)
