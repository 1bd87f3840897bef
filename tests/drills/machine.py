"""A host's machine: the commands of the Procfile, run by the same supervisor as in `novaluna up`.

The receiver is among them if `NOVALUNA_MAILIN` is set.

Unlike there, its processes have the whole environment of this one: it names the database and the relay, and a library
to load first. When this process is killed, so are they, as in a power cut.
"""

import argparse
import os
import shlex
import sys
from pathlib import Path

from service.console import say
from service.local.supervisor import LOOPBACK, Command, Plan, listen, supervise

PROCFILE = Path(__file__).resolve().parents[2] / "Procfile"


def commands() -> dict[str, tuple[str, ...]]:
    """Return the lines of the Procfile by name, split as a shell does, with programs from this interpreter's folder."""
    programs = Path(sys.executable).parent
    found = {}
    for line in PROCFILE.read_text().splitlines():
        name, _, command = line.partition(":")
        program, *arguments = shlex.split(command)
        found[name] = (str(programs / program), *arguments)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", help="its folder, which is in the environment too")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--host", default=LOOPBACK, help="the address of this machine that it listens at")
    asked = parser.parse_args()
    listener = listen(asked.port, host=asked.host)
    address = f"http://{asked.host}:{listener.getsockname()[1]}"
    ran = commands()

    def ready() -> None:
        print(f"ready at {address} ", flush=True)

    web = Command("The web server", (*ran["web"], "--bind", f"fd://{listener.fileno()}"), (listener.fileno(),))
    workers = [Command(f"Worker {number}", ran["worker"]) for number in range(1, asked.workers + 1)]
    receiver = [Command("The receiver", ran["mailin"])] if "NOVALUNA_MAILIN" in os.environ else []
    plan = Plan(
        postgres=None,
        migrate=Command("The release", ran["release"]),
        parts=(web, *workers, *receiver),
        environment={"NOVALUNA_BASE_URL": address} | os.environ,
        listener=listener,
    )
    supervise(plan, ready, say)


if __name__ == "__main__":
    main()
