"""The commands about records of games and the public log: `simulate`, `audit`, `witness` and `text`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from service import audit_cli
from service.arguments import utf8, whole_number
from service.console import say
from service.exit_codes import BAD_USAGE


def add_commands(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands to the command line; `add` returns the parser of a new command by its name and description."""
    simulate = add("simulate", "Let bots play games, and write their records to standard output.")
    simulate.add_argument("--games", type=whole_number, required=True, metavar="N")
    simulate.add_argument("--seats", type=whole_number, choices=(1, 2, 3, 4), required=True, help="1 is solo")
    simulate.add_argument(
        "--seed", type=utf8, required=True, metavar="S", help="any text: the same gives the same games"
    )
    simulate.add_argument("--bot", choices=("random", "greedy"), required=True)
    simulate.add_argument(
        "--discs", type=_discs, default="full", metavar="first_game|N", help="default: the full number"
    )
    simulate.add_argument("--leave", default="0", metavar="P", help="before each move, the chance that somebody leaves")
    simulate.add_argument(
        "--rules", type=utf8, default="1", metavar="VERSION", help="the version of the rules (default 1)"
    )
    simulate.set_defaults(run=_simulate)
    audit = add("audit", "Verify records. Exit code 0: all hold; 1: some are broken; 2: nothing could be read.")
    audit.add_argument("files", nargs="*", metavar="FILE", help="a file of records, one a line; - is standard input")
    audit_cli.add_options(audit)
    audit.add_argument("--proof", metavar="BUNDLE", help="proofs that the public log has the record's game")
    audit.add_argument("--policy", metavar="FILE", help="with --proof: whose signatures are believed")
    audit.add_argument("--known", metavar="FILE", help="with --proof: a checkpoint that was kept, or a witness's file")
    audit.set_defaults(run=_audit)
    witness = add(
        "witness",
        "Check that a service's public log only grew. Exit code 0: it did; 1: it is unreachable or late; 2: its history"
        " was changed.",
    )
    witness.add_argument(
        "url", type=utf8, metavar="URL", help="the service, or one of its logs, https://…/v1/checkpoints/1"
    )
    witness.add_argument("--file", required=True, metavar="F", help="the file that keeps what is known of the log")
    witness.add_argument("--records", metavar="FILE", help="records of games whose leaves are looked for in the log")
    witness.add_argument("--vkey", type=utf8, metavar="KEY", help="the first time: the key that the log must have")
    witness.set_defaults(run=_witness)
    text = add("text", "Print records in the text notation, and make records of complete texts.")
    text.add_argument("files", nargs="+", metavar="FILE", help="a file of records or of texts; - is standard input")
    text.add_argument("--without-times", action="store_true", help="print texts without their times")
    forms = text.add_mutually_exclusive_group()
    forms.add_argument("--text", dest="as_text", action="store_true", help="print texts in the usual form again")
    forms.add_argument("--record", dest="as_record", action="store_true", help="refuse a text that is not complete")
    text.set_defaults(run=_text)


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


def _discs(text: str) -> str | int:
    return whole_number(text) if text.isdecimal() else text
