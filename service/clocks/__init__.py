"""Arithmetic of times, which are handed in."""
