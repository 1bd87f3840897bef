"""Measurements. Every figure is a ratio of two things measured in turn in one run: `python -m bench`."""
