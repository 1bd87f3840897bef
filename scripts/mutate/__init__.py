"""Change the code in one small place at a time, and see whether a test notices.

Own code, because what exists does not fit: mutmut leaves decorated functions alone, samples nothing and runs all
mutants from one process, with which the fixtures' Postgres, threads and forks do not agree; cosmic-ray changes the
files in place and runs one command for every mutant, with no map of which test executes what. Neither looks into SQL.
"""
