"""The commands `novaluna game …`: act in a game as its host, for a reason that everybody at the table can read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.clock import durations
from engine.clock.errors import ClockError
from service.admin_cli import Act, add_command, commands_below
from service.arguments import utf8
from service.console import say
from service.language.sanitize import one_line

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

LONGEST_REASON = 200


def reason(given: str) -> str:
    """Return a reason, a line of 1 to 200 characters; the type of a command-line argument."""
    line = one_line(utf8(given))
    if not 1 <= len(line) <= LONGEST_REASON:
        raise argparse.ArgumentTypeError(f"a reason has 1 to {LONGEST_REASON} characters")
    return line


def duration(given: str) -> timedelta:
    """Return a duration such as `P2D` or `PT36H`; the type of a command-line argument."""
    try:
        return durations.parse(given)
    except ClockError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def moment(given: str) -> datetime:
    """Return a time with its offset, such as `2026-12-05T18:00Z`; the type of a command-line argument."""
    try:
        at = datetime.fromisoformat(given)
        in_utc = at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{given!r} is no time such as 2026-12-05T18:00Z") from None
    if at.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{given!r} does not say in which zone; write 2026-12-05T18:00Z for UTC")
    return in_utc


def add_commands(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands to the command line; `add` returns the parser of a new command by its name and description."""
    game = commands_below(add("game", "Act in a game as its host. The table sees the reason, and gets it by mail."))
    for label, command, done, about, *further in (
        ("give-time", "give_time", "time was given", "Give time to the player to move.", "seat", "duration"),
        ("pause", "pause", "the game is paused", "Stop the clock until a time, at most 30 days ahead.", "until"),
        ("resume", "resume", "the game goes on", "Let the clock go on before that."),
        ("put-out", "put_out", "the player was put out", "Put a player out.", "seat"),
        ("end", "end", "the game was ended", "End the game without a ranking."),
    ):
        names = ("game", *further, "reason")
        parser = add_command(game, label, partial(_act, command, names, done), about)
        for argument in ("game", *further):
            parser.add_argument(argument, **_ARGUMENTS[argument])
        parser.add_argument("--reason", type=reason, required=True, metavar="TEXT", help="1 to 200 characters")


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "game": {"metavar": "GAME", "type": utf8, "help": "the id of its table"},
    "seat": {"metavar": "SEAT", "type": int, "choices": range(4), "help": "0 to 3"},
    "duration": {"metavar": "DURATION", "type": duration, "help": "such as P2D or PT36H"},
    "until": {"metavar": "TIME", "type": moment, "help": "such as 2026-12-05T18:00Z"},
}


def _act(command: str, names: Sequence[str], done: str, arguments: argparse.Namespace) -> Act:
    """Return the act that runs a command of `service.commands.host` with these arguments and prints that it is done."""

    def act(session: Session, now: datetime) -> None:
        from service.commands import host

        getattr(host, command)(session, *(getattr(arguments, name) for name in names), now)
        say(done)

    return act
