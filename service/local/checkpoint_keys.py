"""The keys for checkpoints of an installation that was configured without any."""

import base64
import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path

from service.local.errors import LocalError

_NAME = "checkpoint-keys"
_SEED_BYTES = 32


def new_seed() -> str:
    """Return a new random seed in base64."""
    return base64.b64encode(secrets.token_bytes(_SEED_BYTES)).decode()


def load(folder: Path) -> str | None:
    """Return the seeds in the data folder's file ``checkpoint-keys``, parted by spaces; None if there is none.

    Raises:
        LocalError: others can read the file, or it cannot be read.
    """
    path = folder / _NAME
    try:
        if not path.exists():
            return None
        if path.stat().st_mode & 0o077:
            raise LocalError(f"{path} can be read by others. Close it: chmod 600 {path}")
        return " ".join(path.read_text().split())
    except OSError as error:
        raise LocalError(f"{path} can't be used: {error.strerror}.") from None


def load_or_create(folder: Path) -> str:
    """Return the seeds in the data folder's file ``checkpoint-keys``; create the folder and a seed if they are missing.

    Only their owner can read them.

    Raises:
        LocalError: others can read the file, or the folder cannot be written to.
    """
    found = load(folder)
    if found is None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(folder, [new_seed()], overwrite=False)
        except OSError as error:
            raise LocalError(f"The data folder {folder} can't be used: {error.strerror}.") from None
        found = load(folder)
    assert found is not None, "it was written a moment ago"
    return found


def replace(folder: Path, seeds: Sequence[str]) -> None:
    """Write these seeds in place of those that are there.

    Raises:
        LocalError: the folder cannot be written to.
    """
    try:
        _write(folder, seeds, overwrite=True)
    except OSError as error:
        raise LocalError(f"{folder / _NAME} can't be written: {error.strerror}.") from None


def _write(folder: Path, seeds: Sequence[str], *, overwrite: bool) -> None:
    # Written to another file and moved or linked, so that nobody reads half of it, and two at once get the same one.
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{_NAME}-")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write("".join(f"{seed}\n" for seed in seeds))
            file.flush()
            os.fsync(descriptor)
        if overwrite:
            os.replace(name, folder / _NAME)
        else:
            os.link(name, folder / _NAME)
    except FileExistsError:
        pass
    finally:
        Path(name).unlink(missing_ok=True)
