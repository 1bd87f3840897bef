"""Play the games and write the two files again: `python -m tests.clock_records`."""

from tests.clock_records.lines import SPOILED_FILE, VALID_FILE, spoiled_lines, valid_lines

VALID_FILE.write_bytes(b"".join(valid_lines()))
SPOILED_FILE.write_bytes(b"".join(spoiled_lines()))
