"""Backups of the database, and how they come back."""
