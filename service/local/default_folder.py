"""Where the data goes when nobody says."""

import hashlib
import os
from pathlib import Path

from service.local.account import blocking_folder, postgres_account

_FOR_ROOT = Path("/var/lib")


def default_data(here: Path) -> tuple[Path, str | None]:
    """The data folder of somebody who works in the folder ``here``: ``data`` in it.

    Where the account that Postgres runs as can't get there (root in a folder that others may not enter), it is one
    in /var/lib, named by ``here``.

    Returns:
        The folder, and a sentence for people if it isn't where they would look for it.
    """
    account = postgres_account()
    usual = here / "data"
    blocking = blocking_folder(usual, account)
    # A closed data folder of root's own is opened by the launcher.
    if blocking is None or (blocking == usual.resolve() and usual.stat().st_uid == os.geteuid()):
        return usual, None
    name = f"nova-luna-by-post-{here.name}-{hashlib.sha256(os.fsencode(here)).hexdigest()[:8]}"
    folder = _FOR_ROOT / name
    return folder, f"The data is in {folder}: Postgres runs as `{account.name}`, who may not pass {blocking}."
