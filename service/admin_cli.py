"""The commands of `novaluna` that manage accounts and list games that are stuck."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from service.access.invalid_text import InvalidText
from service.access.names import check
from service.arguments import utf8, whole_number
from service.console import say, write
from service.exit_codes import FAILED, OK
from service.language.sanitize import one_line

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_days = partial(whole_number, most=99_999)

Act = Callable[["Session", datetime], None]


def name(given: str) -> str:
    """Return the name of a player as it is stored; the type of a command-line argument."""
    try:
        return check(utf8(given))
    except InvalidText as error:
        raise argparse.ArgumentTypeError(str(error.phrase)) from None


def add_commands(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands to the command line; `add` returns the parser of a new command by its name and description."""
    account = commands_below(add("account", "Look for an account, suspend or rename it, or revoke its access tokens."))
    add_command(account, "find", find_accounts, "List accounts by id, or by a part of their address or name.", "wanted")
    add_command(account, "suspend", suspend, "Let an account do nothing any more; its games go on.", "account")
    add_command(account, "unsuspend", unsuspend, "Let a suspended account act again.", "account")
    renaming = add_command(account, "rename", rename, "Give an account another name.", "account")
    renaming.add_argument("name", type=name, metavar="NAME")
    add_command(account, "revoke-tokens", revoke_tokens, "Sign an account out everywhere.", "account")
    games = commands_below(add("games", "List games."))
    stuck = add_command(games, "stuck", stuck_games, "List running games in which nothing has happened for some days.")
    stuck.add_argument("--days", type=_days, default=14, metavar="N", help="how many (default 14)")


ARGUMENTS: dict[str, dict[str, Any]] = {
    "wanted": {"metavar": "TEXT", "type": utf8},
    "account": {"metavar": "ACCOUNT", "type": utf8, "help": "its id or address"},
}


def commands_below(parser: argparse.ArgumentParser) -> Any:
    """Return the object to which `add_command` adds the commands below a command."""
    return parser.add_subparsers(required=True, metavar="COMMAND")


def add_command(
    below: Any, label: str, act: Callable[[argparse.Namespace], Act], about: str, *arguments: str
) -> argparse.ArgumentParser:
    """Add a command with these of the `ARGUMENTS`, and `--data`; return its parser, for further ones."""
    parser: argparse.ArgumentParser = below.add_parser(label, help=about, description=about, allow_abbrev=False)
    for argument in arguments:
        parser.add_argument(argument, **ARGUMENTS[argument])
    parser.add_argument("--data", metavar="DIR", help="the data folder, as for up")
    parser.set_defaults(run=lambda given: run(given.data, act(given)))
    return parser


def run(data: str | None, act: Act) -> int:
    """Do something in one transaction at the database's time; a refusal is printed, and nothing is changed."""
    from service.api.context import now
    from service.app import create_app
    from service.errors import Refusal
    from service.store.connecting import OWNER
    from service.store.unit import transaction
    from service.up import database_settings

    settings = database_settings(data, os.environ)
    try:
        with create_app(settings, policy=OWNER).app_context(), transaction() as session:
            act(session, now())
    except Refusal as refusal:
        say(refusal.detail)
        return FAILED
    return OK


def find_accounts(arguments: argparse.Namespace) -> Act:
    """Print the accounts with this id, or with this text in their address or name."""

    def act(session: Session, now: datetime) -> None:
        from service.queries.administration import find_accounts

        for found in find_accounts(session, arguments.wanted):
            notes = [f"{found.tokens} tokens", f"{found.running} running games", f"since {_day(found.created_at)}"]
            if found.suspended_at is not None:
                notes.append(f"suspended on {_day(found.suspended_at)}")
            if found.mail_stopped_at is not None:
                notes.append(f"no mail since {_day(found.mail_stopped_at)}")
            _print(
                found.id,
                found.email or ("(guest)" if found.is_guest else "(deleted)"),
                found.name or "(no name)",
                ", ".join(notes),
            )

    return act


def suspend(arguments: argparse.Namespace) -> Act:
    """Suspend an account."""

    def act(session: Session, now: datetime) -> None:
        from service.commands.suspensions import suspend

        did = suspend(session, _account(session, arguments.account), now)
        say("suspended" if did else "it was suspended already")

    return act


def unsuspend(arguments: argparse.Namespace) -> Act:
    """Let a suspended account act again."""

    def act(session: Session, now: datetime) -> None:
        from service.commands.suspensions import unsuspend

        did = unsuspend(session, _account(session, arguments.account))
        say("no longer suspended" if did else "it was not suspended")

    return act


def rename(arguments: argparse.Namespace) -> Act:
    """Give an account another name."""

    def act(session: Session, now: datetime) -> None:
        from service.commands.accounts import change

        change(session, _account(session, arguments.account), {"name": arguments.name}, now)
        say(f"the account is called {arguments.name} now")

    return act


def revoke_tokens(arguments: argparse.Namespace) -> Act:
    """Revoke all access tokens of an account."""

    def act(session: Session, now: datetime) -> None:
        from service.commands.sign_in import revoke_all

        say(f"{revoke_all(session, _account(session, arguments.account))} tokens revoked")

    return act


def stuck_games(arguments: argparse.Namespace) -> Act:
    """Print the running games in which nothing has happened for some days."""

    def act(session: Session, now: datetime) -> None:
        from service.queries.administration import stuck_games

        for game in stuck_games(session, now - timedelta(days=arguments.days)):
            notes = [
                f"seat {game.seat} to move ({game.account or 'a bot'})",
                f"nothing since {_day(game.last_at)}",
            ]
            notes.append("has a clock" if game.has_clock else "has no clock")
            if game.due_at is not None and game.due_at <= now:
                notes.append(f"was due at {game.due_at:%Y-%m-%d %H:%M} UTC")
            if game.account is not None and not game.reachable:
                notes.append("no mail arrives there")
            if game.suspended:
                notes.append("suspended")
            _print(game.id, game.kind, ", ".join(notes))

    return act


def _account(session: Session, given: str) -> str:
    """Return the id of the account with this id or address."""
    from sqlalchemy import or_, select

    from service.errors import NotFound
    from service.store.accounts import Account

    found = session.scalar(select(Account.id).where(or_(Account.id == given, Account.email == given.lower())))
    if found is None:
        raise NotFound("no_such_account", "There is no such account; look for it with: novaluna account find TEXT")
    return found


def _day(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def _print(*columns: str) -> None:
    write("  ".join(map(one_line, columns)) + "\n")
