"""Empty databases for tests that act on whole databases."""

from tests.support.databases import make_database, make_module_database

__all__ = ["make_database", "make_module_database"]
