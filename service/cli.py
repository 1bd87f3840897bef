"""The command line `novaluna`: parse the arguments, call the code that does the work, turn errors into exit codes.

Each command imports what it needs only after its settings were checked. So `audit` starts at once and needs no
database, and a configuration error is reported at once.
"""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from service import admin_cli, checkpoints_cli, export_cli, host_cli, partition_cli, record_commands
from service.arguments import utf8, whole_number
from service.backup.errors import BackupError, FileError
from service.config import ConfigError, Settings
from service.console import OutputLost, discard_output, flush, open_streams, say, write
from service.exit_codes import BAD_USAGE, FAILED, INTERRUPTED, OK, TRY_LATER
from service.garbage import uncollected
from service.local.errors import LocalError
from service.termination import cleaned_up_on_termination


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Returns:
        0 for success, 1 for a failure or a problem that was found, 2 for wrong arguments or settings, 75 if `bounces`
        is to be tried again, 130 after Ctrl-C.
    """
    open_streams()
    arguments = _parser().parse_args(argv)
    try:
        with cleaned_up_on_termination():
            code: int = arguments.run(arguments)
        flush()
    except (ConfigError, FileError) as error:
        say(str(error))
        return _code(arguments, BAD_USAGE)
    except (BackupError, LocalError) as error:
        for line in str(error).splitlines():
            say(line)
        return _code(arguments, FAILED)
    except BrokenPipeError:
        discard_output()
        return OK
    except OutputLost as error:
        say(f"the output can't be written: {error}")
        discard_output()
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        from service import database_failure  # it loads what many commands do not need

        if not isinstance(error, database_failure.FAILURES):
            raise
        say(database_failure.sentence(error, os.environ))
        return _code(arguments, FAILED)
    return code


def _code(arguments: argparse.Namespace, usual: int) -> int:
    """Return the exit code for a failure: the one that the command has for all of them (`failure`), or the usual."""
    code: int = getattr(arguments, "failure", usual)
    return code


def _settings() -> Settings:
    return Settings.from_environ(os.environ)


def _up(arguments: argparse.Namespace) -> int:
    from service import logs
    from service.up import up

    logs.configure_process(sys.stderr)
    up(arguments.port, arguments.mailin_port, arguments.data, os.environ)
    return OK


def _worker(arguments: argparse.Namespace) -> int:
    settings = _settings()
    with uncollected():
        from service.jobs.worker import run

    run(settings)
    return OK


def _mailin(arguments: argparse.Namespace) -> int:
    settings = _settings()
    with uncollected():
        from service.receiver.server import run

    try:
        run(settings, arguments.fd)
    except OSError as error:
        say(f"NOVALUNA_MAILIN is wrong: nothing can listen there: {error.strerror or error}")
        return FAILED
    return OK


def _migrate(arguments: argparse.Namespace) -> int:
    from service.up import database_settings

    settings = database_settings(arguments.data, os.environ)
    from service import logs

    logs.configure_process(sys.stderr)
    with uncollected():
        from service.store.migrate import SchemaError, upgrade
        from service.store.rights import RoleError

    try:
        upgrade(settings.owner_url or settings.database_url, settings.database_url)
    except (SchemaError, RoleError) as error:
        say(str(error))
        return FAILED
    return OK


def _backup(arguments: argparse.Namespace) -> int:
    from service.backup.commands import backup

    backup(arguments.file, arguments.data, os.environ)
    return OK


def _restore(arguments: argparse.Namespace) -> int:
    from service import logs

    logs.configure(sys.stderr, logging.WARNING)
    from service.backup.commands import restore

    amiss = restore(arguments.file, arguments.data, os.environ)
    for sentence in amiss:
        say(sentence)
    return FAILED if amiss else OK


def _new_epoch(arguments: argparse.Namespace) -> int:
    from service.backup.commands import renew_epoch

    say(f"the epoch is now {renew_epoch(arguments.data, os.environ)}")
    return OK


def _rebuild(arguments: argparse.Namespace) -> int:
    from service.up import database_settings

    settings = database_settings(arguments.data, os.environ)
    from service import logs

    logs.configure(sys.stderr, logging.WARNING)
    from service.app import create_app
    from service.commands.rebuild import rebuild
    from service.store.base import db
    from service.store.connecting import OWNER

    differences = uncorrected = 0
    with create_app(settings, policy=OWNER).app_context():
        for difference in rebuild(db.session(), write=not arguments.dry_run):
            write(f"{difference}\n")
            differences += 1
            uncorrected += not difference.is_corrected
    say(f"{differences} differences" + (f", {uncorrected} of them not corrected" if uncorrected else ""))
    return FAILED if uncorrected else OK


def _bounces(arguments: argparse.Namespace) -> int:
    from service.reading.bounces import LARGEST, parse
    from service.up import keyed_settings

    settings = keyed_settings(arguments.data, os.environ)
    if arguments.file == "-":
        raw = sys.stdin.buffer.read(LARGEST)
        while sys.stdin.buffer.read(LARGEST):
            pass  # a mail server treats it as a failure if it cannot write everything
    else:
        try:
            with Path(arguments.file).open("rb") as file:
                raw = file.read(LARGEST)
        except OSError as error:
            say(f"{arguments.file} can't be read: {error.strerror}")
            return BAD_USAGE
    bounce = parse(raw)
    if bounce is None:
        say("this is no report of a delivery")
        return OK
    from service.api.context import now
    from service.app import create_app
    from service.commands.bounces import record
    from service.store.unit import transaction

    with create_app(settings).app_context(), transaction() as session:
        followed = record(session, settings.secret_keys, bounce, now())
    say(f"{bounce.action} {bounce.status}: {followed}")
    return OK


def _mailbox(arguments: argparse.Namespace) -> int:
    from service.mail.mailbox import show
    from service.mail.maildir import Maildir
    from service.up import data_folder

    try:
        folder, _ = data_folder(arguments.data, os.environ)
        if not folder.is_dir():
            say(f"there is no data folder {folder}")
            return BAD_USAGE
        for mail in show(Maildir(folder / "mail"), arguments.address):
            write(mail + "\n")
    except PermissionError as error:
        say(f"{error.filename} can't be read by this account: run the command as the one that runs the service")
        return BAD_USAGE
    return OK


def _clocks(arguments: argparse.Namespace) -> int:
    from service import logs
    from service.clock_vectors.run import clocks

    logs.configure(sys.stderr, logging.ERROR)
    return clocks(arguments.files)


def _openapi(arguments: argparse.Namespace) -> int:
    from service.app import openapi_yaml

    write(openapi_yaml())
    return OK


def _port(given: str) -> int:
    return whole_number(given, most=65535)


class _Add(Protocol):
    """Add a command: its name, the function that runs it (None: it has commands of its own), and its help text."""

    def __call__(self, name: str, run: object, text: str) -> argparse.ArgumentParser: ...


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="novaluna", description="Nova Luna by post.", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, run: object, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.set_defaults(run=run)
        return command

    _add_processes(add)
    _add_database_commands(add)
    modules = (record_commands, admin_cli, host_cli, export_cli, checkpoints_cli, partition_cli)
    for add_commands in (module.add_commands for module in modules):
        add_commands(lambda name, text: add(name, None, text))
    clocks = add("clocks", _clocks, "Run clock vectors on a Postgres of their own. Exit code 1: something differs.")
    clocks.add_argument("files", nargs="+", metavar="FILE", help="vectors, one a line; - is standard input")
    add("openapi", _openapi, "Print the OpenAPI document of the HTTP API.")
    return parser


def _add_processes(add: _Add) -> None:
    """Add the commands that run the service or a part of it."""
    up = add("up", _up, "Run the whole service on this machine, with its own Postgres unless DATABASE_URL is set.")
    up.add_argument("--port", type=_port, default=8080, help="the port of the web server (default 8080; 0: any free)")
    up.add_argument(
        "--mailin-port",
        type=_port,
        help="the port on which mail is received by SMTP (default 8025, or any free one; 0: any free)",
    )
    up.add_argument("--data", metavar="DIR", help="the data folder (default: NOVALUNA_DATA, or data in this folder)")
    add("worker", _worker, "Run only the worker, which sends mail, reads what came in, and does what is due.")
    mailin = add("mailin", _mailin, "Run only the receiver, which takes mail by LMTP or SMTP at NOVALUNA_MAILIN.")
    mailin.add_argument("--fd", type=whole_number, metavar="N", help="a listening socket that is already open")


def _add_database_commands(add: _Add) -> None:
    """Add the commands that read or change the database, or the folder beside it."""
    migrate = add("migrate", _migrate, "Migrate the database's schema to this version.")
    rebuild = add(
        "rebuild",
        _rebuild,
        "Recompute all that follows from the logs, and report differences. Exit code 1: some are left.",
    )
    rebuild.add_argument("--dry-run", action="store_true", help="change nothing; exit code 1 if anything differs")
    backup = add("backup", _backup, "Write the whole database to a file, whether or not the service is running.")
    restore = add("restore", _restore, "Restore a backup into an empty database or a new data folder.")
    new_epoch = add("new-epoch", _new_epoch, "Begin a new epoch after a failover, or a restore by other means.")
    for command in (backup, restore):
        command.add_argument("file", metavar="FILE", help="- is standard output, or input")
    mailbox = add("mailbox", _mailbox, "Print the mails that were kept because there is no mail server.")
    mailbox.add_argument("address", type=utf8, nargs="?", metavar="ADDRESS", help="only those to this address")
    bounces = add("bounces", _bounces, "Record a bounced mail, as a mail server pipes it.")
    bounces.add_argument("file", metavar="FILE", help="the mail; - is standard input")
    bounces.set_defaults(failure=TRY_LATER)  # the mail server keeps the report until the service is back
    for command in (migrate, backup, restore, new_epoch, rebuild, mailbox, bounces):
        command.add_argument("--data", metavar="DIR", help="the data folder, as for up")


if __name__ == "__main__":
    sys.exit(main())
