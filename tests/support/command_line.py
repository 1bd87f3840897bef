"""Run the command line `novaluna` in this process, which saves the second that a process of its own takes to start."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from service import cli
from tests.support import log_setup


class Ran(NamedTuple):
    """The result of a command: its exit code and its output."""

    code: int
    out: str
    err: str


def environ(database_url: str, data: Path) -> dict[str, str]:
    """Return the settings that the commands need for a database and a data folder."""
    return {"DATABASE_URL": database_url, "NOVALUNA_SECRET_KEY": "k" * 32, "NOVALUNA_DATA": str(data)}


def run(arguments: tuple[str, ...], database_url: str, data: Path) -> Ran:
    """Run a command on a database, with no environment but the settings that it needs, and return its result."""
    return run_in(environ(database_url, data), *arguments)


def run_in(environ: Mapping[str, str], *arguments: str) -> Ran:
    """Run a command with this environment, and return its result."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True), io.StringIO()
    with (
        mock.patch.dict(os.environ, environ, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
        log_setup.kept(),
    ):
        try:
            code = cli.main(arguments)
        except SystemExit as ended:  # argparse ends so
            code = int(ended.code or 0)
    assert isinstance(out.buffer, io.BytesIO)
    return Ran(code, out.buffer.getvalue().decode(), err.getvalue())
