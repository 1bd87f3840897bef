"""Verify the records that a service shows: of one game or exploration, or of all games of a player."""

import os
import sys
from collections.abc import Iterator
from itertools import chain

from engine import audit, exploration
from engine.errors import RecordError
from service.console import RunningCount, discard_output, say
from service.exit_codes import BAD_USAGE, OK
from service.language.sanitize import printable
from service.line_files import BROKEN, report_lost
from service.service_records import Downloaded, ServiceRecords
from service.witness.errors import NotReached

TOKEN = "NOVALUNA_TOKEN"
"""The environment variable with the access token."""

_LONGEST_TOKEN = 4096


def audit_service(
    url: str, player: str | None, game: str | None, explored: str | None, token_file: str | None, after: str | None
) -> int:
    """Verify records of a service, and print a line for each broken one.

    Args:
        url: the address of the service.
        player: the player whose games they are; None, without a `game` or an exploration: the one whose access token is
            given, whose explorations are verified too.
        game: the one game to verify.
        explored: the one exploration to verify, which only the account can read whose access token is given.
        token_file: the file with the access token; None: it is in NOVALUNA_TOKEN, if there is one.
        after: the id of the game after which to begin.

    Returns:
        The exit code: 0 if all are valid, 1 if any is broken or the service has left one out, 2 if none is but not all
            could be read, or there was none.
    """
    try:
        token = _token(token_file)
        if token is None and explored is not None:
            say(f"an exploration is shown to its owner alone: give an access token in {TOKEN} or with --token-file")
            return BAD_USAGE
        if token is None and player is None and game is None:
            say(f"give --player, --game, or an access token for your own games, in {TOKEN} or with --token-file")
            return BAD_USAGE
        service = ServiceRecords(url, token)
    except OSError as error:
        say(f"{token_file}: {error.strerror}")
        return BAD_USAGE
    except (NotReached, ValueError) as error:
        say(str(error))
        return BAD_USAGE
    if explored is not None:
        found = service.of_exploration(explored)
    elif game is not None:
        found = service.of_game(game)
    else:
        found = service.of_player(player, after)
        if player is None:
            found = chain(found, service.explorations())
    return _verified(service, found, game or explored)


def _verified(service: ServiceRecords, found: Iterator[Downloaded], asked: str | None) -> int:
    number, broken, unread = 0, 0, False
    last = None
    progress = RunningCount(sys.stderr)
    try:
        for number, each in enumerate(found, 1):
            why = _wrong(each, asked)
            if why is not None:
                broken += 1
                progress.clear()
                kind = "exploration" if each.explores else "game"
                of = f"record {number}" if each.game is None else f"{kind} {each.game}"
                sys.stdout.buffer.write(printable(f"{of}: {why}").encode() + b"\n")
            last = last if each.explores else each.game or last
            progress.one_more()
        sys.stdout.flush()
    except NotReached as error:
        unread = True
        progress.clear()
        say(str(error))
        if last is not None:
            say(f"to go on, add --after {last}")
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        report_lost(error)
    finally:
        progress.clear()
    if service.unreadable:
        say(f"the service has left out {service.unreadable} games, because their data are damaged")
    say(f"{number} records, {broken} of them broken")
    return BROKEN if broken or service.unreadable else BAD_USAGE if unread or not number else OK


def _wrong(each: Downloaded, asked: str | None) -> str | None:
    check = exploration.check if each.explores else audit.check
    try:
        check(each.line)
    except RecordError as error:
        return error.detail
    if asked is not None and each.game != asked:
        return f"header: this is another {'exploration' if each.explores else 'game'}'s record, not that of {asked}"
    return None


def _token(file: str | None) -> str | None:
    """Return the access token, or None if none was given.

    Raises:
        OSError: the file cannot be read.
        ValueError: it has no token.
    """
    if file is None:
        return os.environ.get(TOKEN) or None
    with open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-") as opened:
        token = opened.read(_LONGEST_TOKEN).strip()
    if not token or not token.isascii():
        raise ValueError(f"{file} has no access token")
    return token.decode()
