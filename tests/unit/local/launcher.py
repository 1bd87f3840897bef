"""A process that runs a Postgres until its standard input ends, to be killed; it prints "ready", or why it is not."""

import sys
from pathlib import Path

from service.local.errors import LocalError
from service.local.postgres import Postgres

if __name__ == "__main__":
    try:
        with Postgres(Path(sys.argv[1]), settings={"fsync": "off"}) as running:
            assert running.process is not None
            print("ready", running.process.pid, flush=True)
            sys.stdin.read()
    except LocalError as error:
        print("refused:", error, flush=True)
