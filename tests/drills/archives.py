"""The archive of a Postgres by the shipped configuration of pgBackRest."""

from pathlib import Path

PGBACKREST_CONF = Path(__file__).parents[2] / "ops" / "pgbackrest" / "pgbackrest.conf"
STANZA = "nova"

FOLDERS = ("lock", "log", "spool")
"""What pgBackRest needs beside the backups."""


def configuration(
    *, repository: Path, folder: Path, data: Path, socket: Path, user: str = "postgres", database: str = "nova"
) -> str:
    """Return the shipped configuration with the folders of a drill; what is not a place stays as it is.

    Args:
        repository: the folder of the backups.
        folder: the folder of a host, with folders of the names in `FOLDERS`.
        data, socket: the folders of Postgres.
        user, database: a role that may back up, and a database that it may connect to.
    """
    told = PGBACKREST_CONF.read_text()
    changes = {
        "repo1-path=/var/lib/pgbackrest": f"repo1-path={repository}",
        "/var/log/pgbackrest": str(folder / "log"),
        # Locks would be in /tmp/pgbackrest, which belongs to the first account that uses it.
        "spool-path=/var/spool/pgbackrest": f"spool-path={folder / 'spool'}\nlock-path={folder / 'lock'}",
        "/var/lib/postgresql/15/nova": str(data),
        "/run/postgresql": str(socket),
        "pg1-user=postgres": f"pg1-user={user}",
        "pg1-database=nova": f"pg1-database={database}",
    }
    for old, new in changes.items():
        assert old in told, old
        told = told.replace(old, new)
    return told
