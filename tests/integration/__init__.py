"""Tests of what several packages do together."""
