"""The command `novaluna export`: write a data set of the site's public games."""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

from service.console import say
from service.exit_codes import BAD_USAGE, FAILED, OK


def add_commands(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command to the command line; `add` returns the parser of a new command by its name and description."""
    export = add("export", "Write the moves of all finished public games to a Parquet file.")
    export.add_argument("--parquet", metavar="FILE", required=True, help="the file; one that is there is replaced")
    export.add_argument("--data", metavar="DIR", help="the data folder, as for up")
    export.set_defaults(run=lambda given: export_parquet(Path(given.parquet), given.data))


def export_parquet(path: Path, data: str | None) -> int:
    """Write the data set and return the exit code: 1 if it cannot be written, 2 if pyarrow is missing."""
    if importlib.util.find_spec("pyarrow") is None:
        say("Parquet needs pyarrow, which is not installed: pip install 'nova-luna-by-post[parquet]'")
        return BAD_USAGE
    from flask import current_app

    from service.api.context import context_of
    from service.app import create_app
    from service.parquet_file import write
    from service.queries.data_set import public_games
    from service.store.connecting import OWNER
    from service.up import database_settings

    settings = database_settings(data, os.environ)
    try:
        with create_app(settings, policy=OWNER).app_context():
            games, rows = write(path, public_games(context_of(current_app).pool))
    except OSError as error:
        say(f"{path} can't be written: {error.strerror or error}")
        return FAILED
    say(f"{games} games, {rows} moves")
    return OK
