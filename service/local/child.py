"""Starting a process that ends with its parent, whatever becomes of that."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO

from service.local.account import Account

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(last_signal: signal.Signals) -> None:
    """Has the kernel send this signal to the calling process when the thread that started it ends (Linux only)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(last_signal), 0, 0, 0)


def spawn(
    argv: Sequence[str | os.PathLike[str]],
    *,
    env: Mapping[str, str],
    last_signal: signal.Signals,
    account: Account | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Iterable[int] = (),
    cwd: str | os.PathLike[str] | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a program in a session of its own, so that Ctrl-C reaches the parent alone, which then stops it in order.

    To be called from a thread that lives as long as the child should: the main one.

    Args:
        env: the whole environment of the child.
        last_signal: what the child gets from the kernel when this process dies, by kill -9 too.
        account: whom to become; None or the own account change nothing.
    """
    parent = os.getpid()

    def before_exec() -> None:
        die_with_parent(last_signal)
        if os.getppid() != parent:  # it died before the kernel was told
            os._exit(1)

    become = account if account is not None and not account.is_self else None
    return subprocess.Popen(
        argv,
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(pass_fds),
        cwd=cwd,
        start_new_session=True,
        user=become.uid if become else None,
        group=become.gid if become else None,
        extra_groups=[] if become else None,
        preexec_fn=before_exec,  # noqa: PLW1509  # after the change of account, which would undo the kernel's promise
    )
