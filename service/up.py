"""The command `novaluna up`: run the whole service on one machine."""

import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from service.config import ConfigError, Settings
from service.console import flush, say, write
from service.local import checkpoint_keys
from service.local.default_folder import default_data
from service.local.errors import FolderInUse, LocalError
from service.local.postgres import Postgres
from service.local.secret_key import load_or_create_key
from service.local.supervisor import Command, Plan, listen, supervise

# Variables that child processes inherit beside DATABASE_URL and NOVALUNA_…: those that the interpreter, temporary
# files and certificate checks depend on.
_PASSED_ON = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", "TZ")
# Connections of a web server process beside those of its requests (docs/OPERATING.md has them).
_BESIDE_REQUESTS = 4
# Connections that Postgres allows beside the web server's pools: for the worker, the receiver, migrations and people.
_SPARE_CONNECTIONS = 60
_MAILIN_PORT = 8025
_OWNER = "NOVALUNA_OWNER_URL"
_KEYS = "NOVALUNA_CHECKPOINT_KEYS"
_STAND_INS = {"DATABASE_URL": "postgresql:///novaluna", "NOVALUNA_SECRET_KEY": "-" * 32}


def data_folder(given: str | None, environ: Mapping[str, str]) -> tuple[Path, str | None]:
    """Return the data folder: the given one, else NOVALUNA_DATA, else the default for the current folder.

    Returns:
        The folder, and a sentence for the user if it is not where they would look for it.
    """
    named = given or environ.get("NOVALUNA_DATA")
    if named:
        return Path(named).expanduser().absolute(), None
    if environ.get("DATABASE_URL"):  # no embedded Postgres that would need access to it
        return Path.cwd() / "data", None
    return default_data(Path.cwd())


def bin_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the Postgres programs from NOVALUNA_POSTGRES_BIN; None: use the wheel's."""
    named = environ.get("NOVALUNA_POSTGRES_BIN")
    return Path(named).expanduser().absolute() if named else None


def database_settings(data: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings for a command that only uses the database: that of DATABASE_URL, else of `novaluna up`.

    Such a command creates and checks no secrets and sends no mail, so it requires no settings for these.

    Args:
        data: the data folder; None: see `data_folder`.
        environ: the environment variables.

    Raises:
        ConfigError: a variable is wrong, or there is no database.
        LocalError: this account could not run the Postgres in the folder.
    """
    folder, _ = data_folder(data, environ)
    given = {name: value for name, value in environ.items() if value}
    if "DATABASE_URL" not in given and os.path.exists(folder / "postgres"):
        postgres = Postgres(folder)
        given |= {"DATABASE_URL": postgres.service_url, _OWNER: postgres.url}
    key = {"NOVALUNA_SECRET_KEY": _STAND_INS["NOVALUNA_SECRET_KEY"]}
    return Settings.from_environ(key | given | {"NOVALUNA_DATA": str(folder)})


@contextmanager
def existing_database(data: str | None, environ: Mapping[str, str]) -> Iterator[Settings]:
    """Yield the settings of a database as `database_settings` does; run the folder's own Postgres unless it runs."""
    settings = database_settings(data, environ)
    with ExitStack() as stack:
        if not environ.get("DATABASE_URL"):
            folder, _ = data_folder(data, environ)
            with suppress(FolderInUse):  # `novaluna up` runs there, and so does its Postgres
                stack.enter_context(Postgres(folder, bin_folder=bin_folder(environ)))
        yield settings


def keyed_settings(data: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings for a command that needs the secret key too: NOVALUNA_SECRET_KEY, else that of `novaluna up`.

    Raises:
        ConfigError: a variable is wrong, or there is no database or no key.
        LocalError: this account could not run the Postgres in the folder.
    """
    folder, _ = data_folder(data, environ)
    if not environ.get("NOVALUNA_SECRET_KEY"):
        if not (folder / "secret-key").exists():
            raise ConfigError(
                f"NOVALUNA_SECRET_KEY is not set, and there is none in {folder}. Give the one that the service has."
            )
        environ = {**environ, "NOVALUNA_SECRET_KEY": load_or_create_key(folder)}
    return database_settings(data, environ)


def up(port: int, mailin_port: int | None, data: str | None, environ: Mapping[str, str]) -> None:
    """Run the service until it is asked to stop.

    Args:
        port: the port for HTTP on this machine; 0: any free one.
        mailin_port: the port for incoming mail on this machine, unless NOVALUNA_MAILIN is set; 0: any free one; None:
            the usual one, or any free one if that is in use.
        data: the data folder; None: see `data_folder`.
        environ: the environment variables.

    Raises:
        ConfigError: a variable is wrong.
        LocalError: the service cannot be started on this machine.
    """
    folder, note = data_folder(data, environ)
    listener = listen(port)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    environment = {name: environ[name] for name in _PASSED_ON if name in environ}
    environment["NOVALUNA_BASE_URL"] = address
    mailin = None if environ.get("NOVALUNA_MAILIN") else _mailin_listener(mailin_port)
    if mailin is not None:
        environment["NOVALUNA_MAILIN"] = f"smtp://127.0.0.1:{mailin.getsockname()[1]}"
    environment |= {name: value for name, value in environ.items() if name.startswith("NOVALUNA_") and value}
    environment["NOVALUNA_DATA"] = str(folder)
    if environ.get("DATABASE_URL"):
        environment["DATABASE_URL"] = environ["DATABASE_URL"]
    # Everything is checked before anything is created; what is created later has a placeholder until then.
    settings = Settings.from_environ(_STAND_INS | environment)
    if note:
        say(note)
    postgres = None if "DATABASE_URL" in environment else _postgres(folder, settings, environ)
    if postgres is not None:
        if postgres.shared_account:
            say(postgres.shared_account)
        postgres.prepare()
        environment |= {"DATABASE_URL": postgres.service_url, _OWNER: postgres.url}
    if "NOVALUNA_SECRET_KEY" not in environment:
        environment["NOVALUNA_SECRET_KEY"] = load_or_create_key(folder)

    keys = {_KEYS: environment.pop(_KEYS, "") or checkpoint_keys.load_or_create(folder)}

    def ready() -> None:
        write(f"Nova Luna by post is ready at {address} (data in {folder}; Ctrl-C stops it)\n")
        write(f"Mail is taken in at {settings.mail_in}\n")
        flush()

    environment.pop("NOVALUNA_BACKUP_KEY", None)  # no child process needs it
    owner = {_OWNER: environment.pop(_OWNER)} if _OWNER in environment else {}
    supervise(_plan(postgres, environment, owner, keys, listener, mailin), ready, say)


def _mailin_listener(port: int | None) -> socket.socket:
    if port is not None:
        return listen(port, "--mailin-port")
    try:
        return listen(_MAILIN_PORT, "--mailin-port")
    except LocalError:
        return listen(0, "--mailin-port")


def _postgres(folder: Path, settings: Settings, environ: Mapping[str, str]) -> Postgres:
    # A web server process has a connection for each concurrent request, and may open as many again.
    each = 2 * settings.web_threads + _BESIDE_REQUESTS
    connections = settings.web_processes * each + _SPARE_CONNECTIONS
    return Postgres(
        folder,
        bin_folder=bin_folder(environ),
        settings={"max_connections": str(connections)},
    )


def _plan(
    postgres: Postgres | None,
    environment: Mapping[str, str],
    owner: Mapping[str, str],
    keys: Mapping[str, str],
    listener: socket.socket,
    mailin: socket.socket | None,
) -> Plan:
    python = (sys.executable, "-m")
    served = listener.fileno()
    gunicorn = ("gunicorn", "-c", "python:service.gunicorn_conf", "--bind", f"fd://{served}", "service.wsgi:app")
    taken = (mailin.fileno(),) if mailin is not None else ()
    return Plan(
        postgres=postgres,
        migrate=Command("The migrations", (*python, "service.cli", "migrate"), environment=owner),
        parts=(
            Command("The web server", (*python, *gunicorn), (served,)),
            Command("The worker", (*python, "service.cli", "worker"), environment=keys),
            Command(
                "The receiver",
                (*python, "service.cli", "mailin", *(f"--fd={descriptor}" for descriptor in taken)),
                taken,
            ),
        ),
        environment=environment,
        listener=listener,
    )
