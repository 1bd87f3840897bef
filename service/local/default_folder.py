"""The data folder that is used when none is configured."""

import hashlib
import os
from pathlib import Path

from service.local.account import blocking_folder, postgres_account

_FOR_ROOT = Path("/var/lib")


def default_data(here: Path) -> tuple[Path, str | None]:
    """Return the data folder for a user who works in the folder ``here``: the folder ``data`` in it.

    If the account that Postgres runs as cannot get there (root in a folder that others cannot enter), it is a folder in
    /var/lib instead, named after ``here``.

    Returns:
        The folder, and a sentence for the user if it is not where they would look for it.
    """
    account = postgres_account()
    usual = here / "data"
    blocking = blocking_folder(usual, account)
    # A closed data folder that root owns is opened by the launcher.
    if blocking is None or (blocking == usual.resolve() and usual.stat().st_uid == os.geteuid()):
        return usual, None
    name = f"nova-luna-by-post-{here.name}-{hashlib.sha256(os.fsencode(here)).hexdigest()[:8]}"
    folder = _FOR_ROOT / name
    return folder, f"The data is in {folder}: Postgres runs as `{account.name}`, who may not pass {blocking}."
