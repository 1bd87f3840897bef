"""Golden playthroughs: whole games for 1 to 4 players, with the whole state after each move.

They pin the rules: a change that shows here is a change of the rules, and needs a new rules version. `python -m
tests.golden` writes them again; what that changes is reviewed like code.
"""
