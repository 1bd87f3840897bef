"""Benchmarks, run by `python -m bench`; every figure is a ratio of two things measured alternately in one run."""
