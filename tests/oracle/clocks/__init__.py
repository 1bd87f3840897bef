"""The oracle of clocks: a second, slow and plain model of the rulings in docs/CLOCKS.md.

It shares nothing with `engine` and `service`. Instants and durations are whole milliseconds, and a clock is followed
from one boundary to the next: the quarter of an hour at which a quiet time begins or ends, the ends of absences, pauses
and outages. Numbers such as 7.1 are those of the rulings.
"""
