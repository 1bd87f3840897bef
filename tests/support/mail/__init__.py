"""Mails for tests: composed, delivered to a relay, checked and read."""
