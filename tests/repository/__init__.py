"""Tests that the files of the repository agree with each other."""
