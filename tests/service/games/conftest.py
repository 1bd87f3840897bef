"""A session on a fresh database, without the web application."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from limits.storage import MemoryStorage
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from service.access.limits import Limiter
from service.commands.invitations import Limits
from tests.service.games.world import KEYS


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    with Session(engine, expire_on_commit=False) as session:
        yield session


@pytest.fixture
def limits() -> Limits:
    """No limit on invitations, and a counter of its own for tests that set one."""
    return Limits(Limiter(MemoryStorage(), KEYS[0], lambda: datetime.now(UTC)), per_account=0, per_recipient=0)
