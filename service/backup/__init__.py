"""Backups of the database: how they are written and restored."""
