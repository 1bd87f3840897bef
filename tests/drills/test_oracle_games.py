"""Simulated games: replayed in the oracle, audited by both, then tampered with in three ways and refused.

10,000 games for 1 to 4 seats, with and without leaving.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from engine import audit, simulate
from engine.errors import RecordError
from engine.game import Match
from engine.moves import from_json
from engine.solo import Solo
from tests.drills import tamper
from tests.oracle import record as oracle_record
from tests.oracle import rules
from tests.support.plain import plain

# Few games of each bot in a case. The greedy bot places many discs, the random one few, but it is much faster.
BOTS = {"random": (1130, 60), "greedy": (120, 6)}


def simulated(seats: int, leave: str, amount: Callable[..., int]) -> Iterator[bytes]:
    """Yield the records of one case; random bots have fewer discs where possible, so that some win."""
    for bot, games in BOTS.items():
        discs = 9 if bot == "random" and seats > 1 else "full"
        yield from simulate.records(amount(*games), seats, f"drill {leave}", bot, discs, leave)


def replay_side_by_side(line: bytes) -> None:
    """Verify the record with the oracle; check that the engine has the same state after every entry."""
    states = oracle_record.verify(line)
    record = json.loads(line)
    game, drawn = record["game"], record["draw"]
    state: Match | Solo
    if game["kind"] == "solo":
        state = Solo(drawn["tiles"])
    else:
        state = Match(game["seats"], game["goal_discs"], drawn["tiles"], drawn["stack"])
    assert plain(state) == rules.plain(states[0])
    for entry, expected in zip(record["log"], states[1:], strict=True):
        state.advance(entry["seat"], from_json(entry["move"]))
        assert plain(state) == rules.plain(expected), f"{game['id']}, entry {entry['seq']}"


def refused(tampered: tamper.Tampered) -> int | str:
    """Return where the audit reports that the record is broken; fail if it accepts it."""
    try:
        audit.check(tampered.line)
    except RecordError as error:
        return error.where
    raise AssertionError(f"the audit lets it pass: {tampered.what}")


def passes(verify: Callable[[bytes], object], line: bytes) -> bool:
    """Return whether this verifier accepts the record."""
    try:
        verify(line)
    except (RecordError, oracle_record.Broken):
        return False
    return True


@pytest.mark.drill
@pytest.mark.tenth
@pytest.mark.parametrize("leave", [pytest.param("0", marks=pytest.mark.long), "0.01"])
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_simulated_games_agree_with_the_oracle_and_no_tampered_one_passes(
    seats: int, leave: str, amount: Callable[..., int]
) -> None:
    random = Random(f"{seats} {leave}")
    seen: set[str] = set()
    reached: Counter[str] = Counter()
    for line in simulated(seats, leave, amount):
        replay_side_by_side(line)
        audit.check(line)
        seen.update(tamper.kind_of(path) for path in tamper.leaves(json.loads(line)))
        changed = tamper.value_changed(line, random, reached)
        assert refused(changed) == changed.where, changed.what
        refused(tamper.shape_changed(line, random))
        refused(tamper.byte_changed(line, random))
    assert set(reached) == seen


@pytest.mark.drill
@pytest.mark.tenth
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_both_verifiers_agree_on_records_forged_with_a_chain_of_their_own(
    seats: int, amount: Callable[..., int]
) -> None:
    random = Random(f"forged {seats}")
    held: Counter[bool] = Counter()
    for line in simulate.records(amount(500), seats, "forged", "random", "full" if seats == 1 else 9, "0.02"):
        forged = tamper.forged(line, random)
        holds = passes(audit.check, forged.line)
        assert holds == passes(oracle_record.verify, forged.line), forged.what
        held[holds] += 1
    assert held[True]
    assert held[False]
