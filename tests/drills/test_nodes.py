"""Two web servers and three workers on one Postgres: a machine is killed while many games are played, and returns.

No acknowledged move is lost. A request that a client repeats at the other machine with the same Idempotency-Key has one
effect and the same response. Mails are sent once.
"""

import os
import signal
from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest

from engine.moves import from_json
from tests.drills import nodes
from tests.drills.client import start
from tests.drills.fault_rig import FaultRig
from tests.drills.faults import AT_ONCE
from tests.support.at_once import at_once

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.xdist_group("drill of machines")]

AGAIN = 10
"""Moves that are sent to both machines at once."""


def test_a_machine_is_killed_and_comes_back(amount: Callable[[int], int]) -> None:
    games = amount(100)
    in_full = games == 100
    with nodes.two_machines(in_full, games) as rig:
        first, second = rig.services
        clients = rig.clients
        with clients.playing():
            clients.await_laps(3 if in_full else 1)
            kill_worker(rig)
            clients.await_laps(1)
            nodes.kill(second)
            rig.doubles += AT_ONCE
            rig.services = [first]
            clients.await_laps(3 if in_full else 1)
        rig.check()
        second.restart()
        rig.services = [first, second]
        if in_full:
            kill_the_other(rig)
        check_one_effect(rig, amount(AGAIN))
        rig.finish()
        rig.tell("two machines")
        lost = [status for status in clients.api.statuses if not isinstance(status, int)]
        assert lost, "the kills disturbed nobody"


def kill_the_other(rig: FaultRig) -> None:
    """Kill the machine that survived, and start it again while the clients play."""
    first, _ = rig.services
    with rig.clients.playing():
        rig.clients.await_laps(1)
        kill_worker(rig)
        rig.clients.await_laps(1)
        nodes.kill(first)
        rig.doubles += nodes.WORKERS[0] * AT_ONCE
        rig.clients.await_laps(1)
        first.restart()
        rig.clients.await_laps(1)
    rig.check()


def kill_worker(rig: FaultRig) -> None:
    """Kill one of the workers, which its machine then starts again."""
    os.kill(rig.service.worker_pids()[0], signal.SIGKILL)
    rig.doubles += AT_ONCE


def check_one_effect(rig: FaultRig, number: int) -> None:
    """Check that a move sent to both machines at once under one key is made once, with the same response from both."""
    game = start(rig.clients.api, rig.clients.people[:2])
    rig.clients.adopt(game)
    for _ in range(number):
        legal = game.get("/legal-moves").json()
        if (seat := legal["seat"]) is None:
            break
        (cell, *_) = legal["cells"]
        place = {"type": "place", "tile": legal["tiles"][0], "x": cell["x"], "y": cell["y"]}
        body = place | {"expected_version": legal["version"]}
        send = partial(
            game.api.send, "POST", f"{game.path}/moves", game.players[seat], body, Idempotency_Key=str(uuid4())
        )
        one, other = at_once(*(partial(send, address=machine.running.address) for machine in rig.services))
        assert (one.status_code, other.status_code) == (201, 201)
        assert one.content == other.content
        game.note(one, seat, from_json(place))
