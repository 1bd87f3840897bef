"""Start child processes that end with their parent, however the parent ends."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO

from service.local.account import SystemAccount

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(last_signal: signal.Signals) -> None:
    """Ask the kernel to send a signal to this process when the thread that started it ends (Linux only)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(last_signal), 0, 0, 0)


def spawn(
    argv: Sequence[str | os.PathLike[str]],
    *,
    env: Mapping[str, str],
    last_signal: signal.Signals,
    account: SystemAccount | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Iterable[int] = (),
    cwd: str | os.PathLike[str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, so that Ctrl-C reaches only the parent, which then stops it in order.

    Call it from a thread that lives as long as the child should: the main thread.

    Args:
        env: the complete environment of the child.
        last_signal: the signal that the kernel sends to the child when this process dies, even by kill -9.
        account: the account to run as; None, or the caller's own, changes nothing.
    """
    parent = os.getpid()

    def before_exec() -> None:
        die_with_parent(last_signal)
        if os.getppid() != parent:  # the parent died before prctl was called
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
        preexec_fn=before_exec,  # runs after the change of user, which would reset PDEATHSIG
    )
