"""The scan of `novaluna witness --records`: one's own games among all entries of a log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import record
from service.checkpoints import leaves, merkle
from service.checkpoints.encoding import from_base64
from service.checkpoints.notes import SignedNote
from service.checkpoints.policies import Policy
from service.witness import fetching, scanning
from tests.support.checkpoint_vectors import RECORDS
from tests.support.command_line import Ran, run_in
from tests.support.log_server import LogServer, serving
from tests.support.made_log import MadeLog, entry_at

FINISHED, RUNNING, SOLO = RECORDS["a"], RECORDS["a-cut"], RECORDS["b"]
REWRITTEN = RECORDS["a-rewritten"]


class Scanned:
    """A server, and a witness of it with some records."""

    def __init__(self, server: LogServer, folder: Path) -> None:
        self.server = server
        self.log = server.log
        self.file = folder / "witness.json"
        self.state = folder / "witness.json.scan"
        self.records = folder / "r.jsonl"

    def run(self, *records: dict[str, Any]) -> Ran:
        self.records.write_bytes(b"".join(map(record.line, records)))
        arguments = ("witness", self.server.url, "--file", str(self.file), "--records", str(self.records))
        return run_in({}, *arguments)

    def told(self, *records: dict[str, Any]) -> tuple[int, list[str]]:
        """Return the exit code, and what is said of each leaf: the record, the version and the verdict."""
        ran = self.run(*records)
        lines = [line.removeprefix(f"{self.records}:") for line in ran.out.splitlines()[1:]]
        return ran.code, [
            f"{line.split(':')[0]} {line.split()[2]} {line.split()[-1]}".replace(",", "") for line in lines
        ]

    def entries_read(self) -> list[str]:
        found = [path.rpartition("/")[2] for path in self.server.asked if "/entries/" in path]
        self.server.asked.clear()
        return found

    def evidence(self, code: str) -> dict[str, Any]:
        (path,) = self.file.parent.glob(f"witness.json.{code}-*.json")
        value: dict[str, Any] = json.loads(path.read_text())
        return value


@pytest.fixture
def scanned(tmp_path: Path) -> Iterator[Scanned]:
    log = MadeLog()
    log.batch()
    with serving(log) as server:
        yield Scanned(server, tmp_path)


def test_leaves_of_ones_games_are_the_same(scanned: Scanned) -> None:
    scanned.log.batch([entry_at(FINISHED, 6), entry_at(SOLO, 3)])
    scanned.log.batch([entry_at(FINISHED, 12)])
    ran = scanned.run(FINISHED, SOLO)
    assert (ran.code, ran.err) == (0, "")
    index = scanned.log.entries.index(entry_at(FINISHED, 6))
    assert f"{scanned.records}:1: version 6, index {index}: same\n" in ran.out
    assert scanned.told(FINISHED, SOLO)[0] == 0
    assert sorted(scanned.told(FINISHED, SOLO)[1]) == ["1 12 same", "1 6 same", "2 3 same"]


def test_only_new_entries_are_read_again(scanned: Scanned) -> None:
    scanned.log.batch([entry_at(FINISHED, 6)])
    assert scanned.told(RUNNING) == (0, ["1 6 same"])
    assert scanned.entries_read() == ["000", "001"]
    scanned.log.batch([entry_at(FINISHED, 12)])
    assert scanned.told(RUNNING) == (0, ["1 6 same", "1 12 ahead"])
    assert scanned.entries_read() == ["002"]
    # The record has grown: what was ahead is compared now, without being read again.
    assert scanned.told(FINISHED) == (0, ["1 6 same", "1 12 same"])
    assert scanned.entries_read() == []
    # A game that is new to the scan may have leaves in all of them.
    assert scanned.told(FINISHED, SOLO) == (0, ["1 6 same", "1 12 same"])
    assert scanned.entries_read() == ["000", "001", "002"]


def test_another_history_is_found_and_kept_as_evidence(scanned: Scanned) -> None:
    scanned.log.batch([entry_at(FINISHED, 6)])
    scanned.log.batch([entry_at(REWRITTEN, 12)])
    assert scanned.told(FINISHED) == (2, ["1 6 same", "1 12 forked"])
    assert "forked: the log has another history" in scanned.run(FINISHED).err
    found = scanned.evidence("forked")
    checkpoint = Policy.parse(found["policy"]).check(SignedNote.parse(found["notes"][0]))
    (leaf,) = found["leaves"]
    path = [from_base64(each) for each in leaf["path"]]
    hashed = merkle.leaf_hash(bytes.fromhex(leaf["entry"]))
    assert merkle.root_of_path(hashed, leaf["index"], checkpoint.size, path) == checkpoint.root
    assert leaf["entry"][:64] == leaves.tag(leaves.links(found["records"][0])[0], leaf["version"]).hex()
    # One's own rewritten record is what the log has, and the other is not.
    assert scanned.told(REWRITTEN) == (0, ["1 6 same", "1 12 same"])
    assert scanned.told(REWRITTEN, FINISHED) == (2, ["1 6 same", "2 12 forked"])


def test_version_ahead_is_found_to_be_forked_later(scanned: Scanned) -> None:
    scanned.log.batch([entry_at(REWRITTEN, 12)])
    assert scanned.told(RUNNING) == (0, ["1 12 ahead"])
    assert scanned.told(FINISHED) == (2, ["1 12 forked"])


def test_leaf_that_says_finished_while_the_game_runs_is_forked(scanned: Scanned) -> None:
    links = leaves.links(RUNNING)
    scanned.log.batch([leaves.entry(links[0], 6, leaves.FINISHED, links[6])])
    assert scanned.told(RUNNING) == (2, ["1 6 forked"])


def test_leaf_that_comes_twice_is_found_across_runs(scanned: Scanned) -> None:
    scanned.log.batch([entry_at(FINISHED, 6)])
    assert scanned.told(FINISHED) == (0, ["1 6 same"])
    scanned.log.batch([entry_at(FINISHED, 6)])
    assert scanned.told(FINISHED) == (2, ["1 6 same", "1 6 repeated"])
    assert len(scanned.evidence("repeated")["leaves"]) == 2


def test_one_record_of_a_game_may_be_shorter(scanned: Scanned) -> None:
    scanned.log.batch([entry_at(FINISHED, 6), entry_at(FINISHED, 12)])
    assert sorted(scanned.told(RUNNING, FINISHED)[1]) == ["1 6 same", "2 12 same"]


def test_entries_that_do_not_ascend_are_said(scanned: Scanned) -> None:
    scanned.log.batch(ordered=False)
    ran = scanned.run(FINISHED)
    assert ran.code == 1 and "not in the order of their bytes" in ran.err


@pytest.mark.slow
def test_batches_of_many_bundles_ascend_and_each_begins_anew(scanned: Scanned) -> None:
    scanned.server.page = 1
    for count in (600, 3, 256):
        scanned.log.batch(bytes([255 - number % 256, number // 256]) * 32 for number in range(count))
        assert scanned.run(FINISHED).code == 0
    other = scanned.file.with_name("new.json")
    ran = run_in({}, "witness", scanned.server.url, "--file", str(other), "--records", str(scanned.records))
    assert (ran.code, ran.err) == (0, "")


def test_entries_of_another_tree_are_not_believed(scanned: Scanned) -> None:
    other = MadeLog("other")
    other.batch([entry_at(REWRITTEN, 12)])
    packed = b"".join(b"\x00\x40" + entry for entry in other.entries)
    scanned.server.answers["/v1/checkpoints/1/tile/entries/000"] = lambda: (200, {}, packed)
    ran = scanned.run(FINISHED)
    assert ran.code == 1 and "not those of the tree" in ran.err
    assert "forked" not in ran.out
    scanned.server.answers.clear()
    assert scanned.told(FINISHED) == (0, [])


@pytest.mark.parametrize("data", [b"", bytes(66 * 256), bytes(66 * 256 + 1)], ids=len)
def test_bundle_that_is_none_is_not_believed(scanned: Scanned, data: bytes) -> None:
    scanned.server.answers["/v1/checkpoints/1/tile/entries/000"] = lambda: (200, {}, data)
    ran = scanned.run(FINISHED)
    assert ran.code == 1 and "tile/entries/000" in ran.err
    assert not scanned.state.exists()


@pytest.mark.parametrize(
    "page",
    [
        "[]",
        "{}",
        '{"items": 5, "next": null}',
        '{"items": {"size": 256}, "next": null}',
        '{"items": [{"size": "256"}], "next": null}',
        '{"items": [{"size": 256}, {"size": 256}], "next": null}',
        '{"items": [{"size": 512}], "next": "a b"}',
        '{"items": [{"size": 512}], "next": 1}',
        '{"items": [{"size": -1}], "next": null}',
    ],
)
def test_list_that_is_none_is_not_believed(scanned: Scanned, page: str) -> None:
    scanned.server.answers["/v1/checkpoints/1/checkpoints?limit=100"] = lambda: (200, {}, page.encode())
    assert "the list of checkpoints" in scanned.run(FINISHED).err


def test_broken_record_is_said_before_anything_is_asked(scanned: Scanned) -> None:
    scanned.records.write_bytes(record.line(FINISHED) + b"{}\n")
    arguments = ("witness", scanned.server.url, "--file", str(scanned.file), "--records", str(scanned.records))
    ran = run_in({}, *arguments)
    assert ran.code == 1 and f"{scanned.records}:2: record: " in ran.err
    assert scanned.server.asked == [] and not scanned.file.exists()


@pytest.mark.parametrize("content", ["", "[]", '{"format": "nova-luna-scan/1"}', "[" * 100_000], ids=len)
def test_state_that_is_none_is_named(scanned: Scanned, content: str) -> None:
    scanned.state.write_text(content)
    ran = scanned.run(FINISHED)
    assert ran.code == 1 and "the scan begins again" in ran.err and str(scanned.state) in ran.err


def test_changed_log_is_not_scanned(scanned: Scanned) -> None:
    scanned.run(FINISHED)
    scanned.server.log = MadeLog("another")
    scanned.server.log.batch()
    scanned.server.asked.clear()
    assert scanned.run(FINISHED).code == 2
    assert scanned.entries_read() == []


def test_scan_that_takes_too_long_goes_on_at_the_next_run(scanned: Scanned, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned.log.batch([entry_at(FINISHED, 6)])
    scanned.log.batch([entry_at(FINISHED, 12)])
    monkeypatch.setattr(scanning, "LONGEST", 0.0)
    for size in (256, 512):
        ran = scanned.run(FINISHED)
        assert ran.code == 1 and f"{size} of 768 entries are scanned; the next run goes on" in ran.err
    assert scanned.told(FINISHED) == (0, ["1 6 same", "1 12 same"])
    assert scanned.entries_read() == ["000", "001", "002"]


def test_list_that_does_not_end_is_left(scanned: Scanned, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned.server.page = 1
    for _ in range(3):
        scanned.log.batch()
    monkeypatch.setattr(fetching, "MOST_PAGES", 2)
    ran = scanned.run(FINISHED)
    assert ran.code == 1 and "the list of checkpoints has more than 2 pages" in ran.err
