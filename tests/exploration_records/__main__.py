"""Write the two files of explorations again: `python -m tests.exploration_records`."""

from tests.exploration_records import TAMPERED_FILE, VALID_FILE, lines, tampered, valid

VALID_FILE.write_bytes(lines(valid()))
TAMPERED_FILE.write_bytes(lines(tampered()))
