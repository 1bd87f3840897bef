"""The system account that Postgres runs as under root, made where there is none yet.

Any process of an account can read the files of that account, so one that others share, as `nobody` is, would open the
database to them.
"""

from __future__ import annotations

import pwd
import shutil
import subprocess
from functools import cache
from typing import NamedTuple

NAME = "nova-luna"
FORMER = "nobody"
"""As whom releases until 0.1 ran it."""

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
    why = _make()
    if (own := _entry(NAME)) is not None:  # another process may have made it, too
        return Found(own, None)
    return Found(pwd.getpwnam(FORMER), why)


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
