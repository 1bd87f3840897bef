"""A Postfix of Debian's package in folders of its own, configured as docs/MAIL-IN.md says."""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.running import eventually

DOCUMENT = Path(__file__).parents[3] / "docs" / "MAIL-IN.md"
_PROGRAMS = Path("/usr/lib/postfix/sbin")

MISSING = (
    None
    if (_PROGRAMS / "master").exists() and os.geteuid() == 0
    else "needs root and a Postfix: apt-get install postfix"
)
"""The reason why Postfix cannot run here, and the remedy; None if it can."""

_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
daemon_directory = {programs}
command_directory = /usr/sbin
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
mydestination =
alias_maps =
alias_database =
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
minimal_backoff_time = 1s
maximal_backoff_time = 1s
queue_run_delay = 1s
"""

_MASTER = """
{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


def told(heading: str) -> str:
    """Return the first code block after this heading in the document."""
    found = re.search(r"^```\n(.*?)^```$", DOCUMENT.read_text().partition(heading)[2], re.DOTALL | re.MULTILINE)
    assert found, heading
    return found[1]


@contextmanager
def postfix(folder: Path, main: str, checks: str, receiver: int) -> Iterator[int]:
    """Run Postfix until the end of the block, and give the port at which it takes mail.

    Args:
        folder: a folder that Postfix's own accounts can reach.
        main: main.cf as the document has it.
        checks: header_checks as the document has it.
        receiver: the port of the receiver, in place of the one in the document.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "etc"
    for name in ("etc", "queue", "data"):
        (folder / name).mkdir(mode=0o755)
    shutil.chown(folder / "data", "postfix")
    main = main.replace("127.0.0.1:8024", f"127.0.0.1:{receiver}").replace("/etc/postfix", str(config))
    (config / "main.cf").write_text(_MAIN.format(folder=folder, programs=_PROGRAMS) + main)
    (config / "master.cf").write_text(_MASTER.format(port=f"127.0.0.1:{port}"))
    (config / "header_checks").write_text(checks)
    command = ("/usr/sbin/postfix", "-c", str(config))
    subprocess.run([*command, "check"], check=True, capture_output=True, timeout=60)
    subprocess.run([*command, "start"], check=True, capture_output=True, timeout=60)
    try:
        eventually(lambda: _answers(port))
        yield port
    finally:
        master = int((folder / "queue" / "pid" / "master.pid").read_text())
        subprocess.run([*command, "abort"], check=False, capture_output=True, timeout=60)
        eventually(lambda: _is_gone(master))


def _is_gone(pid: int) -> bool:
    """Return whether a process has ended, and kill it if it has not."""
    if not Path(f"/proc/{pid}").exists():
        return True
    os.kill(pid, signal.SIGKILL)
    return False


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            return connection.recv(4) == b"220 "
    except OSError:
        return False
