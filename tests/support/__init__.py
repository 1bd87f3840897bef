"""Shared by tests: fixtures, test doubles, and ways to start and call the real service."""
