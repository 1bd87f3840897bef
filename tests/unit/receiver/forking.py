"""A receiver kept running on a given socket, as a supervisor does it: when it is killed, another is forked at once.

Run with the service's environment and the descriptor of a listening socket; writes the id of each new process.
"""

import os
import sys

from service.config import Settings
from service.receiver.server import run


def main(descriptor: int) -> None:
    settings = Settings.from_environ(os.environ)
    out, log = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(log, 1)
    while True:
        child = os.fork()
        if child == 0:
            run(settings, os.dup(descriptor))
            os._exit(0)
        os.write(out, f"{child}\n".encode())
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
