"""Backups, and the databases that they are restored to."""
