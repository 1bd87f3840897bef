"""The system account that Postgres runs as under root, created if it does not exist.

A process can read the files of every other process of its account. A shared account such as `nobody` would therefore
expose the database to other programs.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

NAME = "nova-luna"
FORMER = "nobody"
"""The account that releases up to 0.1 ran Postgres as."""

_LOCK = "/run/nova-luna-account.lock"
"""The lock that a first start holds while it creates the account; only root can open it."""

_SECONDS = 30.0
_HOME, _SHELL = "/nonexistent", "/usr/sbin/nologin"
_COMMANDS = (
    ("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", _HOME, "--shell", _SHELL, NAME),
    ("adduser", "-S", "-D", "-H", "-h", _HOME, "-s", "/sbin/nologin", NAME),  # BusyBox
)


class SystemAccount(NamedTuple):
    """An account's entry in the password database, and why Postgres shares the account; None if it does not."""

    entry: pwd.struct_passwd
    why_shared: str | None


@cache
def system_account() -> SystemAccount:
    """Return the account for Postgres; the caller must be root.

    Raises:
        KeyError: no account can be created, and there is no `nobody` either.
    """
    if (own := _entry(NAME)) is not None:
        return SystemAccount(own, None)
    with _exclusively():
        if (own := _entry(NAME)) is not None:  # created while this process waited
            return SystemAccount(own, None)
        why = _create()
        if (own := _entry(NAME)) is not None:
            return SystemAccount(own, None)
    return SystemAccount(pwd.getpwnam(FORMER), why)


@contextmanager
def _exclusively() -> Iterator[None]:
    """Wait until no other process is creating the account, and hold the lock meanwhile.

    useradd checks for the account before it takes its own lock, and then overwrites the entry that another process
    wrote in between; the user id that this other process was given would then belong to nobody.
    """
    try:
        descriptor = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # no /run, or nothing can be created anyway
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        return None
    return found if found.pw_uid != 0 else None


def _create() -> str:
    """Try to create the account; return the program's error message, which is the reason if there is still none."""
    for command in _COMMANDS:
        program = shutil.which(command[0], path="/usr/sbin:/sbin:/usr/bin:/bin")
        if program is None:
            continue
        try:
            done = subprocess.run(
                [program, *command[1:]], capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return (
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"{program} ended with {done.returncode}"
        )
    return "there is neither useradd nor adduser"
