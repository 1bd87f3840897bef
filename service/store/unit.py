"""The unit of work: one transaction for everything that a request or a job does."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from service.store.base import db

_OPEN = "unit_of_work_open"


@contextmanager
def transaction() -> Iterator[Session]:
    """Yield the session of the application context, and commit when the block ends without an exception.

    A block inside another one joins it: only the outermost commits. An exception that leaves any block rolls everything
    back, so a caller that catches an inner refusal must not go on to commit. For a part that may fail by itself use
    `session.begin_nested()`.
    """
    session: Session = db.session()
    if session.info.get(_OPEN):
        yield session
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
