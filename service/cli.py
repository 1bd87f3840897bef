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
from typing import TYPE_CHECKING

from service import admin_cli, audit_cli, checkpoints_cli, export_cli, host_cli, partition_cli
from service.arguments import whole_number
from service.backup.errors import BackupError, FileError
from service.config import ConfigError, Settings
from service.console import discard_output, open_streams, say
from service.exit_codes import BAD_USAGE, FAILED, INTERRUPTED, OK, TRY_LATER
from service.garbage import uncollected
from service.local.errors import LocalError

if TYPE_CHECKING:
    from sqlalchemy.exc import OperationalError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Returns:
        0 for success, 1 for a failure or a problem that was found, 2 for wrong arguments or settings, 130 after Ctrl-C.
    """
    open_streams()
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except (ConfigError, FileError) as error:
        say(str(error))
        return BAD_USAGE
    except (BackupError, LocalError) as error:
        for line in str(error).splitlines():
            say(line)
        return FAILED
    except BrokenPipeError:
        discard_output()
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
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
        from sqlalchemy.exc import OperationalError

        from service.store.migrate import SchemaError, upgrade
        from service.store.rights import RoleError

    try:
        upgrade(settings.owner_url or settings.database_url, settings.database_url)
    except (SchemaError, RoleError) as error:
        say(str(error))
        return FAILED
    except OperationalError as error:
        return _no_database(error)
    return OK


def _backup(arguments: argparse.Namespace) -> int:
    from service.backup.commands import backup

    backup(arguments.file, arguments.data, os.environ)
    return OK


def _restore(arguments: argparse.Namespace) -> int:
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
    from sqlalchemy.exc import OperationalError

    from service.app import create_app
    from service.commands.rebuild import rebuild
    from service.store.base import db
    from service.store.connecting import OWNER

    differences = 0
    try:
        with create_app(settings, policy=OWNER).app_context():
            for difference in rebuild(db.session(), write=not arguments.dry_run):
                sys.stdout.write(difference + "\n")
                differences += 1
    except OperationalError as error:
        return _no_database(error)
    say(f"{differences} differences")
    return FAILED if differences and arguments.dry_run else OK


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
    from sqlalchemy.exc import OperationalError

    from service.api.context import now
    from service.app import create_app
    from service.commands.bounces import record
    from service.store.unit import transaction

    try:
        with create_app(settings).app_context(), transaction() as session:
            followed = record(session, settings.secret_keys, bounce, now())
    except OperationalError as error:
        _no_database(error)
        return TRY_LATER
    say(f"{bounce.action} {bounce.status}: {followed}")
    return OK


def _no_database(error: "OperationalError") -> int:
    from service.queries.database_state import describe

    say(f"the database can't be used: {describe(error)}")
    return FAILED


def _mailbox(arguments: argparse.Namespace) -> int:
    from service.mail.mailbox import show
    from service.mail.maildir import Maildir
    from service.up import data_folder

    folder, _ = data_folder(arguments.data, os.environ)
    for mail in show(Maildir(folder / "mail"), arguments.address):
        sys.stdout.write(mail + "\n")
    return OK


def _simulate(arguments: argparse.Namespace) -> int:
    from service.records_cli import simulate

    return simulate(
        arguments.games,
        arguments.seats,
        arguments.seed,
        arguments.bot,
        arguments.discs,
        arguments.leave,
        arguments.rules,
    )


def _audit(arguments: argparse.Namespace) -> int:
    code = audit_cli.run(arguments)
    if code is not None:
        return code
    if arguments.proof is None and arguments.policy is None and arguments.known is None:
        from service.records_cli import audit

        return audit(arguments.files)
    if arguments.proof is None or arguments.policy is None or len(arguments.files) != 1:
        say("a proof is verified with one file, which has one record, --proof BUNDLE and --policy FILE")
        return BAD_USAGE
    from service.proof_cli import ProofFiles, audit_proof

    return audit_proof(arguments.files[0], ProofFiles(arguments.proof, arguments.policy, arguments.known))


def _witness(arguments: argparse.Namespace) -> int:
    from service.witness_cli import witness

    return witness(arguments.url, arguments.file, arguments.records, arguments.vkey)


def _text(arguments: argparse.Namespace) -> int:
    from service.text_cli import TextCommand

    command = TextCommand(times=not arguments.without_times, as_text=arguments.as_text, as_record=arguments.as_record)
    return command.run(arguments.files)


def _clocks(arguments: argparse.Namespace) -> int:
    from service import logs
    from service.clock_vectors.run import clocks

    logs.configure(sys.stderr, logging.ERROR)
    return clocks(arguments.files)


def _openapi(arguments: argparse.Namespace) -> int:
    from service.app import openapi_yaml

    sys.stdout.write(openapi_yaml())
    return OK


def _discs(text: str) -> str | int:
    return whole_number(text) if text.isdecimal() else text


def _port(text: str) -> int:
    return whole_number(text, most=65535)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="novaluna", description="Nova Luna by post.", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, run: object, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.set_defaults(run=run)
        return command

    up = add("up", _up, "Run the whole service on this machine, with a Postgres of its own unless DATABASE_URL is set.")
    up.add_argument("--port", type=_port, default=8080, help="where it answers (default 8080; 0: any free one)")
    up.add_argument(
        "--mailin-port",
        type=_port,
        help="where it takes mail in by SMTP (default 8025, or any free one; 0: any free one)",
    )
    up.add_argument("--data", metavar="DIR", help="the data folder (default: NOVALUNA_DATA, or data in this folder)")

    add("worker", _worker, "Run the worker, which sends mail and does what time asks for.")
    mailin = add("mailin", _mailin, "Take mail in, from a relay or by SMTP, where NOVALUNA_MAILIN says.")
    mailin.add_argument("--fd", type=whole_number, metavar="N", help="a listening socket that was opened already")
    migrate = add("migrate", _migrate, "Bring the database's schema to this version.")
    rebuild = add("rebuild", _rebuild, "Make the projections again from the logs, and say what differed.")
    rebuild.add_argument("--dry-run", action="store_true", help="change nothing; exit code 1 if anything differs")
    backup = add("backup", _backup, "Write all that is in the database to a file, while the service runs or not.")
    restore = add("restore", _restore, "Put a backup into an empty database, or a new data folder.")
    new_epoch = add("new-epoch", _new_epoch, "Say that the database goes on from an earlier state than it had come to.")
    for command in (backup, restore):
        command.add_argument("file", metavar="FILE", help="- is standard output, or input")
    mailbox = add("mailbox", _mailbox, "Print the mails that were kept because there is no mail server.")
    mailbox.add_argument("address", nargs="?", metavar="ADDRESS", help="only those to this address")
    bounces = add("bounces", _bounces, "Take note of one mail that came back, as a mail server pipes it.")
    bounces.add_argument("file", metavar="FILE", help="the mail; - is standard input")
    for command in (migrate, backup, restore, new_epoch, rebuild, mailbox, bounces):
        command.add_argument("--data", metavar="DIR", help="the data folder, as for up")

    simulate = add("simulate", _simulate, "Let bots play games, and write their records to standard output.")
    simulate.add_argument("--games", type=whole_number, required=True, metavar="N")
    simulate.add_argument("--seats", type=whole_number, choices=(1, 2, 3, 4), required=True, help="1 is solo")
    simulate.add_argument("--seed", required=True, metavar="S", help="any text: the same gives the same games")
    simulate.add_argument("--bot", choices=("random", "greedy"), required=True)
    simulate.add_argument(
        "--discs", type=_discs, default="full", metavar="first_game|N", help="default: the full number"
    )
    simulate.add_argument("--leave", default="0", metavar="P", help="before each move, the chance that somebody leaves")
    simulate.add_argument("--rules", default="1", metavar="VERSION", help="the version of the rules (default 1)")
    audit = add("audit", _audit, "Verify records. Exit code 0: all hold; 1: some are broken; 2: nothing could be read.")
    audit.add_argument("files", nargs="*", metavar="FILE", help="a file of records, one a line; - is standard input")
    audit_cli.add_options(audit)
    audit.add_argument("--proof", metavar="BUNDLE", help="proofs that the public log has the record's game")
    audit.add_argument("--policy", metavar="FILE", help="with --proof: whose signatures are believed")
    audit.add_argument("--known", metavar="FILE", help="with --proof: a checkpoint that was kept, or a witness's file")
    witness = add(
        "witness",
        _witness,
        "Look whether a service's public log only grew. Exit code 0: all well; 1: it can't be seen, or is late; 2: its "
        "history was changed.",
    )
    witness.add_argument("url", metavar="URL", help="the service, or one of its logs, https://…/v1/checkpoints/1")
    witness.add_argument("--file", required=True, metavar="F", help="where it is kept what is known of the log")
    witness.add_argument("--records", metavar="FILE", help="records of games, whose leaves are looked for in the log")
    witness.add_argument("--vkey", metavar="KEY", help="the first time: the key that the log must have")
    text = add("text", _text, "Print records in the text notation, and read texts: complete ones become records.")
    text.add_argument("files", nargs="+", metavar="FILE", help="a file of records or of texts; - is standard input")
    text.add_argument("--without-times", action="store_true", help="print texts without their times")
    forms = text.add_mutually_exclusive_group()
    forms.add_argument("--text", dest="as_text", action="store_true", help="print texts again, as texts are printed")
    forms.add_argument("--record", dest="as_record", action="store_true", help="refuse a text that is not complete")
    modules = (admin_cli, host_cli, export_cli, checkpoints_cli, partition_cli)
    for add_commands in (module.add_commands for module in modules):
        add_commands(lambda name, text: add(name, None, text))
    clocks = add("clocks", _clocks, "Run vectors of clocks on a Postgres of their own. Exit code 1: something differs.")
    clocks.add_argument("files", nargs="+", metavar="FILE", help="vectors, one a line; - is standard input")
    add("openapi", _openapi, "Print the description of the HTTP API.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
