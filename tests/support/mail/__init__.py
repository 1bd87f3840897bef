"""Mails for tests: made, delivered to a relay, checked and read."""
