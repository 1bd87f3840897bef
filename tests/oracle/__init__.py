"""The oracle: a second, slow and plain implementation of the rules, the draw and the record.

It shares nothing with `engine`, not even the list of tiles, so that both can only agree by being right, or by
reading the rulings in the same wrong way. It is written to be compared with the text of the rulings line by line,
not to be fast: nothing is kept from one move to the next but what lies on the table.
"""
