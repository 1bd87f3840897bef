"""`novaluna text`: records to texts and back, exit codes, what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import record
from tests.unit.engine.notation.sources import ALONE, COMPLETE, DATA, KITCHEN, VECTORS

RECORDS = DATA / "record-vectors.jsonl"


def run(*arguments: str, given: bytes = b"") -> tuple[int, bytes, str]:
    argv = [sys.executable, "-m", "service.cli", "text", *arguments]
    done = subprocess.run(argv, input=given, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def test_records_become_texts_and_texts_records() -> None:
    code, texts, told = run(str(RECORDS))
    assert (code, told) == (0, "")
    assert texts.count(b"[Format ") == RECORDS.read_bytes().count(b"\n")
    assert run("-", given=texts) == (0, RECORDS.read_bytes(), "")


def test_one_record_becomes_its_canonical_text() -> None:
    record = run("-", given=COMPLETE.encode())[1]
    assert record.startswith(b'{"draw"') and record.count(b"\n") == 1
    assert run("-", given=record) == (0, COMPLETE.encode(), "")
    short = str(VECTORS["a match from a record"]["short"]).encode()
    assert run("--without-times", "-", given=record) == (0, short, "")
    assert run("--without-times", "-", given=COMPLETE.encode()) == (0, short, "")
    assert run("--text", "-", given=COMPLETE.replace("\n", "\r\n\r\n").encode()) == (0, COMPLETE.encode(), "")


def test_the_end_of_a_download_is_no_record() -> None:
    record = run("-", given=COMPLETE.encode())[1]
    end = b'{"complete":true,"format":"nova-luna-export/1","records":1,"unreadable":0}\n'
    assert run("-", given=record + end) == (0, COMPLETE.encode(), "")


def test_a_text_that_is_not_complete_is_printed_again(tmp_path: Path) -> None:
    file = tmp_path / "kitchen.nova"
    file.write_text(KITCHEN)
    canonical = str(
        VECTORS["a game noted at the kitchen table: eleven tiles, and what each refill puts out"]["canonical"]
    )
    assert run(str(file)) == (0, canonical.encode(), "")
    code, printed, told = run("--record", str(file))
    assert (code, printed) == (1, b"")
    assert told.startswith(f"novaluna: {file}:1: not complete: ")


def test_a_refusal_names_file_line_and_code_and_the_rest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "games.nova"
    wrong = '[Format "nova-luna-text/1"]\n[Game "x\x1b"]\n*\n'
    large = '[Format "nova-luna-text/1"]\n' + "# x\n" * 300_000 + "*\n"
    file.write_text("\n" + COMPLETE + wrong + large + COMPLETE)
    code, printed, told = run(str(file))
    assert code == 1 and printed.count(b"\n") == 2
    first = COMPLETE.count("\n") + 2
    assert told.splitlines() == [
        f"novaluna: {file}:{first + 1}: bad_character: There is a control character, U+001B.",
        f"novaluna: {file}:{first + 3}: too_long: The text of a game has at most 1 MiB.",
    ]
    assert run("-", given=b"\xff\n")[2] == "novaluna: -:1: bad_utf8: This is not UTF-8.\n"


def test_a_broken_record_has_no_text() -> None:
    lines = RECORDS.read_bytes().splitlines(keepends=True)
    code, printed, told = run("-", given=b"\n" + lines[0] + lines[0].replace(b'"rules":"1"', b'"rules":"2"'))
    assert code == 1 and printed.count(b"[Format ") == 1
    assert told.startswith("novaluna: -:3: entry 0: ")


def test_a_record_with_too_long_a_text_is_refused_by_name() -> None:
    good = RECORDS.read_bytes().splitlines(keepends=True)[0]
    long = json.loads(good)
    long["players"][0]["name"] = "x" * 70_000
    code, printed, told = run("-", given=good + record.line(long) + good)
    assert code == 1 and printed.count(b"[Format ") == 2
    assert told.startswith("novaluna: -:2: too_long: Line 6 of the text, which begins with '[A \"xxx")


@pytest.mark.parametrize("given", [b"", b"\n \r\n\t\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_bad_usage(given: bytes) -> None:
    assert run("-", given=given) == (2, b"", "novaluna: -: nothing to read\n")


def test_all_of_several_files_are_read(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text(ALONE)
    code, printed, told = run(str(good), str(tmp_path / "none"), str(good))
    assert code == 2 and printed.count(b"[Format ") == 2 and b"\n\n[Format" in printed
    assert told.count("\n") == 1 and "none" in told
    assert run()[0] == 2


def test_a_full_disk_is_reported() -> None:
    argv = [sys.executable, "-m", "service.cli", "text", str(RECORDS)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"can't be written" in done.stderr
