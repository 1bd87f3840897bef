"""`novaluna up` as a whole: ready, killed, each of its parts killed in turn, and stopped."""

import http.client
import json
import os
import shutil
import signal
import smtplib
import socket
import stat
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.local.liveness import START_TIMEOUT
from tests.support.running import Running, eventually, free_port, processes, start, up

pytestmark = pytest.mark.xdist_group("up")  # they share the running service


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """Start `up` right after one on the same data and port was killed, and stop it at last while its parts hang."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-test-"))
    folder.chmod(0o711)
    data = folder / "data"
    port = ("--port", str(free_port()))
    with up(data, None, *port) as forerunner:
        forerunner.process.kill()
        forerunner.process.wait()
        with up(data, None, *port) as running:
            yield running
            _stop_with_parts_that_hang(running)
    assert processes(data) == {}
    shutil.rmtree(folder)


def _stop_with_parts_that_hang(running: Running) -> None:
    """Hold that it stops in order within ten seconds although all of its parts but Postgres hang."""
    for part in ("service.cli worker", "service.cli mailin", "gunicorn"):
        for pid in running.pids(part):
            os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    assert running.stop() == 0
    assert time.monotonic() - begun < 10
    assert "database system is shut down" in (running.data / "postgres.log").read_text().splitlines()[-1]


def answer(running: Running) -> int:
    try:
        with urllib.request.urlopen(running.address + "/readyz", timeout=60) as response:
            json.load(response)
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:  # cut off, as the process that was to answer was killed
        return 0


@pytest.mark.slow
def test_killed_itself_it_leaves_nothing_behind(running: Running) -> None:
    eventually(lambda: answer(running) == 200)  # one of the two web processes may not know yet that Postgres is back
    parts = {"service.cli worker": 1, "service.cli mailin": 1, "gunicorn": 3, "bin/postgres -D": 1}
    # It is ready with the first of its web processes; the other one may be about to start.
    eventually(lambda: {part: len(running.pids(part)) for part in parts} == parts)


@pytest.mark.slow
def test_parts_that_hang_are_replaced(running: Running) -> None:
    eventually(lambda: answer(running) == 200)
    hanging = [running.pids(part)[0] for part in ("service.cli worker", "service.cli mailin", "gunicorn")]
    for pid in hanging:
        os.kill(pid, signal.SIGSTOP)
    # Within some 11 seconds; one that is still starting, as after a test that killed it, has more time.
    eventually(lambda: not processes(running.data).keys() & set(hanging), START_TIMEOUT + 30, every=0.2)
    parts = {"service.cli worker": 1, "service.cli mailin": 1, "gunicorn": 3}
    eventually(lambda: {part: len(running.pids(part)) for part in parts} == parts)
    eventually(lambda: answer(running) == 200)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("service.cli worker", "The worker"),
        ("service.cli mailin", "The receiver"),
        ("gunicorn", "The web server"),
        ("bin/postgres -D", "Postgres"),
    ],
)
def test_a_part_that_is_killed_comes_back(running: Running, part: str, name: str) -> None:
    killed = running.pids(part)  # of the web server the arbiter comes first, and the others go with it
    os.kill(killed[0], signal.SIGKILL)
    eventually(lambda: (now := running.pids(part)) and not set(now) & set(killed))
    eventually(lambda: answer(running) == 200)
    assert f"{name} ended (SIGKILL); starting it again" in running.data.with_name("up.err").read_text()


@pytest.mark.slow
def test_mail_is_taken_in(running: Running) -> None:
    place = urlsplit(running.mail_in())
    assert (place.scheme, place.hostname) == ("smtp", "127.0.0.1")
    with smtplib.SMTP("127.0.0.1", place.port or 0, timeout=60) as client:
        assert client.sendmail("ann@example.org", ["Nova-Luna@localhost"], "Subject: x\n\nhelp\n") == {}
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            client.sendmail("ann@example.org", ["nobody@localhost"], "Subject: x\n\nhelp\n")


@pytest.mark.slow
def test_a_second_one_on_the_same_folder_or_port_is_refused(running: Running, open_folder: Path) -> None:
    assert refused(running.data, "--port", "0").startswith(f"1 novaluna: The data folder {running.data} is in use: ")
    port = running.address.rpartition(":")[2]
    said = refused(open_folder / "data", "--port", port)
    assert said == f"1 novaluna: Port {port} can't be used: Address already in use. Take another one with --port."
    said = refused(open_folder / "data", "--port", "0", "--mailin-port", port)
    assert (
        said == f"1 novaluna: Port {port} can't be used: Address already in use. Take another one with --mailin-port."
    )
    assert not (open_folder / "data").exists()
    eventually(lambda: answer(running) == 200)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ("GET /v1/games?cursor=" + "a" * 9000 + " HTTP/1.1\r\n\r\n", 414, "uri_too_long"),
        ("GET /v1/games HTTP/1.1\r\nX: " + "a" * 70_000 + "\r\n\r\n", 431, "headers_too_large"),
        ("GET /v1/games HTTP/1.1\r\nNo Name: x\r\n\r\n", 400, "bad_request"),
        ("GET /never-mail?link=sauce\r\n\r\n", 400, "bad_request"),
        (
            (
                "POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                "Transfer-Encoding: chunked\r\n\r\nsauce\r\n"
            ),
            400,
            "bad_request",
        ),
    ],
    ids=["address", "headers", "name", "line", "chunk"],
)
def test_what_cannot_be_read_is_a_problem_and_no_line_quotes_it(
    running: Running, sent: str, status: int, code: str
) -> None:
    host, port = running.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(sent.encode())
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.split()[1] == str(status).encode() and b"Content-Type: application/problem+json" in head
    assert json.loads(body)["status"] == status and json.loads(body)["code"] == code
    said = running.data.with_name("up.err").read_text()
    assert "sauce" not in said and "127.0.0.1:" not in said and "ip=" not in said


@pytest.mark.slow
def test_a_large_body_that_is_refused_costs_no_answer(running: Running) -> None:
    host, port = running.address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    for size in (70_000, 200_000, 3_000_000):
        connection.request("POST", "/v1/games", b" " * size, {"Content-Type": "application/json"})
        refused = connection.getresponse()
        assert (refused.status, json.load(refused)["code"]) == (401, "token_missing")
        connection.request("POST", "/v1/sign-ins", b" " * size, {"Content-Type": "application/json"})
        refused = connection.getresponse()
        assert (refused.status, json.load(refused)["code"]) == (413, "body_too_large")
    connection.close()


def test_asked_to_stop_while_it_starts_it_stops(open_folder: Path) -> None:
    data = open_folder / "data"
    process = start(data)
    eventually(lambda: (data / "postgres.log").exists())
    process.terminate()
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert processes(data) == {}


@pytest.mark.slow
def test_with_a_database_url_it_starts_no_postgres(open_folder: Path, database_url: str) -> None:
    data = open_folder / "data"
    environ = {"DATABASE_URL": database_url, "NOVALUNA_WEB_PROCESSES": "1", "PGDATABASE": "nonsense"}
    with up(data, environ) as running:
        assert answer(running) == 200
        assert running.pids("bin/postgres") == []
        [worker] = running.pids("service.cli worker")
        told = Path(f"/proc/{worker}/environ").read_bytes().split(b"\0")
        assert f"NOVALUNA_BASE_URL={running.address}".encode() in told
        assert not any(line.startswith(b"PGDATABASE") for line in told)
        assert running.stop(signal.SIGINT) == 0
    assert processes(data) == {}
    assert stat.S_IMODE((data / "secret-key").stat().st_mode) == 0o600
    assert not (data / "postgres").exists()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("NOVALUNA_LIMIT_SIGN_INS_PER_IP", "many", "is wrong: it must be a whole number from 0 to 1000000000."),
        ("NOVALUNA_SMPT_URL", "smtp://localhost", "is no setting. Is NOVALUNA_SMTP_URL meant?"),
    ],
)
def test_a_wrong_setting_stops_it_before_anything_is_made(open_folder: Path, name: str, value: str, why: str) -> None:
    assert refused(open_folder / "data", environ={name: value}) == f"2 novaluna: {name} {why}"
    assert not (open_folder / "data").exists()


def test_a_database_that_is_not_there_is_said(open_folder: Path) -> None:
    with socket.socket() as nobody:  # bound and not listening: refuses
        nobody.bind(("127.0.0.1", 0))
        url = f"postgresql://nova@127.0.0.1:{nobody.getsockname()[1]}/nova"
        said = refused(open_folder / "data", environ={"DATABASE_URL": url})
    assert said == "1 novaluna: The migrations failed; why stands above."
    assert "the database can't be used: it does not answer" in (open_folder / "up.err").read_text()


def refused(data: Path, *arguments: str, environ: dict[str, str] | None = None) -> str:
    """Start an `up` that fails, and return its exit code and its last words.

    The file may also hold lines of another `up` on the same folder.
    """
    process = start(data, environ, *arguments)
    out, _ = process.communicate(timeout=60)
    assert out == ""
    lines = data.with_name("up.err").read_text().splitlines()
    return f"{process.returncode} {[line for line in lines if line.startswith('novaluna: ')][-1]}"
