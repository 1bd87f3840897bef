"""`novaluna witness` against a real HTTP server: what it keeps, what it says, and how it exits."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from service.checkpoints import merkle
from service.checkpoints.encoding import from_base64, to_base64
from service.checkpoints.endorsements import endorsement
from service.checkpoints.notes import SignedNote
from service.checkpoints.policies import Policy
from service.witness_cli import witness
from tests.support.command_line import Ran, run_in
from tests.support.log_server import LogServer, serving
from tests.support.made_log import ORIGIN, MadeLog, key
from tests.support.made_log import witness as other_witness

NOW = datetime(2026, 11, 28, 0, 20, tzinfo=UTC)

LONG = f"http://{'a' * 70}.example"


@pytest.fixture
def server() -> Iterator[LogServer]:
    log = MadeLog()
    log.batch()
    with serving(log) as running:
        yield running


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "witness.json"


def look(server: LogServer, file: Path, *arguments: str) -> Ran:
    return run_in({}, "witness", server.url, "--file", str(file), *arguments)


def kept(file: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(file.read_text())
    return value


def evidence(file: Path) -> dict[str, Any]:
    (path,) = [each for each in file.parent.iterdir() if each.name.startswith(f"{file.name}.")]
    value: dict[str, Any] = json.loads(path.read_text())
    return value


def test_first_run_keeps_what_it_sees(server: LogServer, file: Path) -> None:
    ran = look(server, file)
    assert (ran.code, ran.err) == (0, "")
    root = to_base64(server.log.checkpoint(256).root)
    assert ran.out == f"{ORIGIN}: size 256, root {root}\n"
    value = kept(file)
    assert list(value) == ["format", "policy", "known", "note", "seen"]
    assert value["format"] == "nova-luna-witness/1"
    assert value["policy"] == server.log.policy() and value["note"] == server.log.note()
    assert value["known"] == {"size": 256, "root": root}
    (seen,) = value["seen"]
    assert seen == {"size": 256, "root": root, "at": seen["at"]}
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_log_that_grows_is_followed_and_rests_unchanged(server: LogServer, file: Path) -> None:
    look(server, file)
    for batches in (1, 3, 0):
        for _ in range(batches):
            server.log.batch()
        before = file.read_text()
        ran = look(server, file)
        assert (ran.code, ran.err) == (0, "")
        assert kept(file)["known"]["size"] == server.log.size
        assert (file.read_text() == before) == (batches == 0)
    assert [each["size"] for each in kept(file)["seen"]] == [256, 512, 1280]


def test_address_may_be_that_of_the_log(server: LogServer, file: Path) -> None:
    ran = run_in({}, "witness", f"{server.url}/v1/checkpoints/1", "--file", str(file))
    assert ran.code == 0
    ran = run_in({}, "witness", f"{server.url}/v1/checkpoints/2", "--file", str(file.with_name("two")))
    assert ran.code == 1 and "no log with the log 2" in ran.err


def test_key_that_is_given_is_believed_alone(server: LogServer, file: Path) -> None:
    server.policy = "nonsense"
    ran = look(server, file, "--vkey", server.log.keys[0].public.vkey)
    assert ran.code == 0
    assert kept(file)["policy"] == f"log {server.log.keys[0].public.vkey}\nquorum none\n"
    other = file.with_name("other")
    ran = look(server, other, "--vkey", key(ORIGIN, 2).public.vkey)
    assert ran.code == 1 and "unsigned" in ran.err and not other.exists()
    assert "policy_malformed" in look(server, other, "--vkey", "nonsense").err
    assert "no log with the origin elsewhere" in look(server, other, "--vkey", key("elsewhere").public.vkey).err


def test_log_that_went_back_is_found(server: LogServer, file: Path) -> None:
    server.log.batch()
    look(server, file)
    before = file.read_text()
    server.log = server.log.copy(256, "restored")
    ran = look(server, file)
    assert ran.code == 2 and ran.out == ""
    assert "rolled_back: the log had 512 leaves, and shows 256 now" in ran.err
    assert file.read_text() == before
    found = evidence(file)
    assert (found["code"], found["sizes"]) == ("rolled_back", [512, 256])
    assert str(next(file.parent.glob("*rolled_back*"))) in ran.err


def test_other_root_at_the_same_size_is_found(server: LogServer, file: Path) -> None:
    look(server, file)
    server.log = MadeLog("another history")
    server.log.batch()
    ran = look(server, file)
    assert ran.code == 2 and "split_view: " in ran.err
    found = evidence(file)
    policy = Policy.parse(found["policy"])
    one, other = (policy.check(SignedNote.parse(note)) for note in found["notes"])
    assert one.size == other.size and one.root != other.root


def test_rewritten_history_is_found_and_the_evidence_convinces(server: LogServer, file: Path) -> None:
    server.log.batch()
    server.log.batch()
    look(server, file)
    other = server.log.copy(256, "another history")
    for _ in range(5):
        other.batch()
    server.log = other
    for _ in range(2):  # as long as it is so
        ran = look(server, file)
        assert ran.code == 2 and "not_consistent: " in ran.err
    found = evidence(file)
    policy = Policy.parse(found["policy"])
    old, new = (policy.check(SignedNote.parse(note)) for note in found["notes"])
    assert [old.size, new.size] == found["sizes"] == [768, 1536]
    inside, path = from_base64(found["old_root_in_new"]), [from_base64(each) for each in found["path"]]
    assert inside != old.root
    assert merkle.is_consistent(old.size, new.size, inside, new.root, path)


def test_tiles_of_another_tree_are_found(server: LogServer, file: Path) -> None:
    look(server, file)
    server.log.batch()
    server.answers["/v1/checkpoints/1/tile/1/000.p/2"] = lambda: (200, {}, bytes(64))
    ran = look(server, file)
    assert ran.code == 2 and "not_consistent: " in ran.err
    assert evidence(file)["old_root_in_new"] is None


def test_new_key_that_the_old_one_introduces_is_believed(server: LogServer, file: Path) -> None:
    look(server, file)
    first, second, third = server.log.keys[0], key(ORIGIN, 2), key(ORIGIN, 3)
    server.endorsements = [endorsement(third, [second]), endorsement(second, [first]), "no note"]
    server.log.batch()
    server.log.keys = [third]
    ran = look(server, file)
    assert (ran.code, ran.err) == (0, "")
    policy = Policy.parse(kept(file)["policy"])
    assert {party.key for party in policy.logs} == {each.public for each in (first, second, third)}
    assert look(server, file).code == 0


def test_new_key_that_nobody_introduces_is_not_believed(server: LogServer, file: Path) -> None:
    look(server, file)
    before = file.read_text()
    server.log.batch()
    server.log.keys = [key(ORIGIN, 2)]
    server.endorsements = [endorsement(key(ORIGIN, 2), [])]
    ran = look(server, file)
    assert ran.code == 1 and "the log is not accepted: unsigned" in ran.err
    assert file.read_text() == before


def test_quorum_of_the_kept_policy_is_asked_for(server: LogServer, file: Path) -> None:
    look(server, file)
    value = kept(file)
    value["policy"] = server.log.policy(f"witness w {other_witness(1).public.vkey}", quorum="w")
    file.write_text(json.dumps(value))
    assert "witnesses_missing" in look(server, file).err
    signed = server.log.note(None, other_witness(1)).encode()
    server.answers["/v1/checkpoints/1/checkpoint"] = lambda: (200, {}, signed)
    assert look(server, file).code == 0


def test_log_without_a_new_checkpoint_for_two_days_is_late(server: LogServer, file: Path) -> None:
    def at(hours: float) -> int:
        return witness(server.url, str(file), None, None, NOW + timedelta(hours=hours))

    assert [at(0), at(24), at(47.9), at(48), at(72)] == [0, 0, 0, 1, 1]
    server.log.batch()
    assert [at(73), at(120), at(121)] == [0, 0, 1]
    assert [each["at"] for each in kept(file)["seen"]] == ["2026-11-28T00:20:00.000Z", "2026-12-01T01:20:00.000Z"]


def test_service_that_is_away_is_said_so(server: LogServer, file: Path) -> None:
    look(server, file)
    before = file.read_text()
    for url in (
        "http://127.0.0.1:9",
        "ftp://nova.example",
        "nova.example",
        "http://[",
        "http://a b/",
        "http://é/",
        LONG,
    ):
        ran = run_in({}, "witness", url, "--file", str(file))
        assert ran.code == 1 and ran.err.count("\n") == 1 and ran.out == ""
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("", (404, b"")),
        ("", (200, b"{")),
        ("", (200, b"[]")),
        ("", (200, b'{"logs": [1]}')),
        ("", (200, b'{"logs": []}')),
        ("", (200, b"[" * 100_000)),
        ("", (200, b" " * 2_000_000)),
        ("", (200, b'{"logs": [{"state": "open"}]}')),
        ("", (200, b'{"logs": [{"state": "open", "log": true, "policy": ""}]}')),
        ("", (200, b'{"logs": [{"state": "open", "log": 1, "policy": ""}]}')),
        ("", (301, b"")),
        ("/1/checkpoint", (404, b"")),
        ("/1/checkpoint", (200, b"")),
        ("/1/checkpoint", (200, b"\xff" * 100_000)),
    ],
    ids=range(14),
)
def test_nonsense_is_not_believed(server: LogServer, file: Path, path: str, answer: tuple[int, bytes]) -> None:
    server.answers[f"/v1/checkpoints{path}"] = lambda: (answer[0], {}, answer[1])
    ran = look(server, file)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("novaluna: ") and ran.err.count("\n") == 1
    assert not file.exists()


@pytest.mark.parametrize("data", [b"", bytes(63), bytes(65), bytes(100_000)], ids=len)
def test_tile_of_another_length_is_not_believed(server: LogServer, file: Path, data: bytes) -> None:
    look(server, file)
    server.log.batch()
    server.answers["/v1/checkpoints/1/tile/1/000.p/2"] = lambda: (200, {}, data)
    ran = look(server, file)
    assert ran.code == 1 and "tile/1/000.p/2 does not have 64 bytes" in ran.err
    assert kept(file)["known"]["size"] == 256


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "nova-luna-witness/1"}', "[" * 100_000], ids=len)
def test_file_that_is_none_of_a_witness_is_left_alone(server: LogServer, file: Path, content: str) -> None:
    file.write_text(content)
    ran = look(server, file)
    assert ran.code == 1 and str(file) in ran.err
    assert file.read_text() == content


def test_folder_that_is_not_there_is_named(server: LogServer, tmp_path: Path) -> None:
    ran = look(server, tmp_path / "nowhere" / "witness.json")
    assert ran.code == 1 and "No such file or directory" in ran.err


def test_closed_log_is_followed_still_and_no_other_is_taken(server: LogServer, file: Path) -> None:
    look(server, file)
    server.state = "closed"
    assert look(server, file).code == 0
    assert "no log with the state open" in look(server, file.with_name("new")).err
