"""Two machines with web servers and workers on one Postgres and one relay."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from service.local.postgres import Postgres
from tests.drills.client import Api
from tests.drills.clients import Clients
from tests.drills.fault_rig import KEY, MACHINE, FaultRig
from tests.drills.hanging_relay import hanging
from tests.drills.service import Service, open_folder
from tests.support.running import eventually

WORKERS = (2, 1)
"""The number of workers of each machine."""

_CONNECTIONS = {"max_connections": "200"}


@contextmanager
def two_machines(in_full: bool, games: int) -> Iterator[FaultRig]:
    """Yield two machines with games over both: a client sends each request, and each repetition, to the other one."""
    with open_folder() as folder, ExitStack() as stack:
        postgres = stack.enter_context(Postgres(folder / "postgres", settings=_CONNECTIONS))
        relay = stack.enter_context(hanging())
        machines = []
        for number, workers in enumerate(WORKERS, 1):
            home = folder / f"machine-{number}"
            home.mkdir()
            environ = {
                "DATABASE_URL": postgres.url,
                "NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
                "NOVALUNA_SECRET_KEY": KEY,
                "NOVALUNA_DATA": str(home / "data"),
            }
            machine = Service(
                home,
                environ=environ,
                mailbox=relay,
                database_url=postgres.url,
                program=(MACHINE, "--workers", str(workers)),
                workers=workers,
            )
            stack.callback(machine.stop)
            machines.append(machine)
        api = Api(*(machine.running.address for machine in machines))
        stack.callback(api.close)
        yield FaultRig(machines, Clients(api, machines[0].sign_up(6), games), in_full, relay=relay)


def kill(machine: Service) -> None:
    """Kill a machine's supervisor, which ends everything that it runs, as in a power cut."""
    machine.running.process.kill()
    machine.running.process.wait()
    eventually(lambda: not machine.worker_pids())
