"""The unit of work: one transaction for everything that a request or a job does."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from service.store.base import db

_OPEN = "unit_of_work_open"


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
    except BaseException:
        session.rollback()
        raise
    finally:
        session.info[_OPEN] = False
