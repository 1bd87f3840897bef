"""Fifty faults in a row of three Postgres under Patroni and of all that is around them, while games are played.

No acknowledged move is lost, none is made twice; each wait has its mail; no table is ever seen to go back; and the
service finds the new primary by itself.

No part of it runs in `make test` or a build: the site starts in 12 s, or 35 s on a busy machine, and a round takes 20
to 45 s, until the former primary is a standby again. A round of three games took 81 s and 99 s beside other programs.
"""

from random import Random

import pytest

from tests.drills.failover.faults import FAULTS, LOSSES, Fault
from tests.drills.failover.followers import watching
from tests.drills.failover.losses import LosingClients
from tests.drills.failover.rig import Site, longest_pause, now, site
from tests.drills.faults import AT_ONCE

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

GAMES = 10
PROGRESS = 10
"""Moves that are acknowledged before each fault."""

MEDIAN, WORST = 15.0, 40.0
"""The seconds without an accepted move that are allowed in half of the rounds, and in each."""


def test_fifty_faults() -> None:
    struck = Random("failover").sample(list(FAULTS), counts=list(FAULTS.values()), k=sum(FAULTS.values()))
    assert len(struck) == 50
    with site(GAMES) as made:
        live_through(made, struck)


def live_through(made: Site, struck: list[Fault]) -> None:
    """Strike one fault after the other, check everything after each, and play all games to their end."""
    epoch = made.epoch()
    for made.round, fault in enumerate(struck, 1):
        try:
            live_through_one(made, fault)
        except BaseException as error:
            error.add_note(f"round {made.round} of {len(struck)}: {fault.name}")
            raise
    assert made.epoch() == epoch, "a standby that had everything has begun a new epoch"
    made.fault_rig.finish()
    made.streams.check(epoch)
    made.fault_rig.tell(f"{len(struck)} faults")
    tell(made)


def tell(made: Site) -> None:
    """Print the longest times without an accepted move, which must not be longer than is allowed."""
    made.tell()
    pauses = sorted(pause for some in made.pauses.values() for pause in some)
    assert pauses[len(pauses) // 2] <= MEDIAN
    assert pauses[-1] <= WORST


def live_through_one(made: Site, fault: Fault) -> None:
    fault_rig = made.fault_rig
    # Whatever happens to the database, the mails that a worker was sending may be sent again.
    fault_rig.doubles += len(made.services) * AT_ONCE
    if fault_rig.deadlines is not None:
        fault_rig.deadlines.begin()
    with fault_rig.clients.playing(), watching(fault_rig.clients):
        fault_rig.clients.await_moves(PROGRESS)
        begun = now()
        fault.strike(made)
        fault_rig.clients.await_laps(1)
        made.databases.await_all()
        fault_rig.clients.await_laps(1)
        pause = longest_pause(fault_rig.clients.api.accepted, begun, now())
    made.pauses.setdefault(fault.name, []).append(pause)
    print(f"{made.round}: {fault.name}: {pause:.1f} s", flush=True)
    fault_rig.check()
    made.streams.check(made.epoch())
    made.letters.check(fault_rig.service, may_lose=False)


def test_lost_moves_begin_a_new_epoch() -> None:
    struck = Random("losses").sample(list(LOSSES), counts=list(LOSSES.values()), k=sum(LOSSES.values()))
    with site(GAMES, synchronous=False) as made:
        for made.round, fault in enumerate(struck, 1):
            try:
                lose_one(made, fault)
            except BaseException as error:
                error.add_note(f"round {made.round} of {len(struck)}: {fault.name}")
                raise
        made.fault_rig.finish()
        made.streams.check(made.epoch())
        made.fault_rig.tell(f"{len(struck)} faults")
        clients = made.fault_rig.clients
        assert isinstance(clients, LosingClients) and clients.lost, "nothing was lost, so nothing was tried"
        print(f"{clients.lost} acknowledged moves were lost, and {clients.tables} tables before their start")
        tell(made)


def lose_one(made: Site, fault: Fault) -> None:
    """Strike a fault; what it takes away must belong to an epoch that is over."""
    fault_rig, clients, epoch = made.fault_rig, made.fault_rig.clients, made.epoch()
    assert isinstance(clients, LosingClients) and fault_rig.deadlines is not None
    had, tables = clients.lost, clients.tables
    fault_rig.deadlines.begin()
    with watching(clients, may_lose=True) as watcher:
        with clients.playing():
            clients.await_moves(PROGRESS)
            begun = now()
            fault.strike(made)
            clients.await_laps(1)
            made.databases.await_all()
            clients.await_laps(1)
            pause = longest_pause(clients.api.accepted, begun, now())
        clients.settle()
    lost = clients.lost - had
    made.pauses.setdefault(fault.name, []).append(pause)
    print(f"{made.round}: {fault.name}: {pause:.1f} s, {lost} moves lost, {watcher.wrong}", flush=True)
    if made.epoch() == epoch:
        assert (lost, clients.tables, watcher.wrong) == (0, tables, []), "something was lost within an epoch"
    fault_rig.check()
    made.streams.check(made.epoch())
    made.letters.check(fault_rig.service, may_lose=True)
