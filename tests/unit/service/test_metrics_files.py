"""Counting never ends a process, and the files of ended processes are put together without a count going back."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from prometheus_client.mmap_dict import mmap_key
from prometheus_client.multiprocess import MultiProcessCollector
from structlog.testing import capture_logs

from service import metrics_port
from service.config import Settings
from service.metrics_files import CountsFile, alone_in, put_together
from tests.support.running import free_port
from tests.support.web import KEYS

ROOT = Path(__file__).resolve().parents[3]
MANY = 2000
"""More entries than fit into a file before it grows."""

ROOM = 192 * 1024
"""The bytes of a disk on which two files fit, and no third."""


def key(number: int) -> str:
    return mmap_key("moves", "moves_total", ["number"], [str(number)], "Moves.")


def sums(folder: Path) -> dict[str, float]:
    collector = MultiProcessCollector(None, str(folder))  # type: ignore[no-untyped-call]
    found = collector.collect()  # type: ignore[no-untyped-call]
    return {str(sample.labels): sample.value for metric in found for sample in metric.samples}


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("service.metrics_files._warned", False)
        patched.setattr(os, "posix_fallocate", refuse)
        yield


def test_the_blocks_of_a_file_are_reserved_before_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "counter_1.db"
    made = CountsFile(str(file))
    sizes = []
    for number in range(MANY):
        made.write_value(key(number), 1.0, 0.0)  # type: ignore[no-untyped-call]
        found = file.stat()
        assert found.st_blocks * 512 >= found.st_size
        sizes.append(found.st_size)
    assert sizes[0] < sizes[-1]
    again = CountsFile(str(file))
    assert again.read_value(key(MANY - 1)) == (1.0, 0.0)  # type: ignore[no-untyped-call]
    assert [path.name for path in tmp_path.iterdir()] == ["counter_1.db"]


def test_without_room_for_a_file_counting_goes_on_unseen(tmp_path: Path, no_room: None) -> None:
    with capture_logs() as logs:
        files = [CountsFile(str(tmp_path / f"{kind}_1.db")) for kind in ("counter", "histogram")]
        for made in files:
            for number in range(MANY):
                made.write_value(key(number), 1.0, 0.0)  # type: ignore[no-untyped-call]
            assert made.read_value(key(7)) == (1.0, 0.0)  # type: ignore[no-untyped-call]
            made.close()  # type: ignore[no-untyped-call]
    assert [(line["log_level"], line["why"]) for line in logs] == [("warning", "No space left on device")]
    assert list(tmp_path.iterdir()) == [] and sums(tmp_path) == {}


def test_without_room_to_grow_a_file_stays_as_it_was(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    made = CountsFile(str(tmp_path / "counter_1.db"))
    made.write_value(key(0), 5.0, 0.0)  # type: ignore[no-untyped-call]
    request.getfixturevalue("no_room")
    for number in range(MANY):
        made.write_value(key(number), 7.0, 0.0)  # type: ignore[no-untyped-call]
    shown = sums(tmp_path)
    assert 1 < len(shown) < MANY and shown["{'number': '0'}"] == 7.0
    made.write_value(key(0), 9.0, 0.0)  # type: ignore[no-untyped-call]
    assert made.read_value(key(MANY - 1)) == (7.0, 0.0)  # type: ignore[no-untyped-call]
    assert sums(tmp_path) == shown


COUNTING = f"""
import os, sys
from service import metrics
from service.config import Settings
metrics.begin(Settings(database_url="postgresql:///", secret_keys={KEYS!r}, metrics_port=9100))
with open(os.path.join(os.environ["TMPDIR"], "rest"), "wb", buffering=0) as rest:
    try:
        while rest.write(bytes(4096)):
            pass
    except OSError:
        pass
if (child := os.fork()) == 0:
    for number in range({MANY}):
        metrics.mail(f"mail_{{number}}", "sent")
        metrics.answered("GET", f"/{{number}}", 200, 0.1)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def counting(folder: Path) -> tuple[int, str]:
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    ran = subprocess.run([sys.executable, "-c", COUNTING], env=environ, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture(params=[ROOM, 4096])
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root, where it may mount, makes a disk so small")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


@pytest.mark.slow
def test_a_full_disk_ends_no_process_that_counts(small_disk: Path) -> None:
    code, said = counting(small_disk)
    assert code == 0, said
    assert said.count("no room for metrics") == 1, said


def test_a_folder_that_cannot_be_made_stops_no_process(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    counts = COUNTING.partition("with open")[0] + "print(metrics.is_on())"
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    changed = f"import tempfile; tempfile.tempdir = {str(tmp_path / 'file')!r}\n"
    ran = subprocess.run([sys.executable, "-c", changed + counts], env=environ, capture_output=True, text=True)
    assert ran.returncode == 0 and "metrics are off" in ran.stdout and ran.stdout.endswith("False\n"), ran


def ended() -> int:
    """Return the id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_files_of_ended_processes_are_put_together_and_no_count_changes(tmp_path: Path) -> None:
    processes = [os.getpid(), ended(), ended(), ended()]
    for each, process in enumerate(processes):
        for kind in ("counter", "histogram"):
            made = CountsFile(str(tmp_path / f"{kind}_{process}.db"))
            for number in range(each, MANY, 2):
                made.write_value(key(number), float(number + each), 0.0)  # type: ignore[no-untyped-call]
    before = sums(tmp_path)
    left = {f"{kind}_{name}.db" for kind in ("counter", "histogram") for name in (os.getpid(), "ended")}
    for _ in range(2):
        put_together(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == left
        assert sums(tmp_path) == before
    more = CountsFile(str(tmp_path / f"counter_{ended()}.db"))
    more.write_value(key(2), 0.5, 0.0)  # type: ignore[no-untyped-call]
    put_together(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == left
    assert sums(tmp_path) == before | {"{'number': '2'}": before["{'number': '2'}"] + 0.5}


def test_without_room_files_of_ended_processes_stay(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file = tmp_path / f"counter_{ended()}.db"
    CountsFile(str(file)).write_value(key(1), 1.0, 0.0)  # type: ignore[no-untyped-call]
    request.getfixturevalue("no_room")
    put_together(tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_was_never_complete_goes_too(tmp_path: Path) -> None:
    (tmp_path / f"counter_{ended()}.db").touch()
    put_together(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["counter_ended.db"] and sums(tmp_path) == {}


def test_files_are_put_together_by_one_process_at_a_time(tmp_path: Path) -> None:
    with alone_in(tmp_path, seconds=0), pytest.raises(BlockingIOError), alone_in(tmp_path, seconds=0.02):
        pass
    with alone_in(tmp_path, seconds=0):
        pass


@pytest.mark.parametrize(
    ("told", "level"), [("novaluna_database_up 1.0\n", "info"), ("something_else 1.0\n", "warning")]
)
def test_another_program_at_the_port_of_metrics_is_warned_of(told: str, level: str) -> None:
    class Told(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the library's name
            self.send_response(200)
            self.end_headers()
            self.wfile.write(told.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Told) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        settings = Settings(database_url="postgresql:///", secret_keys=KEYS, metrics_port=server.server_port)
        with capture_logs() as logs:
            metrics_port._report(settings, OSError(errno.EADDRINUSE, "in use"))
        server.shutdown()
    assert [line["log_level"] for line in logs] == [level]


def test_a_port_of_metrics_where_nothing_answers_is_warned_of() -> None:
    settings = Settings(database_url="postgresql:///", secret_keys=KEYS, metrics_port=free_port())
    with capture_logs() as logs:
        metrics_port._report(settings, OSError(errno.EADDRINUSE, "in use"))
    assert [line["log_level"] for line in logs] == ["warning"]
