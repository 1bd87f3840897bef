"""Change the code in one small place at a time, and see whether a test notices.

This is our own code, because existing tools do not fit. mutmut skips decorated functions, cannot take a sample, and
runs all mutants from one process, which breaks fixtures with a Postgres, threads and forks. cosmic-ray changes the
files in place, and runs one command for every mutant, without a map of which test executes what. Neither changes SQL.
"""
