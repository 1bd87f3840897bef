"""Keeping a service: the rights of its role, upgrades, backups."""
