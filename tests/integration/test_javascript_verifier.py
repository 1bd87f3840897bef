"""The verifier in JavaScript, in Node: the same vectors as `novaluna audit`, and the same words on the command line."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from engine import record
from tests.exploration_records import SPOILED_FILE
from tests.record_faults import FILE as FAULTS
from tests.support.javascript import NODE, VERIFIER, audited, needs_node, verify

DATA = FAULTS.parent
VALID = ("record-vectors.jsonl", "clock-record-vectors.jsonl", "exploration-vectors.jsonl")

pytestmark = needs_node


@pytest.mark.parametrize("name", VALID)
def test_valid_records_are_accepted(name: str) -> None:
    lines = (DATA / name).read_bytes().splitlines(keepends=True)
    assert verify(lines) == [None] * len(lines)


@pytest.mark.parametrize("file", [FAULTS, SPOILED_FILE], ids=lambda file: str(file.stem))
def test_faults_are_refused_with_code_and_entry(file: Path) -> None:
    faults = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    expected = [(fault["code"], fault["entry"]) for fault in faults]
    assert verify([fault["line"].encode() for fault in faults]) == expected


def test_faults_of_clocks_are_refused_as_the_audit_does() -> None:
    spoiled = [json.loads(line) for line in (DATA / "spoiled-clock-records.jsonl").read_bytes().splitlines()]
    lines = [record.line(each["record"]) for each in spoiled]
    found = verify(lines)
    assert found == [audited(line) for line in lines]
    assert [each and each[1] for each in found] == [each["entry"] for each in spoiled]


def test_bytes_that_are_no_record_are_refused() -> None:
    good = (DATA / VALID[0]).read_bytes().splitlines(keepends=True)[0]
    lines = [b"", b"\n", b"{}\n", b"[]\n", b"null\n", b"\xff\n", b"\xef\xbb\xbf" + good, good[:-1], good + b"\n"]
    deep = b"[" * 100_000 + b"]" * 100_000 + b"\n"
    assert verify([*lines, deep]) == [audited(line) for line in [*lines, deep]]


def test_the_command_line_prints_what_the_audit_prints(tmp_path: Path) -> None:
    lines = (DATA / VALID[0]).read_bytes().splitlines(keepends=True)
    file = tmp_path / "records"
    file.write_bytes(lines[0] + lines[1].replace(b'"seq":2}', b'"seq":3}') + lines[2][:-1])

    def run(*names: str, given: bytes = b"") -> tuple[int, str]:
        assert NODE is not None
        argv = [NODE, str(VERIFIER), *names]
        done = subprocess.run(argv, input=given, capture_output=True, check=False)
        assert done.stderr == b""
        return done.returncode, done.stdout.decode()

    assert run("-", given=lines[0]) == (0, "")
    end = b'{"complete":true,"format":"nova-luna-export/1","records":1,"unreadable":%d}\n'
    assert run("-", given=lines[0] + end % 0) == (0, ""), "the last line of a download is no record"
    assert run("-", given=lines[0] + end % 1)[0] == 1, "a game was left out"
    code, printed = run(str(file))
    assert code == 1
    assert [line.split(": ")[:-1] for line in printed.splitlines()] == [
        [f"{file}:2", "entry 2", "entry"],
        [f"{file}:3", "spelling"],
    ]


def test_each_file_of_the_verifier_is_short_and_imports_only_the_others() -> None:
    files = sorted(VERIFIER.parent.glob("*.mjs"))
    assert len(files) == 9
    for file in files:
        text = file.read_text()
        assert text.count("\n") < 300 and max(map(len, text.splitlines())) <= 120, file.name
        imports = re.findall(r'^import [^"]*"([^"]+)";$', text, re.MULTILINE)
        assert len(imports) == len(re.findall(r"^import\b", text, re.MULTILINE))
        assert all((file.parent / name).is_file() for name in imports), imports
