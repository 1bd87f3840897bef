"""The command `novaluna text`: print records in the text notation, and read texts."""

import itertools
import json
import sys
from collections.abc import Iterable, Sequence

from engine.audit import check
from engine.errors import RecordError
from engine.notation import NotatedGame, Refusal, from_record, read, record_line, split, text
from service.console import discard_output, say
from service.exit_codes import BAD_USAGE, OK
from service.line_files import BROKEN, UnreadableFile, end_of_download, lines, report_lost


class TextCommand:
    """One run of `novaluna text`.

    Each file holds either records, one a line, or texts. A record is printed as its canonical text, and a text as its
    record, or as its canonical text if it is not complete. The line with which a download of games ends is passed over.

    Attributes:
        times: False if texts are printed without times.
        as_text: True if texts are printed as canonical texts, whether complete or not.
        as_record: True if texts that are not complete are refused.
    """

    def __init__(self, *, times: bool = True, as_text: bool = False, as_record: bool = False) -> None:
        self.times = times
        self.as_text = as_text or not times
        self.as_record = as_record
        self._refused = 0
        self._texts = 0

    def run(self, files: Sequence[str]) -> int:
        """Read the files (``-``: standard input), and print the other form of every game in them.

        Returns:
            The exit code: 0 if all was read, 1 if any game is refused, 2 if none is but a file cannot be read or has no
                game.
        """
        unread = False
        try:
            for name in files:
                try:
                    wrong = None if self._file(name) else "nothing to read"
                except UnreadableFile as error:
                    wrong = str(error)
                if wrong is not None:
                    unread = True
                    say(f"{name}: {wrong}")
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
        except OSError as error:
            return report_lost(error)
        return BROKEN if self._refused else BAD_USAGE if unread else OK

    def _file(self, name: str) -> bool:
        """Print the games of a file; return whether there was anything in it."""
        content = lines(name)
        blank, first = [], b""
        for first in content:
            if first.strip(b"\xef\xbb\xbf \t\r\n"):
                break
            blank.append(first)
        else:
            return False
        if first.lstrip(b" \t").startswith(b"{"):
            for number, line in enumerate(itertools.chain([first], content), 1 + len(blank)):
                if end_of_download(line) is None:
                    self._record(f"{name}:{number}", line)
        else:
            self._texts_of(name, itertools.chain(blank, [first], content))
        return True

    def _texts_of(self, name: str, content: Iterable[bytes]) -> None:
        for first, data in split(content):
            try:
                game = read(data)
            except Refusal as error:
                line = first - 1 + error.line if error.line else (first if first > 1 else 0)
                self._refuse(f"{name}:{line}: {error.code}: {error.detail}")
                continue
            if game.complete and not self.as_text:
                sys.stdout.buffer.write(record_line(game))
            elif self.as_record:
                why = "a record needs all times and the tags Created, Started, Game, and Commitment or Seed"
                self._refuse(f"{name}:{first}: not complete: {why}")
            else:
                self._print(f"{name}:{first}", game)

    def _record(self, where: str, line: bytes) -> None:
        try:
            check(line)
        except RecordError as error:
            self._refuse(f"{where}: {error.detail}")
            return
        self._print(where, from_record(json.loads(line)))

    def _print(self, where: str, game: NotatedGame) -> None:
        try:
            printed = text(game, times=self.times).encode()
        except Refusal as error:
            self._refuse(f"{where}: {error.code}: {error.detail}")
            return
        separator = b"\n" if self._texts else b""
        self._texts += 1
        sys.stdout.buffer.write(separator + printed)

    def _refuse(self, why: str) -> None:
        self._refused += 1
        sys.stdout.flush()
        say(why)
