"""The secret key of an installation that was configured without one."""

import os
import secrets
import tempfile
from pathlib import Path

from service.local.errors import LocalError


def load_or_create_key(folder: Path) -> str:
    """Return the key in the data folder's file ``secret-key``; create the folder and the key if they are missing.

    Only their owner can read them.

    Raises:
        LocalError: others can read the file, or the folder cannot be written to.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _key(folder / "secret-key")
    except OSError as error:
        raise LocalError(f"The data folder {folder} can't be used: {error.strerror}.") from None


def _key(path: Path) -> str:
    if not path.exists():
        # Written to another file and linked, so that nobody reads half a key, and two at once get the same one.
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".secret-key-")
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(descriptor)
        try:
            os.link(name, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(name)
    if path.stat().st_mode & 0o077:
        raise LocalError(f"{path} can be read by others. Close it: chmod 600 {path}")
    return path.read_text().strip()
