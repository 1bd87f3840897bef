"""Write the file of records with one fault each again: `python -m tests.record_faults`."""

from tests.record_faults import FILE, lines

FILE.write_text("".join(lines()), encoding="utf-8")
