"""`make play` as a newcomer meets it: it runs to the end, its printed commands work, and it leaves nothing behind.

Each turn waits for a mail with a picture, which other tests delay; so `.ci/run` plays a game by itself, and most tests
are drills.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from demo.launch import USUAL_PORT, free_port
from tests.support.running import eventually, processes

ROOT = Path(__file__).parents[2]
SECONDS = 600.0
"""The time limit for a demonstration, which takes ten seconds on an idle machine."""
STARTED = re.compile(r"It answers at (\S+) after")
DATA = re.compile(r"Its data is in (\S+),")


class Play:
    """A running demonstration: its process, and its output so far."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self._out = folder / "out"
        # The caller's settings must lead neither to a database nor to a mail server.
        environment = os.environ | {
            "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
            "NOVALUNA_SMTP_URL": "smtp://127.0.0.1:1",
            "http_proxy": "http://127.0.0.1:1",
            "TMPDIR": str(folder),
        }
        with self._out.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "demo", "--discs", "5", *arguments],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def text(self) -> str:
        return self._out.read_text()

    def await_text(self, text: str) -> str:
        """Wait until this text is in the output, and return the whole output."""
        eventually(lambda: text in self.text or self.process.poll() is not None, SECONDS)
        assert text in self.text, self.text[-3000:]
        return self.text

    def data(self) -> Path:
        found = DATA.search(" ".join(self.text.split()))
        assert found, self.text
        return Path(found[1])

    def ends(self) -> int:
        return self.process.wait(SECONDS)


@pytest.fixture
def demo(open_folder: Path) -> Iterator[Callable[..., Play]]:
    """Yield a function that starts demonstrations with small games, whose temporary files are in `open_folder`."""
    started: list[Play] = []

    def start(*arguments: str) -> Play:
        started.append(Play(open_folder, arguments))
        return started[-1]

    yield start
    for play in started:
        if play.process.poll() is None:
            play.process.terminate()
            play.process.wait(SECONDS)


def left_behind(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("nova-luna-play-")]


def shell(line: str) -> str:
    """Return the output of a command line that is pasted into a shell in the clone."""
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, (line, done.stderr)
    return done.stdout


@pytest.mark.drill
@pytest.mark.long
def test_a_game_and_the_lines_printed_after_it(demo: Callable[..., Play], open_folder: Path) -> None:
    play = demo("--port", "0")
    text = play.await_text("Ctrl-C stops the service.")
    assert "waits had their mail, each of them once" in text
    assert "`novaluna audit` has verified the record" in text
    data = play.data()
    lines = [line for line in text.splitlines() if line[:1] not in ("", " ")]
    token = next(line for line in lines if line.startswith("TOKEN=")).removeprefix("TOKEN=")
    mine, game, solo = (json.loads(shell(line)) for line in lines if line.startswith("curl "))
    assert [item["id"] for item in mine["items"]] == [game["id"]]
    assert (game["status"], game["seats"], game["goal_discs"]) == ("finished", 3, 5)
    assert solo["kind"] == "solo"

    address = STARTED.search(text)
    assert address is not None
    page = next(line for line in lines if line.startswith(f"{address[1]}/games/{game['id']}?link="))
    assert "placed the last goal disc" in shell(f"curl -sS --fail '{page}'")
    assert "<html" in shell(f"curl -sS --fail {next(line for line in lines if line.endswith('/docs'))}")
    mails = shell(next(line for line in lines if " mailbox " in line))
    assert "Your code to sign in" in mails

    log = (data.parent / "service.log").read_text()
    assert all(json.loads(line) for line in log.splitlines() if not line.startswith("novaluna: "))
    for secret in (
        token,
        "luna@example.org",
        "Stella",
        page.partition("=")[2],
        *re.findall(r"\w{5}-\w{5}$", mails, re.MULTILINE),
    ):
        assert secret not in log

    play.process.send_signal(signal.SIGINT)
    assert play.ends() == 0, play.text[-2000:]
    assert left_behind(open_folder) == []
    assert processes(data) == {}


@pytest.mark.drill
@pytest.mark.long
def test_once_it_ends_by_itself(demo: Callable[..., Play], open_folder: Path) -> None:
    play = demo("--once", "--port", "0")
    assert play.ends() == 0, play.text[-3000:]
    assert "`novaluna audit` has verified the record" in play.text
    assert "Now you" not in play.text
    assert left_behind(open_folder) == []


@pytest.mark.drill
@pytest.mark.long
def test_stopped_in_the_midst(demo: Callable[..., Play], open_folder: Path) -> None:
    play = demo("--port", "0")
    play.await_text("Luna: POST /v1/games")
    play.process.terminate()
    assert play.ends() == 130
    assert left_behind(open_folder) == []


def test_a_service_that_fails_is_said_with_its_reason(demo: Callable[..., Play], open_folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        play = demo("--once", "--port", str(taken.getsockname()[1]))
        assert play.ends() == 1
    assert "Failed: the service ended before it was ready" in play.text
    assert "can't be used" in play.text
    assert left_behind(open_folder) == []


@pytest.mark.drill
@pytest.mark.long
def test_a_service_that_dies_in_the_midst(demo: Callable[..., Play], open_folder: Path) -> None:
    play = demo("--port", "0")
    play.await_text("is invited by mail")
    own = play.process.pid
    (launcher,) = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    os.kill(int(launcher), signal.SIGKILL)
    assert play.ends() == 1
    assert "Failed:" in play.text
    assert left_behind(open_folder) == []


def test_the_port() -> None:
    assert free_port(1234) == 1234
    with socket.socket() as other:
        try:
            other.bind(("127.0.0.1", USUAL_PORT))
            other.listen()
        except OSError:
            pass  # another program has the port, which is as good
        assert free_port(None) == 0


def test_make_play_passes_ONCE_and_PORT() -> None:
    make = ["make", "--dry-run", "--no-print-directory", "play", "ONCE=1", "PORT=8123"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of a make around it
    done = subprocess.run(make, cwd=ROOT, env=alone, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == ".venv/bin/python -m demo --once --port 8123"
