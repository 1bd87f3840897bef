"""One service for all drills that break nothing."""

from collections.abc import Iterator

import pytest

from tests.drills.client import Player
from tests.drills.service import Service, running_service


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """Yield a running service with all its processes; a test may restart it, and must leave it running."""
    with running_service() as service:
        yield service


@pytest.fixture(scope="package")
def people(service: Service) -> list[Player]:
    """Return a player who makes tables, and twenty guests."""
    return service.sign_up(21)
