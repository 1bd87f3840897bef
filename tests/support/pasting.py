"""Paste the commands of a document into a shell, as its readers do."""

import re
import subprocess
from pathlib import Path

from service.mail.maildir import Maildir, address_of

ROOT = Path(__file__).parents[2]

_DONE = "the block is done"

_STRICT = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n'
"""A curl that fails if the response is an error, and then the shell fails too."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def has_mail(maildir: Maildir, reader: str) -> bool:
    """Return whether a mail to this address has been delivered."""
    return any(address_of(mail) == reader for mail in maildir.messages())


class Shell:
    """A shell that blocks of commands are pasted into; it ends at the first command that fails."""

    def __init__(self, data: Path) -> None:
        self._process = subprocess.Popen(
            ["bash"],
            cwd=ROOT,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "NOVALUNA_DATA": str(data), "LANG": "C.UTF-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._write(_STRICT)

    def paste(self, block: str) -> str:
        """Run a block of commands, and return its output."""
        self._write(f"{block}\necho; echo {_DONE}\n")
        assert self._process.stdout is not None
        printed: list[str] = []
        for line in self._process.stdout:
            if line.strip() == _DONE:
                return "".join(printed)
            printed.append(line)
        raise AssertionError(f"a command failed in\n{block}\nwhich printed\n{''.join(printed)}")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()
