"""A hundred faults in a row while games are played over HTTP; after each, everything that should hold is checked.

What a client was told exists afterwards, exactly once, and nothing else does; games continue to their end; each current
wait has had its mail; every record is valid; every worker sends heartbeats. Meanwhile a request may be refused, but it
is never left unanswered.
"""

import os
from random import Random

import pytest

from tests.drills import faults, stepped_clock
from tests.drills.fault_rig import FaultRig, alone, in_our_hands, small_disk
from tests.drills.faults import Fault

pytestmark = pytest.mark.drill

PROGRESS = 10
"""Moves that are acknowledged before each fault."""

DISK = 320
"""The size of the disk in megabytes, of which Postgres needs about 100 at first."""


@pytest.mark.long
@pytest.mark.xdist_group("faults alone")
def test_games_survive_faults_of_novaluna_up() -> None:
    with alone(True) as rig:
        live_through(rig, all_of(faults.ALONE))


@pytest.mark.long
@pytest.mark.xdist_group("faults in our hands")
def test_games_survive_faults_of_database_and_mail() -> None:
    with in_our_hands(True) as rig:
        live_through(rig, all_of(faults.WIRED))


@pytest.mark.long
@pytest.mark.xdist_group("faults in our hands")
def test_games_survive_steps_of_the_clock() -> None:
    if stepped_clock.library() is None:
        pytest.skip(stepped_clock.MISSING)
    with in_our_hands(True, with_clocks=True) as rig:
        live_through(rig, all_of(faults.CLOCK))


@pytest.mark.long
@pytest.mark.xdist_group("faults in our hands")
def test_games_survive_a_full_disk() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    with small_disk(DISK) as rig:
        live_through(rig, all_of(faults.SMALL_DISK))


def test_drill_has_a_hundred_faults() -> None:
    assert sum(sum(some.values()) for some in (faults.ALONE, faults.SMALL_DISK, faults.WIRED, faults.CLOCK)) == 100


def all_of(known: dict[Fault, int]) -> list[Fault]:
    """Return all faults, as often as they are to be tried, always in the same order."""
    return Random("faults").sample(list(known), counts=list(known.values()), k=sum(known.values()))


def live_through(rig: FaultRig, struck: list[Fault]) -> None:
    """Strike one fault after the other, check everything after each, and play all games to their end."""
    for number, fault in enumerate(struck, 1):
        try:
            live_through_one(rig, fault)
        except BaseException as error:
            error.add_note(f"round {number} of {len(struck)}: {fault.name}")
            raise
    rig.finish()
    rig.tell(f"{len(struck)} faults")


def live_through_one(rig: FaultRig, fault: Fault) -> None:
    api = rig.clients.api
    rig.doubles += fault.doubles
    if rig.deadlines is not None:
        rig.deadlines.begin()
    with rig.clients.playing():
        rig.clients.await_moves(PROGRESS)
        api.longest = 0.0
        fault.strike(rig)
        rig.clients.await_laps(1)
        longest = api.longest
    assert longest <= fault.bound(rig), f"a request was left without an answer for {longest:.1f} s"
    rounds, most = rig.figures.get(fault.name, (0, 0.0))
    rig.figures[fault.name] = rounds + 1, max(most, longest)
    rig.check()
