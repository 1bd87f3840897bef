"""A session on a fresh database, without the web application."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from service.access.limits import Limiter
from service.commands.invitations import InvitationLimits
from service.store.rate_limits import RateLimitStorage
from tests.service.games.world import KEYS, NOW


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    with Session(engine, expire_on_commit=False) as session:
        yield session


@pytest.fixture
def limits(engine: Engine) -> InvitationLimits:
    """No limit on invitations, and counters for tests that set one."""
    storage = RateLimitStorage(lambda: engine, lambda: NOW)
    return InvitationLimits(Limiter(storage, KEYS[0], lambda: NOW, storage.within), per_account=0, per_recipient=0)
