"""Databases of their own for what is done to whole databases."""

from tests.support.databases import make_database, make_module_database

__all__ = ["make_database", "make_module_database"]
