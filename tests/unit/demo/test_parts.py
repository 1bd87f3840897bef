"""The parts of the demonstration that need no service: its checks, and its output."""

import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from demo.errors import StepFailed
from demo.game import audit, check_mails, waits
from demo.people import Person
from demo.postbox import Mail, Postbox
from demo.screen import Screen

VECTORS = Path(__file__).parents[2] / "data" / "record-vectors.jsonl"
PEOPLE = tuple(Person(name, f"{name.lower()}@example.org", "") for name in ("Luna", "Stella", "Nox", "Ivo"))


def a_match() -> tuple[bytes, Any]:
    """Return the first finished match of the published records, as its line and as JSON."""
    for line in VECTORS.read_bytes().splitlines(keepends=True):
        record = json.loads(line)
        if record["game"]["kind"] == "match" and record["result"]:
            return line, record
    raise AssertionError("there is none")


def postbox_with(mails: list[Mail]) -> Postbox:
    postbox = Postbox(Path("/nonexistent"), lambda mail: None)
    postbox.mails.extend(mails)
    return postbox


def turn_mails(record: Any) -> list[Mail]:
    body = '{"type": "place", "expected_version": %d}'
    return [Mail(PEOPLE[seat].email, "Your turn", body % version) for version, seat in waits(record)]


def test_every_wait_wants_one_mail() -> None:
    _, record = a_match()
    mails = turn_mails(record)
    code = Mail(PEOPLE[0].email, "Your code", "ABCDE-FGHJK")
    assert check_mails(postbox_with([code, *mails]), PEOPLE, record) == len(mails) > 2
    for wrong in (mails[1:], [*mails, mails[0]], [Mail("x@example.org", "", mails[0].text), *mails[1:]]):
        with pytest.raises(StepFailed, match="missing"):
            check_mails(postbox_with(wrong), PEOPLE, record)


def test_waits_begin_when_the_player_to_move_becomes_another_one() -> None:
    _, record = a_match()
    begun = waits(record)
    assert begun[0][0] == 0
    assert all(before[1] != after[1] and before[0] < after[0] for before, after in pairwise(begun))


def test_the_audit_is_asked() -> None:
    line, _ = a_match()
    audit(line)
    with pytest.raises(StepFailed, match="refuses the record"):
        audit(line.replace(b'"seq":2', b'"seq":3', 1))


def test_stacks_on_the_moon_track() -> None:
    out = io.StringIO()
    players: list[dict[str, int | None]] = [{"seat": seat, "position": 25, "discs_left": 1 + seat} for seat in (0, 1)]
    players.append({"seat": 2, "position": None, "discs_left": 7})
    view = {"moon_track": {"stacks": [{"position": 25, "space": 1, "seats": [1, 0]}]}, "players": players}
    Screen(out, {}).moon_track(view, PEOPLE[:3])
    blank, top, bottom, scale, standing = out.getvalue().splitlines()
    assert (blank, top) == ("", "         L")
    assert bottom == "   ☾  ·  S" + "  ·" * 22
    assert scale.split() == ["0", "3", "6", "9", "12", "15", "18", "21"]
    assert [bottom.index("S"), scale.index("3")] == [9, 15]
    assert standing.strip() == "Luna 25, 1 disc left · Stella 25, 2 discs left · Nox away, 7 discs left"


def test_no_line_is_wider_than_the_terminal_but_those_to_copy() -> None:
    out = io.StringIO()
    screen = Screen(out, {})
    screen.say("word " * 100)
    screen.mail(Mail("a@example.org", "Your turn: x", "y" * 200))
    screen.request(PEOPLE[0], "POST", "/v1/" + "z" * 100, {}, 201)
    assert max(map(len, out.getvalue().splitlines())) <= 80
    screen.to_copy("c" * 200, "a note")
    assert "c" * 200 in out.getvalue()
