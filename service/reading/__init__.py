"""What somebody's mail says: bytes in, commands out. Pure: no clock, no I/O, nothing that knows of games or people."""
