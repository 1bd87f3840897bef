"""As whom Postgres runs, and where that account may go."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from service.local.errors import LocalError
from service.local.system_account import FORMER, NAME, system_account


@dataclass(frozen=True)
class Account:
    """An account of the machine, without any further groups. `why_shared`: it is not Postgres' own, as none could be made;
    None: it is, or is the caller's."""

    name: str
    uid: int
    gid: int
    why_shared: str | None = None

    @property
    def is_self(self) -> bool:
        """Whether this process runs as the account already."""
        return os.geteuid() == self.uid


def postgres_account() -> Account:
    """Return the account that Postgres runs as: the caller's; for root, whom Postgres refuses, a system account of its own,
    which is made if there is none, or where that can't be, `nobody`.

    Raises:
        LocalError: root on a machine where neither can be had.
    """
    uid = os.geteuid()
    if uid != 0:
        return Account(_name(uid), uid, os.getegid())
    try:
        entry, why_shared = system_account()
    except KeyError:
        raise LocalError(
            f"Postgres refuses to run as root, and this machine has neither an account `{NAME}` nor `{FORMER}`. "
            "Start as another user, or set DATABASE_URL."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, why_shared)


def former_uid() -> int | None:
    """Return the number of the account that root's Postgres ran as in former releases, if the machine has it."""
    try:
        return pwd.getpwnam(FORMER).pw_uid
    except KeyError:
        return None


def owner(path: Path) -> str:
    """The name of the account that a file belongs to, or its number where it has no name."""
    return _name(path.stat().st_uid)


def blocking_folder(path: Path, account: Account) -> Path | None:
    """The topmost folder on the way to ``path``, itself included, that the account may not pass; None if it gets there.

    What doesn't exist yet blocks nobody. Goes by owner, group and mode; a machine with finer access lists may differ.
    """
    real = path.resolve()
    for folder in (*reversed(real.parents), real):
        try:
            status = folder.stat()
        except FileNotFoundError:
            return None
        except PermissionError:
            return folder.parent
        if account.uid == 0:
            continue
        bit = stat.S_IXOTH
        if status.st_uid == account.uid:
            bit = stat.S_IXUSR
        elif status.st_gid == account.gid:
            bit = stat.S_IXGRP
        if not status.st_mode & bit:
            return folder
    return None


def give(folder: Path, former: int, account: Account) -> None:
    """Give a folder, with all in it that belongs to the account numbered `former`, to another account. No link is followed;
    the folder itself comes last, so that what was broken off is done at the next try."""
    for path, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files):
            _give(os.path.join(path, name), former, account)
    _give(folder, former, account)


def _give(path: str | Path, former: int, account: Account) -> None:
    if os.lstat(path).st_uid == former:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
