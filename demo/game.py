"""Play the game: each player waits for a turn mail and moves; at the end, check that all mails arrived."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from demo.errors import StepFailed
from demo.people import Api, Person
from demo.postbox import Mail, Postbox
from engine import Match
from engine.bots import BOTS
from engine.draw import Stream
from engine.moves import from_json, to_json
from engine.record import start
from engine.view import TableView

_AUDIT_SECONDS = 60.0


def turns(api: Api, postbox: Postbox, people: Sequence[Person], table: str) -> Iterator[Any]:
    """Play a started game to its end; yield its view after each move.

    Whoever is to move waits for the mail that says so. The move is chosen by the greedy bot, from the game's record at
    that time.

    Raises:
        StepFailed: a mail does not arrive, or a request gets an unexpected response.
    """
    path = f"/v1/games/{table}"
    view = api.get(path, people[0])
    chance = Stream(table.encode(), "make play")
    waiting: int | None = None
    while view["status"] == "running":
        seat, version = view["turn"]["seat"], view["version"]
        if seat != waiting:
            _await_turn(postbox, people[seat], version)
            waiting = seat
        state = replay(api.get(path + "/record", people[seat]))
        move = BOTS["greedy"](TableView(state), state.legal_moves(), chance)
        body = {**to_json(move), "expected_version": version}
        view = api.send("POST", path + "/moves", body, people[seat], 201)
        yield view


def _await_turn(postbox: Postbox, person: Person, version: int) -> None:
    def is_it(mail: Mail) -> bool:
        return mail.version == version

    postbox.await_mail(person, f"the mail of the turn at version {version}", is_it)


def replay(record: Any) -> Match:
    """Return the state that a match's record leads to."""
    state, _ = _replay(record)
    return state


def waits(record: Any) -> list[tuple[int, int]]:
    """Return the waits of a match: the version at which each began, and the player waited for.

    One begins at the start, and whenever the player to move changes.
    """
    return _replay(record)[1]


def _replay(record: Any) -> tuple[Match, list[tuple[int, int]]]:
    state = start(record, record["draw"]["tiles"])
    if not isinstance(state, Match):
        raise StepFailed("the record is not of a match")
    begun = [] if state.turn is None else [(0, state.turn)]
    for entry in record["log"]:
        before = state.turn
        state.advance(entry["seat"], from_json(entry["move"]))
        if state.turn is not None and state.turn != before:
            begun.append((entry["seq"], state.turn))
    return state, begun


def check_mails(postbox: Postbox, people: Sequence[Person], record: Any) -> int:
    """Check that every wait of the game had exactly one mail; return how many waits there were.

    Raises:
        StepFailed: the text lists the waits with no mail or several, and the mails without a wait.
    """
    expected = Counter((version, people[seat].email) for version, seat in waits(record))
    came = Counter((mail.version, mail.to) for mail in postbox.mails if mail.version is not None)
    if came != expected:
        raise StepFailed(f"turn mails that are missing: {expected - came}; that are too many: {came - expected}")
    return came.total()


def audit(line: bytes) -> None:
    """Verify a record with `novaluna audit`; raise StepFailed if it is broken."""
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "audit", "-"],
        input=line,
        capture_output=True,
        timeout=_AUDIT_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise StepFailed(f"`novaluna audit` refuses the record: {(done.stdout + done.stderr).decode(errors='replace')}")
