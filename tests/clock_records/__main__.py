"""Play the games and write the two files again: `python -m tests.clock_records`."""

from tests.clock_records.lines import TAMPERED_FILE, VALID_FILE, tampered_lines, valid_lines

VALID_FILE.write_bytes(b"".join(valid_lines()))
TAMPERED_FILE.write_bytes(b"".join(tampered_lines()))
