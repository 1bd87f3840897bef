"""The people of drills that share the running service."""

import pytest

from tests.drills.client import Player
from tests.drills.service import Service


@pytest.fixture(scope="package")
def people(service: Service) -> list[Player]:
    """Return a player who makes tables, and twenty guests."""
    return service.sign_up(21)
