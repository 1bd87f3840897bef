"""The commands `novaluna audit --all` and `--url`: verify the games of a database, or of a service."""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from service.arguments import utf8, whole_number
from service.console import discard_output, say
from service.exit_codes import BAD_USAGE, INTERRUPTED, OK
from service.language.sanitize import printable
from service.line_files import BROKEN, report_lost

if TYPE_CHECKING:
    from service.auditing.differences import AuditDifference
    from service.auditing.position import Position
    from service.config import Settings

_processes = partial(whole_number, least=1, most=999)
_SAVED_EVERY = 1.0
_DRAWN_EVERY = 0.2
_WIDTH = 30


_OF_ALL = ("data", "state", "processes")
_OF_URL = ("player", "game", "exploration", "token_file")
_OF_PROOF = ("proof", "policy", "known")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `--all` to the command `audit`."""
    of_all = parser.add_argument_group("the database")
    of_all.add_argument("--all", action="store_true", help="audit every game, and all that is stored about it")
    of_all.add_argument("--state", metavar="FILE", help="note here how far it has come, and go on from there")
    of_all.add_argument(
        "--processes",
        type=_processes,
        metavar="N",
        help="how many (default: one for each processor)",
    )
    of_all.add_argument("--data", metavar="DIR", help="the data folder, as for up")
    of_url = parser.add_argument_group("a service", "An access token is taken from NOVALUNA_TOKEN, if that is set.")
    of_url.add_argument("--url", type=utf8, metavar="URL", help="verify the records of the service at this address")
    of_url.add_argument(
        "--player",
        type=utf8,
        metavar="ID",
        help="those of this player's games (default: one's own, and one's explorations)",
    )
    of_url.add_argument("--game", type=utf8, metavar="ID", help="that of this game")
    of_url.add_argument("--exploration", type=utf8, metavar="ID", help="that of this exploration, which is one's own")
    of_url.add_argument("--token-file", metavar="FILE", help="the file that has the access token; - is standard input")
    parser.add_argument(
        "--after", type=utf8, metavar="GAME", help="with --all or --url: begin after the game with this id"
    )


def run(arguments: argparse.Namespace) -> int | None:
    """Audit what the options say, and return the exit code; None if the command is about files alone."""
    wrong = _wrong(arguments)
    if wrong is not None:
        say(wrong)
        return BAD_USAGE
    if arguments.url is not None:
        from service.url_audit import audit_service

        one = arguments.player, arguments.game, arguments.exploration
        return audit_service(arguments.url, *one, arguments.token_file, arguments.after)
    if not arguments.all:
        return None
    from service.up import database_settings

    settings = database_settings(arguments.data, os.environ)
    state = None if arguments.state is None else Path(arguments.state)
    return audit_database(settings, state, arguments.after, arguments.processes)


def _wrong(arguments: argparse.Namespace) -> str | None:
    """Return why options do not go together, or None if they do."""
    options = (*_OF_ALL, *_OF_URL, *_OF_PROOF, "after")
    given = {name for name in options if vars(arguments)[name] is not None}
    if arguments.all and arguments.url is not None:
        return "--all audits the database, and --url a service: give one of them"
    if not arguments.all and arguments.url is None:
        for name in (*_OF_ALL, *_OF_URL, "after"):
            if name in given:
                return f"--{name.replace('_', '-')} goes with {'--url' if name in _OF_URL else '--all'}"
        return None
    what = "--all" if arguments.all else "--url"
    others = given & {*(_OF_URL if arguments.all else _OF_ALL), *_OF_PROOF}
    if others:
        return f"--{min(others).replace('_', '-')} does not go with {what}"
    if arguments.files:
        return f"{what} reads no files"
    for name in ("game", "exploration"):
        others = given & ({"player", "game", "exploration", "after"} - {name})
        if name in given and others:
            return f"--{name} is one {name}: it does not go with --{min(others)}"
    return None


def audit_database(settings: Settings, state: Path | None, after: str | None, processes: int | None) -> int:
    """Audit every game of a database, and print a line for each difference, in the order of the tables.

    Args:
        settings: the settings, of which only those of the database are used.
        state: the file that says how far an earlier audit came, and is kept while this one goes on; None for none.
        after: the id of the game after which to begin.
        processes: how many processes to use; None: one for each processor that this one may use.

    Returns:
        The exit code: 0 if nothing differs, 1 if anything does, 2 if the audit could not be brought to its end, 130 if
            it was interrupted. What the earlier part of the audit found counts, too.
    """
    from service.auditing import position, ranges
    from service.database_failure import FAILURES, sentence
    from service.store import epoch

    engine = ranges.connected(settings)
    try:
        with ranges.snapshot(engine) as session:
            upto, current = ranges.last_key(session), epoch.current(session)
            begin = None if after is None else ranges.key_of(session, after)
    except FAILURES as error:
        say(sentence(error, os.environ))
        return BAD_USAGE
    finally:
        engine.dispose()
    if after is not None and begin is None:
        say(f"there is no game {after:.40}")
        return BAD_USAGE
    try:
        found = position.Position(current) if state is None else position.load(state, current)
        if state is not None:
            position.check_writable(state)
    except (position.BadPosition, OSError) as error:
        say(f"{state} can't be used: {error.strerror if isinstance(error, OSError) else error}")
        return BAD_USAGE
    found.after = max(found.after, begin or 0)
    return _audit(settings, found, upto, state, processes or _processors())


def _processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _audit(settings: Settings, found: Position, upto: int, state: Path | None, processes: int) -> int:
    from service.auditing import position, ranges
    from service.auditing.processes import Failed, audited
    from service.database_failure import FAILURES, sentence

    bar = _Bar(sys.stderr, found.after, upto)
    engine = ranges.connected(settings)
    saved = time.monotonic()
    code, others = None, 0
    try:
        for done in audited(settings, found.after, upto, processes):
            _print(done.differences, bar)
            found.after = done.upto
            found.games += done.games
            found.broken += len({difference.game for difference in done.differences})
            if state is not None and (done.differences or time.monotonic() - saved > _SAVED_EVERY):
                position.save(state, found)
                saved = time.monotonic()
            bar.show(found)
        for difference in ranges.audit_rest(engine):
            _print([difference], bar)
            others += 1
    except FAILURES as error:
        code = _stopped(sentence(error, os.environ), BAD_USAGE)
    except Failed as error:
        code = _stopped(str(error), BAD_USAGE)
    except position.BadPosition as error:
        code, state = _stopped(f"{state} can't be used: {error}", BAD_USAGE), None
    except KeyboardInterrupt:
        code = _stopped("interrupted", INTERRUPTED)
    except BrokenPipeError:
        discard_output()
        return BROKEN if found.broken or others else OK
    except OSError as error:
        report_lost(error)
        return BAD_USAGE
    finally:
        bar.clear()
        engine.dispose()
    say(f"{found.games} games, {found.broken} of them broken" + (f", {others} other differences" if others else ""))
    if code is not None:
        _resumable(settings, found, state)
        return code
    if state is not None:
        state.unlink(missing_ok=True)
    return BROKEN if found.broken or others else OK


def _print(differences: list[AuditDifference], bar: _Bar) -> None:
    if differences:
        bar.clear()
        for difference in differences:
            sys.stdout.buffer.write(printable(str(difference)).encode() + b"\n")
        sys.stdout.buffer.flush()


def _stopped(why: str, code: int) -> int:
    say(why)
    return code


def _resumable(settings: Settings, found: Position, state: Path | None) -> None:
    """Print the command that continues the audit."""
    from service.auditing import position, ranges
    from service.database_failure import FAILURES

    if state is not None:
        with suppress(position.BadPosition):  # then it goes on from where it was noted last
            position.save(state, found)
        say("to go on, give the same command again")
        return
    try:
        engine = ranges.connected(settings)
        with ranges.snapshot(engine) as session:
            last = ranges.id_upto(session, found.after)
        engine.dispose()
    except FAILURES:
        return
    if last is not None:
        say(f"to go on, add --after {last}")


class _Bar:
    """A progress bar on a terminal; elsewhere it writes nothing."""

    def __init__(self, stream: TextIO, after: int, upto: int) -> None:
        self._stream = stream if stream.isatty() else None
        self._after, self._upto = after, upto
        self._begun = self._next = time.monotonic()
        self._games: int | None = None

    def show(self, found: Position) -> None:
        """Show how far the audit has come, how fast it is, and how long it will take."""
        now = time.monotonic()
        if self._games is None:
            self._begun, self._games, self._after = now, found.games, found.after
        if self._stream is None or now < self._next:
            return
        self._next = now + _DRAWN_EVERY
        part = 1.0 if found.after >= self._upto else found.after / self._upto
        rate = (found.games - self._games) / max(now - self._begun, 0.001)
        keys = (found.after - self._after) / max(now - self._begun, 0.001)
        left = f", {_span((self._upto - found.after) / keys)} left" if keys else ""
        drawn = "█" * round(part * _WIDTH)
        counted = f"{found.games} games, {found.broken} broken, {rate:.0f} a second{left}"
        self._stream.write(f"\r\x1b[K[{drawn:░<{_WIDTH}}] {part:4.0%} {counted}")
        self._stream.flush()

    def clear(self) -> None:
        """Remove the bar, to write something else."""
        if self._stream is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
