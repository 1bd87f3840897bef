"""A database for all vectors of a file."""

from tests.support.databases import make_module_database

__all__ = ["make_module_database"]
