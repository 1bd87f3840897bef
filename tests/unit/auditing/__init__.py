"""Tests of service/auditing."""
