"""The verifier in JavaScript, in Node: the same vectors as `novaluna audit`, and the same words on the command line."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import record
from engine.forms import LONGEST
from engine.moves import Mark
from tests.exploration_records import TAMPERED_FILE
from tests.record_faults import FILE as FAULTS
from tests.support.javascript import NODE, VERIFIER, audited, needs_node, verify

DATA = FAULTS.parent
VALID = ("record-vectors.jsonl", "clock-record-vectors.jsonl", "exploration-vectors.jsonl")

pytestmark = needs_node


@pytest.mark.parametrize("name", VALID)
def test_valid_records_are_accepted(name: str) -> None:
    lines = (DATA / name).read_bytes().splitlines(keepends=True)
    assert verify(lines) == [None] * len(lines)


@pytest.mark.parametrize("file", [FAULTS, TAMPERED_FILE], ids=lambda file: str(file.stem))
def test_faults_are_refused_with_code_and_entry(file: Path) -> None:
    faults = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    expected = [(fault["code"], fault["entry"]) for fault in faults]
    assert verify([fault["line"].encode() for fault in faults]) == expected


def test_faults_of_clocks_are_refused_as_the_audit_does() -> None:
    tampered = [json.loads(line) for line in (DATA / "tampered-clock-records.jsonl").read_bytes().splitlines()]
    lines = [record.line(each["record"]) for each in tampered]
    found = verify(lines)
    assert found == [audited(line) for line in lines]
    assert [each and each[1] for each in found] == [each["entry"] for each in tampered]


def test_bytes_that_are_no_record_are_refused() -> None:
    good = (DATA / VALID[0]).read_bytes().splitlines(keepends=True)[0]
    lines = [b"", b"\n", b"{}\n", b"[]\n", b"null\n", b"\xff\n", b"\xef\xbb\xbf" + good, good[:-1], good + b"\n"]
    lines += [b"[1, 2]\n", b" []\n", b"[1,2]\n", b'"a"\n', b"null \n", b"1\n", b"1.0\n"]
    lines += [b"[" * deep + b"]" * deep + b"\n" for deep in (64, 65, 3000, 100_000)]
    lines += [b'{"a":' * deep + b"1" + b"}" * deep + b"\n" for deep in (64, 65, 3000)]
    assert verify(lines) == [audited(line) for line in lines]


def test_depth_and_order_of_a_marks_data_are_judged_alike() -> None:
    source = next(line for line in (DATA / VALID[0]).read_bytes().splitlines() if b'"result":null' in line)
    names = [
        ("\ufb01", "\U0001f600"),
        ("\U0001f600", "\ufb01"),
        ("a", "é"),
        ("é", "a"),
        ("é", "é"),
        ("a", "b"),
        ("b", "a"),
    ]
    data = [f'{{"{one}":1,"{two}":2}}' for one, two in names]
    data += ["[" * deep + "]" * deep for deep in (8, 9, 60, 61, 1100, 5000)]
    lines = [with_mark(json.loads(source), each) for each in data]
    found = verify(lines)
    assert found == [audited(line) for line in lines]
    n = json.loads(lines[0])["log"][-1]["seq"]
    bad, entry, right = ("spelling", None), ("entry", n), None
    assert found == [bad, entry, entry, bad, bad, right, bad, right, entry, entry, bad, bad, bad]


def with_mark(whole: record.Object, data: str) -> bytes:
    """Return the line of a record with one more entry, a mark whose data are spelled like this."""
    last, place = whole["log"][-1], "the place of the data"
    mark = Mark("x", json.loads(data) if data.isascii() and len(data) < 30 else place)
    whole["log"].append(record.entry(last["seq"] + 1, last["at"], 0, mark, None, last["hash"]))
    spelled = record.canonical(mark.data)
    return record.line(whole).replace(b'"data":' + spelled, b'"data":' + data.encode())


def test_line_beyond_the_longest_is_refused() -> None:
    source = json.loads((DATA / VALID[0]).read_bytes().splitlines()[0])
    source["players"][0]["name"] = ""
    room = LONGEST - len(record.line(source))
    lines = []
    for length in (room, room + 1):
        source["players"][0]["name"] = "x" * length
        lines.append(record.line(source))
    assert verify(lines) == [audited(line) for line in lines] == [None, ("spelling", None)]


def run(*names: str, given: bytes = b"") -> tuple[int, str, str]:
    """Run the command line of the verifier; return its exit code and what it prints and reports."""
    assert NODE is not None
    done = subprocess.run([NODE, str(VERIFIER), *names], input=given, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def last_line(records: int, unreadable: int = 0) -> bytes:
    """Return the last line of a download."""
    return b'{"complete":true,"format":"nova-luna-export/1","records":%d,"unreadable":%d}\n' % (records, unreadable)


ONE, TWO, *_ = (DATA / VALID[0]).read_bytes().splitlines(keepends=True)
DOWNLOADS = {
    "whole": ONE + TWO + last_line(2),
    "of no games": last_line(0),
    "gone on with": ONE + TWO + last_line(1),
    "two in one file": ONE + last_line(1) + TWO + last_line(1),
    "a record dropped": TWO + last_line(2),
    "the first of two dropped": last_line(1) + TWO + last_line(1),
    "the last line alone": last_line(12),
    "a game left out": ONE + last_line(1, 2),
    "a negative number": ONE + last_line(-5),
    "a number with zeros": ONE + last_line(1).replace(b":1,", b":01,"),
    "another order": ONE + b'{"format":"nova-luna-export/1","complete":true,"records":1,"unreadable":0}\n',
    "blanks": ONE + last_line(1).replace(b":", b": "),
    "one more field": ONE + last_line(1).replace(b"}", b',"x":0}'),
    "no line feed": ONE + last_line(1)[:-1],
    "a broken record": ONE + b"{}\n" + last_line(2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_download_is_judged_as_the_audit_does(name: str) -> None:
    code, printed, reported = run("-", given=DOWNLOADS[name])
    argv = [sys.executable, "-m", "service.cli", "audit", "-"]
    audit = subprocess.run(argv, input=DOWNLOADS[name], capture_output=True, check=False)
    told = [line.split(": ")[:2] for line in audit.stdout.decode().splitlines()]
    assert (code, [line.split(": ")[:2] for line in printed.splitlines()], reported) == (audit.returncode, told, "")
    assert (code == 0) == (name in list(DOWNLOADS)[:4])


def test_nothing_to_read_is_no_success(tmp_path: Path) -> None:
    empty, none, good, bad = (tmp_path / name for name in ("empty", "none", "good", "bad"))
    empty.write_bytes(b"")
    good.write_bytes(ONE)
    bad.write_bytes(b"{}\n")
    assert run("-") == (2, "", "-: nothing to read\n")
    assert run(str(empty), str(good)) == (2, "", f"{empty}: nothing to read\n")
    code, printed, reported = run(str(none), str(bad))
    assert (code, printed.count("\n")) == (1, 1) and reported.startswith(f"{none}: ENOENT")
    assert run()[0] == 2 and run("--known")[0] == 2


def test_a_failure_of_the_verifier_is_told_for_that_record(tmp_path: Path) -> None:
    folder = tmp_path / "verifier"
    shutil.copytree(VERIFIER.parent, folder)
    rules = (folder / "rules.mjs").read_text()
    assert "  play(seat, move) {" in rules
    (folder / "rules.mjs").write_text(rules.replace("  play(seat, move) {", "  play(seat, move) { null.x;"))
    file = tmp_path / "records"
    file.write_bytes(ONE + b"{}\n")
    assert NODE is not None
    done = subprocess.run([NODE, str(folder / VERIFIER.name), str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == ""
    assert [line.split(": ")[1] for line in done.stdout.splitlines()] == ["failed", "record"]


def test_the_command_line_prints_what_the_audit_prints(tmp_path: Path) -> None:
    lines = (DATA / VALID[0]).read_bytes().splitlines(keepends=True)
    file = tmp_path / "records"
    file.write_bytes(lines[0] + lines[1].replace(b'"seq":2}', b'"seq":3}') + lines[2][:-1])
    assert run("-", given=lines[0]) == (0, "", "")
    code, printed, reported = run(str(file))
    assert reported == ""
    assert code == 1
    assert [line.split(": ")[:-1] for line in printed.splitlines()] == [
        [f"{file}:2", "entry 2", "entry"],
        [f"{file}:3", "spelling"],
    ]


def test_each_file_of_the_verifier_is_short_and_imports_only_the_others() -> None:
    files = sorted(VERIFIER.parent.glob("*.mjs"))
    assert len(files) == 10
    for file in files:
        text = file.read_text()
        assert text.count("\n") < 300 and max(map(len, text.splitlines())) <= 120, file.name
        imports = re.findall(r'^import [^"]*"([^"]+)";$', text, re.MULTILINE)
        assert len(imports) == len(re.findall(r"^import\b", text, re.MULTILINE))
        assert all((file.parent / name).is_file() for name in imports), imports
