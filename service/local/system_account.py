"""The system account that Postgres runs as under root, made where there is none yet.

Any process of an account can read the files of that account, so one that others share, as `nobody` is, would open the
database to them.
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
"""As whom releases until 0.1 ran it."""

_LOCK = "/run/nova-luna-account.lock"
"""What one of several first starts holds while it makes the account; only root can open it."""

_SECONDS = 30.0
_HOME, _SHELL = "/nonexistent", "/usr/sbin/nologin"
_MAKERS = (
    ("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", _HOME, "--shell", _SHELL, NAME),
    ("adduser", "-S", "-D", "-H", "-h", _HOME, "-s", "/sbin/nologin", NAME),  # of BusyBox
)


class Found(NamedTuple):
    """An account's entry, and why it is not one of its own; None: it is."""

    entry: pwd.struct_passwd
    why_shared: str | None


@cache
def system_account() -> Found:
    """Return the account for Postgres; to be called as root.

    Raises KeyError where none can be made, and there is no `nobody` either.
    """
    if (own := _entry(NAME)) is not None:
        return Found(own, None)
    with _alone():
        if (own := _entry(NAME)) is not None:  # made while this process waited
            return Found(own, None)
        why = _make()
        if (own := _entry(NAME)) is not None:
            return Found(own, None)
    return Found(pwd.getpwnam(FORMER), why)


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process makes the account. useradd looks whether there is one before it takes its own lock, and
    then writes over what another made meanwhile, so that the number which that one was told is nobody's."""
    try:
        descriptor = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # a machine without /run, or one where nothing can be made anyway
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


def _make() -> str:
    """Make the account, and return what was said, which is why if it is not there then."""
    for command in _MAKERS:
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
