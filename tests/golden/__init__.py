"""Golden playthroughs: whole games for 1 to 4 players by each version of the rules, with the state after each move.

They pin the rules: a change that shows here is a change of the rules, and needs a new version. Those of a version stay
in its folder for ever. `python -m tests.golden` writes those that are missing.
"""
