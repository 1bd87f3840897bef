"""A hundred faults, one after the other, while games are played over HTTP; each time all must hold that should.

What a client was told has happened is there afterwards, once, and nothing else; games go on to their end; each wait
that stands has had its mail; every record holds; every worker gives signs of life. Meanwhile a request may be refused,
but it is not left without an answer.
"""

import os
from random import Random

import pytest

from tests.drills import faults, stepped_clock
from tests.drills.fault_rig import House, alone, in_our_hands, small_disk
from tests.drills.faults import Fault

pytestmark = pytest.mark.drill

PROGRESS = 10
"""Moves that are acknowledged before a fault."""

DISK = 320
"""Megabytes, of which Postgres needs some 100 at first."""


@pytest.mark.long
@pytest.mark.xdist_group("faults alone")
def test_of_novaluna_up() -> None:
    with alone(True) as house:
        live_through(house, all_of(faults.ALONE))


@pytest.mark.long
@pytest.mark.xdist_group("faults in our hands")
def test_of_database_and_mail() -> None:
    with in_our_hands(True) as house:
        live_through(house, all_of(faults.WIRED))


@pytest.mark.long
@pytest.mark.xdist_group("faults in our hands")
def test_of_the_clock() -> None:
    if stepped_clock.library() is None:
        pytest.skip(stepped_clock.MISSING)
    with in_our_hands(True, with_clocks=True) as house:
        live_through(house, all_of(faults.CLOCK))


@pytest.mark.long
@pytest.mark.xdist_group("faults in our hands")
def test_of_a_full_disk() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    with small_disk(DISK) as house:
        live_through(house, all_of(faults.SMALL_DISK))


def test_they_are_a_hundred() -> None:
    assert sum(sum(some.values()) for some in (faults.ALONE, faults.SMALL_DISK, faults.WIRED, faults.CLOCK)) == 100


def all_of(known: dict[Fault, int]) -> list[Fault]:
    """All faults as often as they are to be tried, in an order that is the same each time."""
    return Random("faults").sample(list(known), counts=list(known.values()), k=sum(known.values()))


def live_through(house: House, struck: list[Fault]) -> None:
    """Strikes one fault after the other, and checks everything after each; then all games are played to their end."""
    for number, fault in enumerate(struck, 1):
        try:
            live_through_one(house, fault)
        except BaseException as error:
            error.add_note(f"round {number} of {len(struck)}: {fault.name}")
            raise
    house.finish()
    house.tell(f"{len(struck)} faults")


def live_through_one(house: House, fault: Fault) -> None:
    api = house.clients.api
    house.doubles += fault.doubles
    with house.clients.playing():
        house.clients.await_moves(PROGRESS)
        api.longest = 0.0
        fault.strike(house)
        house.clients.await_laps(1)
        longest = api.longest
    assert longest <= fault.bound(house), f"a request was left without an answer for {longest:.1f} s"
    rounds, most = house.figures.get(fault.name, (0, 0.0))
    house.figures[fault.name] = rounds + 1, max(most, longest)
    house.check()
