"""The commands `novaluna simulate` and `novaluna audit`: write and verify records, one per line."""

import sys
from collections.abc import Sequence

from engine.errors import EngineError, RecordError
from engine.exploration import check_any
from engine.simulate import records
from service.console import RunningCount, discard_output, say
from service.exit_codes import BAD_USAGE, OK
from service.language.sanitize import printable
from service.line_files import BROKEN, UnreadableFile, end_of_download, lines, report_lost


def simulate(games: int, seats: int, seed: str, bot: str, discs: str | int, leave: str, version: str) -> int:
    """Write the records of simulated games to standard output.

    Args:
        games: how many games to play.
        seats: players of each game; 1 is solo.
        seed: any text; the same text gives the same games.
        bot: the name of the bot that plays all seats.
        discs: "full", "first_game" or a number.
        leave: the probability that a player leaves before a move, as a decimal number.
        version: the version of the rules.

    Returns:
        The exit code: 2 if the arguments describe no game, 1 if the records cannot all be written.
    """
    try:
        seed.encode()
        played = records(games, seats, seed, bot, discs, leave, version)
    except (EngineError, ValueError) as error:
        say(str(error))
        return BAD_USAGE
    out = sys.stdout.buffer
    # If the records themselves go to the terminal, they show the progress.
    progress = RunningCount(None if out.isatty() else sys.stderr)
    try:
        for line in played:
            out.write(line)
            progress.one_more()
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        return report_lost(error)
    finally:
        progress.clear()
    return OK


def audit(files: Sequence[str]) -> int:
    """Verify the records in the files (``-``: standard input) and print a line for each broken one.

    The line with which a download of games ends is no record. It tells how many there were before it; if fewer came, or
    games were left out, a line is printed for that. More may come, since a download that broke off goes on in the same
    file.

    Returns:
        The exit code: 0 if all are valid, 1 if any is broken or is missing from a download, 2 if none is but a file
            cannot be read or is empty. If the output cannot be written, or nobody reads it any more, the code is for
            the records read so far.
    """
    if not files:
        say("give a file of records, or --all")
        return BAD_USAGE
    broken, incomplete, unread = 0, False, False
    progress = RunningCount(sys.stderr)
    try:
        for name in files:
            number, came = 0, 0
            try:
                for number, line in enumerate(lines(name), 1):
                    if (told := end_of_download(line)) is not None:
                        why, came = told.missing(came), 0
                        incomplete = incomplete or why is not None
                    else:
                        why, came = _wrong(line), came + 1
                        broken += why is not None
                        progress.one_more()
                    if why is not None:
                        progress.clear()
                        sys.stdout.buffer.write(printable(f"{name}:{number}: {why}").encode() + b"\n")
                wrong = None if number else "nothing to read"
            except UnreadableFile as error:
                wrong = str(error)
            if wrong is not None:
                unread = True
                progress.clear()
                say(f"{name}: {wrong}")
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        report_lost(error)
    finally:
        progress.end(f", {broken} of them broken")
    return BROKEN if broken or incomplete else BAD_USAGE if unread else OK


def _wrong(line: bytes) -> str | None:
    try:
        check_any(line)
    except RecordError as error:
        return error.detail
    return None
