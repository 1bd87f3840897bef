"""Write the two files of explorations again: `python -m tests.exploration_records`."""

from tests.exploration_records import SPOILED_FILE, VALID_FILE, lines, spoiled, valid

VALID_FILE.write_bytes(lines(valid()))
SPOILED_FILE.write_bytes(lines(spoiled()))
