"""`novaluna simulate` and `novaluna audit` as people and scripts use them: bytes, exit codes, terminals, pipes."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import record
from tests.clock_records.lines import TAMPERED_FILE, VALID_FILE

VECTORS = Path(__file__).parents[2] / "data" / "record-vectors.jsonl"
SIMULATE = ("simulate", "--games", "3", "--seats", "2", "--seed", "s", "--bot", "random")


def novaluna(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-m", "service.cli", *arguments]
    return subprocess.run(argv, input=given, capture_output=True, check=False)


def audit(given: bytes, *files: str) -> tuple[int, str]:
    run = novaluna("audit", *(files or ("-",)), given=given)
    return run.returncode, run.stdout.decode() + run.stderr.decode()


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return VECTORS.read_bytes().splitlines(keepends=True)


@pytest.mark.slow
@pytest.mark.parametrize("seats", ["1", "2", "3", "4"])
def test_simulated_records_hold_and_are_the_same_each_time(seats: str) -> None:
    arguments = ("simulate", "--games", "4", "--seats", seats, "--seed", "a seed", "--bot", "greedy", "--leave", "0.02")
    first = novaluna(*arguments)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout.count(b"\n") == 4
    assert novaluna(*arguments).stdout == first.stdout
    assert audit(first.stdout) == (0, "")


def test_the_discs_are_those_asked_for() -> None:
    arguments = ("simulate", "--games", "1", "--seed", "1", "--bot", "random", "--seats", "3", "--discs")
    assert b'"goal_discs":17,' in novaluna(*arguments, "first_game").stdout
    assert b'"goal_discs":7,' in novaluna(*arguments, "7").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        ("--games", "-1"),
        ("--games", "two"),
        ("--seats", "5"),
        ("--seats", "0"),
        ("--bot", "clever"),
        ("--discs", "first_game"),  # there is none for two
        ("--discs", "4"),
        ("--discs", "many"),
        ("--leave", "1.5"),
        ("--leave", "-0.1"),
        ("--leave", "1/2"),
    ],
)
def test_what_makes_no_game_is_bad_usage(wrong: tuple[str, str]) -> None:
    run = novaluna(*SIMULATE, *wrong)
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr


def test_no_games_are_no_records() -> None:
    run = novaluna(*SIMULATE, "--games", "0")
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


def test_a_reader_that_goes_away_is_no_error() -> None:
    argv = [sys.executable, "-m", "service.cli", *SIMULATE, "--games", "100000"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"\n")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 0


@pytest.mark.parametrize(
    ("break_it", "where"),
    [
        (lambda line: b"\n", "spelling"),
        (lambda line: b"\r\n", "spelling"),
        (lambda line: line.replace(b"\n", b"\r\n"), "spelling"),
        (lambda line: b"no record\n", "spelling"),
        (lambda line: b"\xff\xfe\n", "spelling"),
        (lambda line: line.replace(b'"rules":"1"', b'"rules":"2"'), "entry 0"),
        (lambda line: line.replace(b'"seq":3}', b'"seq":4}'), "entry 3"),
        (lambda line: line.replace(b'"reason":"discs"', b'"reason":"tiles"'), "result"),
    ],
)
def test_a_broken_record_is_named_by_file_line_and_entry(
    lines: list[bytes], break_it: Callable[[bytes], bytes], where: str, tmp_path: Path
) -> None:
    whole = next(line for line in lines if b'"reason":"discs"' in line)
    file = tmp_path / "records"
    file.write_bytes(whole + break_it(whole) + whole)
    code, said = audit(b"", str(file))
    assert code == 1
    assert said.startswith(f"{file}:2: {where}: ")
    assert said.count("\n") == 1


def test_games_with_clocks_are_audited_and_a_wrong_step_is_named() -> None:
    assert audit(VALID_FILE.read_bytes()) == (0, "")
    tampered = [json.loads(line) for line in TAMPERED_FILE.read_bytes().splitlines()]
    code, said = audit(b"".join(record.line(each["record"]) for each in tampered))
    assert code == 1
    for number, (told, each) in enumerate(zip(said.splitlines(), tampered, strict=True), 1):
        assert told.startswith(f"-:{number}: entry {each['entry']}: ") and each["why"] in told


def test_the_end_of_a_download_is_no_record(lines: list[bytes]) -> None:
    def end(records: int, unreadable: int = 0) -> bytes:
        told = b'{"complete":true,"format":"nova-luna-export/1","records":%d,"unreadable":%d}\n'
        return told % (records, unreadable)

    assert audit(lines[0] + lines[1] + end(2)) == (0, "")
    left_out = "-:2: download: the service has left out 2 games, because their data are damaged\n"
    assert audit(lines[0] + end(1, 2)) == (1, left_out)
    assert audit(lines[0] + end(3)) == (1, "-:2: download: the download had 3 records, and 1 came\n")
    assert audit(lines[0] + lines[1] + end(1)) == (0, ""), "it broke off, and went on after the first record"
    assert audit(lines[0] + end(1).replace(b"true", b"false"))[0] == 1


def test_a_missing_last_line_feed_is_a_broken_record(lines: list[bytes]) -> None:
    code, said = audit(lines[0] + lines[1].rstrip(b"\n"))
    assert code == 1
    assert said.startswith("-:2: spelling: ")


def test_all_of_several_files_are_read_and_the_gravest_finding_counts(lines: list[bytes], tmp_path: Path) -> None:
    good, empty, broken, none = (str(tmp_path / name) for name in ("good", "empty", "broken", "none"))
    Path(good).write_bytes(b"".join(lines))
    Path(empty).write_bytes(b"")
    Path(broken).write_bytes(b"{}\n")
    assert audit(b"", good, good) == (0, "")
    assert audit(b"", empty) == (2, f"novaluna: {empty}: nothing to read\n")
    assert audit(b"", good, none)[0] == 2
    assert audit(b"", str(tmp_path))[0] == 2
    code, said = audit(b"", none, broken, empty, good)
    assert code == 1
    assert [line.count(name) for line, name in zip(said.splitlines(), (broken, none, empty), strict=True)] == [1, 1, 1]
    assert novaluna("audit").returncode == 2


def test_a_line_far_too_long_is_one_broken_record(lines: list[bytes]) -> None:
    code, said = audit(b"[" * (20 << 20) + b"\n" + lines[0])
    assert code == 1
    assert said.startswith("-:1: spelling: ")
    assert said.count("\n") == 1


def test_what_a_file_is_called_does_not_command_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "x\x1b[2J\ny"
    file.write_bytes(b"{}\n")
    code, said = audit(b"", str(file))
    assert code == 1
    assert "\x1b" not in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.write_bytes(novaluna(*SIMULATE, "--games", "600").stdout)
    main, side = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "service.cli", "audit", str(records)], stderr=side, stdout=-1
    ) as process:
        os.close(side)
        shown = b""
        try:
            while part := os.read(main, 1000):
                shown += part
        except OSError:  # how a terminal ends
            pass
        assert process.communicate()[0] == b""
    os.close(main)
    assert process.returncode == 0
    assert re.search(rb"\r[0-9]+ records\r", shown)
    assert shown.endswith(b"600 records, 0 of them broken\r\n")


def shell(command: str, *files: Path) -> tuple[int, str]:
    """Run a shell command in which NOVALUNA stands for the program, and $1, $2 and so on for the files."""
    argv = ["sh", "-c", command.replace("NOVALUNA", f"{sys.executable} -m service.cli"), "sh", *map(str, files)]
    run = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def test_closed_streams_are_empty_ones(tmp_path: Path, lines: list[bytes]) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(lines[0][:-1])
    assert shell("NOVALUNA audit - <&-") == (2, "novaluna: -: nothing to read\n")
    assert shell('NOVALUNA audit "$1" >&-', broken) == (1, "")
    assert shell('NOVALUNA audit "$1" <&- >&- 2>&-', broken) == (1, "")
    assert shell("NOVALUNA audit /nonexistent 2>&-") == (2, "")
    assert shell(f"NOVALUNA {' '.join(SIMULATE)} >&-") == (0, "")


def test_a_full_disk_is_not_taken_for_an_unreadable_file(tmp_path: Path, lines: list[bytes]) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(lines[0][:-1])
    full = "novaluna: the output can't be written: No space left on device\n"
    assert shell('NOVALUNA audit "$1" >/dev/full', broken) == (1, full)
    assert shell(f"NOVALUNA {' '.join(SIMULATE)} >/dev/full") == (1, full)


def test_a_file_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path, lines: list[bytes]) -> None:
    odd = tmp_path / os.fsdecode(b"odd\xff")
    odd.write_bytes(lines[0][:-1])
    code, said = audit(b"", str(odd))
    assert code == 1 and "odd" in said and said.endswith(":1: spelling: the line feed at the end is missing\n")
