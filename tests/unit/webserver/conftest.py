"""The database of a module's tests, which share a web server."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.databases import as_service


@pytest.fixture(scope="module")
def database_url(create_database: Callable[[], str], drop_database: Callable[[str], None]) -> Iterator[str]:
    """Yield the URL of a migrated database for all tests of a module, for the role that the service uses."""
    url = create_database()
    yield as_service(url)
    drop_database(url)
