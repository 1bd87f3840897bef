"""The command `novaluna audit --all`: what it prints, how it goes on after an interruption, and beside play."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from bench import seed
from service.auditing import position
from service.auditing.games import differences
from service.auditing.processes import GAMES, audited
from service.auditing.ranges import connected, snapshot
from service.auditing.stored_games import read
from service.cli import main
from service.config import Settings
from service.store.base import engine_url
from service.store.migrate import upgrade
from tests.support import world
from tests.support.command_line import environ, run_in
from tests.support.running import eventually

MADE = 4 * GAMES
START = """
import signal, sys
from service.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell that runs the tests in the background ignores
sys.exit(main())
"""
OFF = "UPDATE progress SET acted_seq = 77 WHERE game = %s"


class Audit:
    """The command, on one database."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.settings = Settings(database_url=url, secret_keys=world.KEYS)
        self.environ = environ(url, folder)

    def start(self, *options: str) -> subprocess.Popen[str]:
        argv = [sys.executable, "-c", START, "audit", "--all", *options]
        return subprocess.Popen(argv, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *options: str) -> tuple[int, list[str], list[str]]:
        """Run it to its end in this process, and return the exit code and the lines of its output and its errors."""
        ran = run_in(self.environ, "audit", "--all", *options)
        return ran.code, ran.out.splitlines(), ran.err.splitlines()


@pytest.fixture(scope="module")
def audit(make_module_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Return the command on a database with some hundred games."""
    url = make_module_database()
    upgrade(url)
    engine = create_engine(engine_url(url), connect_args={"options": "-c timezone=UTC"})
    with Session(engine) as session:
        seed.games(session, seed.sign_up(session, 4), count=MADE, version=5, following=0)
        session.commit()
    engine.dispose()
    return Audit(url, tmp_path_factory.mktemp("audit"))


@pytest.fixture
def wrong(audit: Audit) -> Iterator[list[str]]:
    """Make the projections of the first, a middle and the last game wrong, and yield the ids of these games."""
    keys = (1, MADE // 2, MADE)
    with psycopg.connect(audit.url, autocommit=True) as connection:
        ids = [connection.execute("SELECT id FROM tables WHERE key = %s", [key]).fetchone() for key in keys]
        for key in keys:
            connection.execute(OFF, [key])
        yield [found[0] for found in ids if found]
        connection.execute("UPDATE progress SET acted_seq = version")


def lines(wrong: list[str]) -> list[str]:
    return [f"game {game}: projection: acted_seq is 77 and must be 5" for game in wrong]


@pytest.mark.slow
def test_a_sound_database_has_nothing_to_print(audit: Audit, tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert audit.run("--state", str(state)) == (0, [], [f"novaluna: {MADE} games, 0 of them broken"])
    assert not state.exists()


@pytest.mark.slow
def test_differences_are_printed_in_the_order_of_the_games(audit: Audit, wrong: list[str]) -> None:
    told = f"novaluna: {MADE} games, 3 of them broken"
    assert audit.run("--processes", "2") == (1, lines(wrong), [told])
    after = audit.run("--after", wrong[0], "--processes", "1")
    assert after == (1, lines(wrong)[1:], [f"novaluna: {MADE - 1} games, 2 of them broken"])


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_an_audit_goes_on_where_it_was_interrupted(
    audit: Audit, wrong: list[str], tmp_path: Path, by: signal.Signals
) -> None:
    """A killed one may have printed a difference that its state does not have yet, which is printed again then."""
    state = tmp_path / "state"
    process = audit.start("--state", str(state), "--processes", "1")
    eventually(state.exists)  # after the first difference
    with psycopg.connect(audit.url) as connection:
        connection.execute("LOCK TABLE tables IN ACCESS EXCLUSIVE MODE")
        connection.execute("SET LOCAL lock_timeout = 0")
        assert process.poll() is None
        process.send_signal(by)
        assert process.wait(60) == (130 if by == signal.SIGINT else -signal.SIGKILL)
    # If it was killed, its other process ends when it has got its range, which was locked until now.
    out, err = process.communicate(timeout=60)
    assert out.splitlines()[0] == lines(wrong)[0]
    assert by == signal.SIGKILL or "to go on, give the same command again" in err
    held = json.loads(state.read_bytes())
    assert 0 < held["games"] < MADE and held["broken"] >= 1
    code, printed, told = audit.run("--state", str(state), "--processes", "1")
    assert (code, told) == (1, [f"novaluna: {MADE} games, 3 of them broken"])
    found = [*out.splitlines(), *printed]
    assert (list(dict.fromkeys(found)) if by == signal.SIGKILL else found) == lines(wrong)
    assert not state.exists()


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ("what", "it is no file of an audit"),
        ("[]", "it is no file of an audit"),
        ('{"format": "nova-luna-audit/1", "epoch": "x", "after": "1", "games": 1, "broken": 0}', "no file of an audit"),
        ('{"format": "nova-luna-audit/1", "epoch": "x", "after": 1, "games": 1, "broken": 0}', "of another database"),
    ],
)
def test_a_state_of_something_else_is_refused(audit: Audit, tmp_path: Path, stored: str, told: str) -> None:
    state = tmp_path / "state"
    state.write_text(stored)
    code, out, err = audit.run("--state", str(state))
    assert (code, out) == (2, []) and told in err[0]
    assert state.read_text() == stored


def test_a_state_that_cannot_be_written_is_refused_at_once(audit: Audit, tmp_path: Path) -> None:
    state = tmp_path / "none" / "state"
    told = f"novaluna: {state} can't be used: it can't be written: No such file or directory"
    assert audit.run("--state", str(state)) == (2, [], [told])


@pytest.mark.slow
def test_an_audit_whose_state_cannot_be_written_any_more_has_failed(
    audit: Audit, wrong: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position, "check_writable", lambda file: None)  # as if the folder went later
    state = tmp_path / "none" / "state"
    code, out, err = audit.run("--state", str(state), "--processes", "1")
    assert (code, out) == (2, lines(wrong)[:1])
    assert err[0] == f"novaluna: {state} can't be used: it can't be written: No such file or directory"
    assert err[-1].startswith("novaluna: to go on, add --after ")


@pytest.mark.slow
def test_an_audit_whose_output_is_lost_has_failed(
    audit: Audit, wrong: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open("/dev/full", "w") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        for name, value in audit.environ.items():
            patched.setenv(name, value)
        assert main(["audit", "--all", "--processes", "1"]) == 2


def test_a_database_that_is_away_and_wrong_options_are_named(
    audit: Audit, tmp_path: Path, make_module_database: Callable[[], str]
) -> None:
    away = Audit("postgresql://nobody@127.0.0.1:1/nothing", tmp_path)
    code, out, err = away.run()
    assert (code, out) == (2, []) and "the database can't be used" in err[0]
    bare = Audit(make_module_database(), tmp_path)
    code, out, err = bare.run()
    assert (code, out) == (2, []) and "it has not the schema of this version: run novaluna migrate" in err[0]
    assert audit.run("--after", "nothing") == (2, [], ["novaluna: there is no game nothing"])
    assert audit.run("file")[0] == 2


@pytest.mark.slow
def test_a_process_that_was_killed_is_reported(audit: Audit) -> None:
    with psycopg.connect(audit.url) as connection:
        connection.execute("LOCK TABLE log IN ACCESS EXCLUSIVE MODE")
        process = audit.start("--processes", "1")
        reading = "FROM pg_stat_activity WHERE application_name = 'novaluna audit' AND wait_event = 'relation'"
        with psycopg.connect(audit.url, autocommit=True) as other:
            eventually(lambda: other.execute(f"SELECT pid {reading}").fetchone())
            other.execute(f"SELECT pg_terminate_backend(pid) {reading}")
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "") and "the database can't be read" in err


def test_games_that_go_on_meanwhile_are_no_difference(audit: Audit) -> None:
    engine = connected(audit.settings)
    players = create_engine(engine_url(audit.url), connect_args={"options": "-c timezone=UTC"})
    with snapshot(engine) as session:
        games = iter(read(session, 0, 20))
        first = next(games)
        with Session(players) as playing:
            moved = [world.move(playing, game) for game in ids_of(playing, 20)]
            playing.commit()
        assert len(moved) == 20
        assert [found for game in (first, *games) for found in differences(session, game)] == []
    with snapshot(engine) as session:
        assert [found for game in read(session, 0, 20) for found in differences(session, game)] == []
    with Session(engine) as session, pytest.raises(Exception, match="read-only"):
        session.connection().exec_driver_sql("UPDATE tables SET revision = 1")
    players.dispose()
    engine.dispose()


def ids_of(session: Session, most: int) -> list[str]:
    rows = session.connection().exec_driver_sql(f"SELECT id FROM tables ORDER BY key LIMIT {most}")
    return [game for (game,) in rows]


@pytest.mark.slow
def test_ranges_come_in_order_and_have_every_game_once(audit: Audit) -> None:
    found = list(audited(audit.settings, 0, MADE, processes=2, games=37))
    assert [each.upto for each in found] == [*range(37, MADE, 37), MADE]
    assert sum(each.games for each in found) == MADE
    assert list(audited(audit.settings, MADE, MADE, processes=1)) == []
