"""Fifty faults in a row of three Postgres under Patroni and of all that is around them, while games are played.

No acknowledged move is lost, none is made twice; each wait has its mail; no table is ever seen to go back; and the
service finds the new primary by itself.
"""

from random import Random

import pytest

from tests.drills.failover.faults import FAULTS, Fault
from tests.drills.failover.followers import watching
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
    for made.round, fault in enumerate(struck, 1):
        try:
            live_through_one(made, fault)
        except BaseException as error:
            error.add_note(f"round {made.round} of {len(struck)}: {fault.name}")
            raise
    made.house.finish()
    made.house.tell(f"{len(struck)} faults")
    made.tell()
    pauses = sorted(pause for some in made.pauses.values() for pause in some)
    assert pauses[len(pauses) // 2] <= MEDIAN
    assert pauses[-1] <= WORST


def live_through_one(made: Site, fault: Fault) -> None:
    house = made.house
    # Whatever happens to the database, the mails that a worker was sending may be sent again.
    house.doubles += len(made.services) * AT_ONCE
    if house.deadlines is not None:
        house.deadlines.begin()
    with house.clients.playing(), watching(house.clients):
        house.clients.await_moves(PROGRESS)
        begun = now()
        fault.strike(made)
        house.clients.await_laps(1)
        made.databases.await_all()
        house.clients.await_laps(1)
        pause = longest_pause(house.clients.api.accepted, begun, now())
    made.pauses.setdefault(fault.name, []).append(pause)
    print(f"{made.round}: {fault.name}: {pause:.1f} s", flush=True)
    house.check()
