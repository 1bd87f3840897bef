"""Tests of how it is measured."""
