"""Tests of one package each, in a folder of its name."""
