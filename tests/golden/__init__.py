"""Golden playthroughs: whole games, one for 1 to 4 players, with the whole state after each move.

They hold the rules still: a change that shows here is a change of the rules and needs a new rules version. They were
made once, looked at, and are made again by `python -m tests.golden`; what that changes is reviewed like code.
"""
