"""Ports and addresses that the web server cannot listen on are refused before it starts, with exit code 2."""

import os
import subprocess
import sys

import pytest

from service.config import ConfigError
from service.exit_codes import BAD_USAGE
from service.webserver.binds import check_binds


@pytest.mark.parametrize("port", ["70000", "abc", "", "-1", "0", "8000x", "٨٠"])
def test_a_port_that_cannot_be_is_refused(port: str) -> None:
    with pytest.raises(ConfigError, match=r"^PORT is wrong: it must be a number from 1 to 65535\.$"):
        check_binds({"PORT": port}, [])


@pytest.mark.parametrize(
    "bind", ["127.0.0.1:99999", "127.0.0.1:abc", "[::1]:65536", "mx1..example.org:80", "fd://x", "localhost:1,:70000"]
)
def test_an_address_that_cannot_be_is_refused(bind: str) -> None:
    with pytest.raises(ConfigError, match=r"^GUNICORN_CMD_ARGS is wrong: .* such as 127\.0\.0\.1:8000"):
        check_binds({"GUNICORN_CMD_ARGS": f"--workers 2 --bind {bind}"}, [])
    with pytest.raises(ConfigError, match=r"^--bind is wrong: "):
        check_binds({}, ["-c", "python:service.gunicorn_conf", "-b", bind, "service.wsgi:app"])


@pytest.mark.parametrize("bind", ["10.0.0.21:8000", "[::1]:0", "unix:/run/nova.sock", "fd://7", ":8000", "localhost"])
def test_what_gunicorn_can_listen_on_is_taken(bind: str) -> None:
    check_binds({"PORT": "65535", "GUNICORN_CMD_ARGS": f"--bind={bind}"}, ["--bind", bind, "service.wsgi:app"])


@pytest.mark.slow
def test_a_wrong_port_ends_the_web_server_with_exit_code_2() -> None:
    environ = os.environ | {"PORT": "70000", "DATABASE_URL": "postgresql:///none", "NOVALUNA_SECRET_KEY": "x" * 32}
    arguments = ["-m", "gunicorn", "-c", "python:service.gunicorn_conf", "service.wsgi:app"]
    ended = subprocess.run(
        [sys.executable, *arguments],
        env=environ | {"NOVALUNA_DATA": "/tmp"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (BAD_USAGE, "")
    assert ended.stderr == "novaluna: PORT is wrong: it must be a number from 1 to 65535.\n"
