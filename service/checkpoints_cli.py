"""The commands `novaluna checkpoints …`: see how the logs stand, make a checkpoint, change keys, and close a log."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from service.admin_cli import commands_below
from service.config import Settings, checkpoint_seeds
from service.console import say, write
from service.exit_codes import BAD_USAGE, FAILED, OK
from service.host_cli import reason
from service.local import checkpoint_keys

if TYPE_CHECKING:
    from sqlalchemy.orm import Session, sessionmaker

OVERLAP = timedelta(days=90)
"""How long both keys sign before the old one is dropped."""

_KEYS = "NOVALUNA_CHECKPOINT_KEYS"


def add_commands(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands to the command line; `add` returns the parser of a new command by its name and description."""
    below = commands_below(add("checkpoints", "See, make and sign checkpoints over the logs of all games."))
    for label, act, text in (
        (
            "status",
            _status,
            "Print the logs, their keys, and what keeps them from going on. Exit code 1: something does.",
        ),
        ("make", _make, "Make a checkpoint now: sign and publish what is stored, then all that has changed."),
        ("rotate", _rotate, "Add a new key beside the old one; 90 days later, drop the old one."),
        ("close", _close, "Close the open log for good; the next checkpoint begins the next log."),
    ):
        parser = below.add_parser(label, help=text, description=text, allow_abbrev=False)
        parser.add_argument("--data", metavar="DIR", help="the data folder, as for up")
        parser.set_defaults(run=lambda given, act=act: _run(given, act))
        if label == "close":
            parser.add_argument("--reason", type=reason, required=True, metavar="TEXT", help="1 to 200 characters")


def _run(arguments: argparse.Namespace, act: Callable[[argparse.Namespace, Settings, Path], int]) -> int:
    """Run a command with the settings and the data folder; what it refuses is printed."""
    from service import logs
    from service.commands import checkpoint_policy
    from service.errors import Refusal
    from service.up import data_folder, database_settings

    logs.configure(sys.stderr, logging.WARNING)
    folder, _ = data_folder(arguments.data, os.environ)
    settings = database_settings(arguments.data, os.environ)
    seeds = None if settings.checkpoint_keys else checkpoint_keys.load(folder)
    if seeds is not None:
        settings = replace(settings, checkpoint_keys=checkpoint_seeds(seeds))
    checkpoint_policy.check(settings)
    try:
        return act(arguments, settings, folder)
    except Refusal as refusal:
        say(f"{refusal.code}: {refusal.detail}")
        return FAILED


def _sessions(settings: Settings) -> sessionmaker[Session]:
    from service.jobs.checkpoints import BATCH
    from service.jobs.worker_context import sessions

    return sessions(settings, 1, BATCH)


def _make(arguments: argparse.Namespace, settings: Settings, folder: Path) -> int:
    from service.jobs.checkpoints import CheckpointMaker
    from service.store import checkpoints
    from service.store.clock import by_sessions

    if not settings.checkpoint_keys:
        say(f"{_KEYS} is not set. This is a new seed for it: {checkpoint_keys.new_seed()}")
        return BAD_USAGE
    make_session = _sessions(settings)
    with make_session() as session:
        before = len(checkpoints.logs(session))
    CheckpointMaker(settings, make_session, by_sessions(make_session)).run(at_once=True)
    with make_session() as session:
        log = checkpoints.newest_log(session)
        assert log is not None, "a batch was made in it"
        signed = checkpoints.newest_note(session, log.number, checkpoints.SIGNED)
        assert signed is not None, "a refusal would have been raised"
        published = checkpoints.note_of(session, log.number, signed.size)
        has_begun = len(checkpoints.logs(session)) > before
    if has_begun and not os.environ.get("NOVALUNA_BASE_URL"):
        say(f"NOVALUNA_BASE_URL is not set, so the log that has begun is named {log.origin}, and keeps that name")
    if published is None:
        say(f"log {log.number}: size {signed.size} is signed, and waits for witnesses; the worker publishes it")
    else:
        write(published.note)
    return OK


def _status(arguments: argparse.Namespace, settings: Settings, folder: Path) -> int:
    from service.commands import checkpoint_status
    from service.store.clock import read

    with _sessions(settings)() as session:
        status = checkpoint_status.read(session, settings, read(session))
    for line in status.lines:
        write(f"{line}\n")
    for problem in status.problems:
        say(problem)
    return FAILED if status.problems else OK


def _rotate(arguments: argparse.Namespace, settings: Settings, folder: Path) -> int:
    """Write the keys anew in the data folder, or print what is to be done if they are in the environment."""
    from service.store.clock import read

    is_given = bool(os.environ.get(_KEYS))
    seeds = (os.environ.get(_KEYS) or checkpoint_keys.load(folder) or "").split()
    with _sessions(settings)() as session:
        wait_until = _second_since(session, settings)
        now = read(session)
    if len(seeds) == 2:
        if wait_until is None or now < wait_until:
            when = "when it has been entered" if wait_until is None else f"on {wait_until:%Y-%m-%d}"
            say(f"Both keys sign for 90 days, so that everybody learns of the new one. Drop the old one {when}.")
            return FAILED
        seeds = seeds[1:]
        done = "the old key is dropped"
    else:
        seeds = [*seeds, checkpoint_keys.new_seed()]
        done = "there is a new key beside the old one"
    if is_given:
        write(" ".join(seeds) + "\n")
        say(f"Set {_KEYS} to this line, and start the worker again.")
    else:
        checkpoint_keys.replace(folder, seeds)
        say(f"{done}; start the service again, so that it uses it")
    return OK


def _second_since(session: Session, settings: Settings) -> datetime | None:
    """Return when the second key has signed for long enough in the open log; None if it is in no open log."""
    from service.checkpoints.keys import SigningKey
    from service.store import checkpoints

    log = checkpoints.newest_log(session)
    if log is None or log.closed_at is not None or len(settings.checkpoint_keys) < 2:
        return None
    vkey = SigningKey(log.origin, settings.checkpoint_keys[1]).public.vkey
    added = [key.added_at for key in checkpoints.keys(session, log.number) if key.vkey == vkey]
    return added[0] + OVERLAP if added else None


def _close(arguments: argparse.Namespace, settings: Settings, folder: Path) -> int:
    from service.commands import checkpoint_logs
    from service.commands.checkpoint_folder import NoteFolder
    from service.store.clock import read

    with _sessions(settings).begin() as session:
        number = checkpoint_logs.close(
            session, NoteFolder(settings.data_dir), settings.base_url, arguments.reason, read(session)
        )
    say(f"log {number} is closed; the next checkpoint begins the next log")
    return OK
