"""The commands of `novaluna` that need a database or a data folder."""

import errno
import signal
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import psycopg
import pytest

from service import cli
from service.access.address_hash import address_hashes
from service.access.return_path import references
from service.local.postgres import Postgres
from service.mail.maildir import Maildir
from tests.support import log_setup
from tests.support.command_line import environ
from tests.support.command_line import run_in as novaluna
from tests.support.releases import FIRST
from tests.support.running import up


def in_process(environ: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    """Run a command in a process of its own, whose logging it sets up."""
    argv = [sys.executable, "-m", "service.cli", *arguments]
    run = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout, run.stderr


@pytest.mark.slow
def test_migrate_makes_the_schema_and_does_nothing_the_second_time(postgres: Postgres, tmp_path: Path) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE bare")
    for _ in range(2):
        assert in_process(environ(postgres.url_of("bare"), tmp_path), "migrate") == (0, "", "")
    with psycopg.connect(postgres.url_of("bare")) as connection:
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (0,)


def test_rebuild_finds_nothing_amiss_where_there_is_nothing(database_url: str, tmp_path: Path) -> None:
    assert novaluna(environ(database_url, tmp_path), "rebuild") == (0, "", "novaluna: 0 differences\n")


def test_a_mail_that_came_back_is_taken_note_of(database_url: str, tmp_path: Path) -> None:
    key, mails = "k" * 32, Path(__file__).parents[1] / "reading" / "bounces"
    sent = "turn.G4mE8sWqKzRt.7.AcCtAnn23456"  # which that report is about
    (reference,) = references((key,), sent)
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "INSERT INTO accounts (id, email, created_at) VALUES ('AcCtAnn23456', 'ann@example.net', now())"
        )
        connection.execute(
            "INSERT INTO deliveries (key, account, kind, state, address_hash, reference, queued_at, at)"
            " VALUES (%s, 'AcCtAnn23456', 'turn', 'sent', %s, %s, now(), now())",
            (sent, address_hashes((key,), "ann@example.net")[0], reference),
        )
    there = environ(database_url, tmp_path)
    gmail = str(mails / "gmail-no-such-user.eml")
    assert novaluna(there, "bounces", gmail) == (0, "", "novaluna: failed 5.1.1: of_nobody\n"), (
        "it came to no return path"
    )
    came_back = tmp_path / "came-back.eml"
    to = f"Delivered-To: nova-luna+bounce-{reference}@example.org\n"
    came_back.write_bytes(to.encode() + Path(gmail).read_bytes())
    assert novaluna(there, "bounces", str(came_back)) == (0, "", "novaluna: failed 5.1.1: counted\n")
    answer = str(mails / "answer-of-a-person.eml")
    assert novaluna(there, "bounces", answer) == (0, "", "novaluna: this is no report of a delivery\n")
    code, _, err = novaluna(there, "bounces", str(tmp_path / "nothing"))
    assert code == 2 and "can't be read" in err
    code, _, err = novaluna({k: v for k, v in there.items() if "KEY" not in k}, "bounces", gmail)
    assert code == 75 and "NOVALUNA_SECRET_KEY" in err
    code, _, err = novaluna(environ("postgresql://127.0.0.1:1/none", tmp_path), "bounces", str(came_back))
    assert code == 75 and "database can't be used" in err


def test_commands_for_the_database_alone_ask_for_no_more(database_url: str) -> None:
    for run, command in ((in_process, "migrate"), (novaluna, "rebuild")):
        assert run({"DATABASE_URL": database_url}, command)[0] == 0


@pytest.mark.slow
def test_commands_find_the_database_of_a_running_up(open_folder: Path) -> None:
    data = open_folder / "data"
    code, _, err = novaluna({}, "rebuild", "--data", str(data))
    assert code == 2 and err.startswith("novaluna: DATABASE_URL is not set.")
    with Postgres(data) as left_by_the_first_release:
        FIRST.fill(left_by_the_first_release.url)
    with up(data):
        assert novaluna({}, "rebuild", "--data", str(data)) == (0, "", "novaluna: 0 differences\n")
        assert in_process({"NOVALUNA_DATA": str(data)}, "migrate") == (0, "", "")
    for run, command in ((in_process, "migrate"), (novaluna, "rebuild")):
        code, out, err = run({}, command, "--data", str(data))
        assert (code, out) == (1, "") and "the database can't be used" in err and "start novaluna up first" in err
    code, _, err = novaluna({}, "partition-log", "--data", str(data))
    assert code == 0 and "entries are in 16 partitions" in err


def test_mailbox_prints_the_kept_mails_to_an_address(tmp_path: Path) -> None:
    for name in ("ada", "ben"):
        message = EmailMessage()
        message["From"], message["To"] = "nova-luna@localhost", f"{name}@example.org"
        message["Subject"], message["Message-ID"] = f"For {name}", f"<{name}@localhost>"
        message.set_content("A text.\n")
        Maildir(tmp_path / "mail").deliver(message)
    code, out, err = novaluna({}, "mailbox", "ada@example.org", "--data", str(tmp_path))
    assert (code, err) == (0, "")
    assert "For ada" in out
    assert "For ben" not in out
    code, out, _ = novaluna({"NOVALUNA_DATA": str(tmp_path)}, "mailbox")
    assert out.count("A text.") == 2


@pytest.mark.parametrize("arguments", [("openapi",), ("mailbox",), ("account", "find", "@")])
def test_output_that_is_lost_is_a_failure_with_a_reason(
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO accounts (id, email, created_at) VALUES ('a', 'ann@example.net', now())")
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = "a@localhost", "b@example.org", "<a@localhost>"
    Maildir(tmp_path / "mail").deliver(message)
    for name, value in environ(database_url, tmp_path).items():
        monkeypatch.setenv(name, value)
    with open("/dev/full", "w") as full, monkeypatch.context() as patched, log_setup.kept():
        patched.setattr(sys, "stdout", full)
        assert cli.main(arguments) == 1
    assert capsys.readouterr().err == "novaluna: the output can't be written: No space left on device\n"


def test_an_error_of_another_file_is_not_taken_for_one_of_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cli, "_openapi", fail)
    with pytest.raises(OSError, match="No space left"):
        cli.main(["openapi"])


@pytest.mark.parametrize("command", ["migrate", "worker", "rebuild"])
def test_a_wrong_setting_is_bad_usage(command: str, tmp_path: Path) -> None:
    code, out, err = novaluna(environ("mysql://somewhere/nova", tmp_path), command)
    assert (code, out) == (2, "")
    assert err.startswith("novaluna: DATABASE_URL is wrong: ")
    assert err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("partition-log", "--partitions", "1"), "novaluna: a log is split into 2 to 256 partitions\n"),
        (("restore", "/nowhere/nova.backup"), "novaluna: There is no file /nowhere/nova.backup.\n"),
        (("mailbox", "--data", "/nowhere/data"), "novaluna: there is no data folder /nowhere/data\n"),
        (("bounces", "/nowhere/mail"), "novaluna: /nowhere/mail can't be read: No such file or directory\n"),
    ],
)
def test_a_wrong_argument_is_bad_usage(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    assert in_process(environ("postgresql:///nova", tmp_path), *arguments) == (2, "", said)


ENDING = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever runs the tests may ignore it, as nohup does
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from service import cli

def command(arguments):
    folder = Path(sys.argv[1])
    folder.mkdir()
    try:
        print("begun", flush=True)
        signal.pause()
    finally:
        folder.rmdir()

cli._openapi = command
cli.main(["openapi"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_asked_to_end_cleans_up(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "half made"
    argv = [sys.executable, "-c", ENDING, str(folder)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "begun\n"
            assert folder.is_dir()
            process.send_signal(number)
            assert process.wait(60) == (0 if number == signal.SIGINT else -number)  # `main` returns 130 after Ctrl-C
        finally:
            process.kill()
    assert not folder.exists()


def test_an_unknown_command_is_bad_usage() -> None:
    assert novaluna({}, "moonwalk")[0] == 2
    assert novaluna({})[0] == 2
