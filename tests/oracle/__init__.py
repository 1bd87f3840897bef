"""The oracle: a second, slow and plain implementation of the rules, the draw and the record.

It shares nothing with `engine`, not even the list of tiles, so both agree only if both are right, or misread the
rulings in the same way. It is written to be compared with the rulings line by line, not to be fast: nothing but the
table itself is kept from one move to the next.
"""
