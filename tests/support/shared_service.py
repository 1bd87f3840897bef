"""One running service for all tests that break nothing in it. A plugin of pytest.

They have the mark `SHARE_SERVICE`, which keeps them in one process. They leave it running, sign up people whom no other
test signs up, and look at the games and mails of these alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.drills.service import Service

SHARE_SERVICE = pytest.mark.xdist_group("one service")


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """Yield a running service with all its processes; a test may restart it."""
    from tests.drills.service import running_service  # here: tests of the engine do without it

    with running_service() as service:
        yield service
