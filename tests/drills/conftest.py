"""One service for the drills that break nothing."""

from collections.abc import Iterator

import pytest

from tests.drills.client import Player
from tests.drills.service import Service, running_service


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """A running service, with all its processes; it may be restarted, and is to run after a test as it did before."""
    with running_service() as service:
        yield service


@pytest.fixture(scope="package")
def people(service: Service) -> list[Player]:
    """A maker, and twenty guests."""
    return service.sign_up(21)
