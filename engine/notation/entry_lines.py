"""Parse the line of an entry: its number, its seat, its move, and what follows the move."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from engine.clock.mark_forms import EntryError
from engine.clock.mark_forms import read as read_reserved
from engine.errors import MalformedMove
from engine.moves import MOST, End, Mark, Move, check_mark
from engine.notation.errors import Refusal
from engine.notation.places import PLACEMENT, Beside, NoSuchMove, match_move, tile_id
from engine.notation.times import read_time

_NUMBER = re.compile(
    r"([0-9]{1,16})(?:[ \t]*+[.:)][ \t]*+"
    rf"|[ \t]++(?=[A-Da-d-][ \t]|(?:refill|resign|timeout|end|mark)\b|{PLACEMENT}))",
    re.IGNORECASE | re.ASCII,
)
_SEAT = re.compile(r"([A-Da-d-])[ \t]++")
_MARK = re.compile(r"mark[ \t]++([^ \t]++)", re.IGNORECASE | re.ASCII)
_SIGN = re.compile(r"[ \t]*+(!!|\?\?|!\?|\?!|!|\?)(?=[ \t]|$)")
_MORE = re.compile(
    r"[ \t]++(?:(?P<comment>\#.*)"
    r"|\+[ \t]*+(?P<covered>[0-9]{1,16}\.[123](?>(?:[ \t]*+,[ \t]*+[0-9]{1,16}\.[123])*))(?=[ \t]|$)"
    r"|>[ \t]*+(?P<put_out>[0-9]{1,16}(?>(?:[ \t]*+,[ \t]*+[0-9]{1,16})*))(?=[ \t]|$)"
    r"|(?P<by>by)(?:[ \t]++(?P<who>[^ \t]++)|$)"
    r"|(?P<at>at)(?:[ \t]++(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}[ \t]++[^ \t]++|[^ \t]++)|$)"
    r"|(?P<data>data)(?:[ \t]++(?P<json>.++)|$))",
    re.IGNORECASE | re.ASCII,
)
_BOT = re.compile(r"bot:([\x21-\x7e]{1,60})", re.IGNORECASE | re.ASCII)

_MOVES_ONLY, _MARKS_ONLY = ("covered", "put_out"), ("data",)
_SHOWN = 60


@dataclass(slots=True)
class WrittenEntry:
    """An entry as it is written, before it is played.

    Attributes:
        line: the number of its line.
        number: its own number, if it has one.
        seat_given: whether a seat is written.
        seat: the seat; None for nobody (`-`), or if none is written.
        by_given: whether `by` is written, which may also say that it was the player.
        covered: the goals that it says were covered; None if it does not say.
        put_out: the tiles that it says were put out; None if it does not say.
        comment: a comment behind it on the same line.
        notes: the comments and variations that follow it.
    """

    line: int
    number: int | None
    seat_given: bool
    seat: int | None
    move: Move | Beside
    sign: str = ""
    covered: tuple[tuple[int, int], ...] | None = None
    put_out: tuple[int, ...] | None = None
    by_given: bool = False
    by: str | None = None
    at: str | None = None
    comment: str | None = None
    notes: list[str | WrittenVariation] = field(default_factory=list)


@dataclass(slots=True)
class WrittenVariation:
    """A variation as it is written."""

    comments: list[str] = field(default_factory=list)
    entries: list[WrittenEntry] = field(default_factory=list)


def parse_entry(line: int, text: str, *, varied: bool) -> WrittenEntry:
    """Return the entry of a line.

    Args:
        line: its number.
        text: the line, without white space at its ends.
        varied: whether it is in a variation, where there are no ends, marks, times and no `by`.

    Raises:
        Refusal: the line is no entry.
    """
    number, position = None, 0
    if found := _NUMBER.match(text):
        number, position = int(found[1]), found.end()
        if number > MOST:
            raise Refusal(line, "bad_move", "A number has at most 16 digits and is below 2^53.")
    seat, seat_given = None, False
    if found := _SEAT.match(text, position):
        seat_given, position = True, found.end()
        seat = None if found[1] == "-" else "abcd".index(found[1].lower())
    sign, kind = "", None
    if found := _MARK.match(text, position):
        kind, position = found[1], found.end()
        move: Move | Beside = Mark(kind)
    else:
        move, position = _move(line, text, position)
        if found := _SIGN.match(text, position):
            sign, position = found[1], found.end()
    entry = WrittenEntry(line, number, seat_given, seat, move, sign)
    _more(entry, text, position, kind)
    if isinstance(entry.move, Mark):
        _check_mark(line, entry.move)
    if varied and (isinstance(entry.move, End | Mark) or entry.by_given or entry.at is not None):
        raise Refusal(line, "bad_variation", "A variation has no ends, no marks, no times and no by.")
    return entry


def comment_text(text: str) -> str:
    """Return the text of a comment that begins with `#`, without the one space behind that."""
    return text[1:].removeprefix(" ")


def is_data_mark(line: int, text: str) -> int | None:
    """Return where the data of a mark begin in a line, or None if it is no entry with data."""
    try:
        entry = parse_entry(line, text, varied=False)
    except Refusal:
        return None
    if not isinstance(entry.move, Mark) or entry.move.data is None:
        return None
    found = re.search(r"[ \t]data[ \t]", text, re.IGNORECASE | re.ASCII)
    return found.end() if found else None


def parse_by(text: str) -> tuple[bool, str | None]:
    """Return whether a text says who acted, and who: "host", a bot as "bot:greedy", or None for the player."""
    if found := _BOT.fullmatch(text):
        return True, f"bot:{found[1]}"
    word = text.lower() if text.isascii() else ""
    return word in ("host", "player"), "host" if word == "host" else None


def _move(line: int, text: str, position: int) -> tuple[Move | Beside, int]:
    try:
        found = match_move(text, position)
    except NoSuchMove as error:
        raise Refusal(line, "bad_move", str(error)) from None
    if found is None:
        raise _bad_move(line, text, position)
    return found


def _bad_move(line: int, text: str, position: int) -> Refusal:
    given = text[position : position + _SHOWN]
    return Refusal(line, "bad_move", f"No move is written {given!r}; write 17@0,0 or refill or resign.")


def _more(entry: WrittenEntry, text: str, position: int, kind: str | None) -> None:
    """Read what follows the move, up to the end of the line."""
    seen: set[str] = set()
    while position < len(text):
        found = _MORE.match(text, position)
        if found is None:
            raise _bad_move(entry.line, text, position)
        what = next(name for name in ("comment", "covered", "put_out", "by", "at", "data") if found[name])
        if what in seen or what in (_MOVES_ONLY if kind is not None else _MARKS_ONLY):
            raise _bad_move(entry.line, text, position)
        seen.add(what)
        _one_more(entry, what, found, kind)
        position = found.end()


def _one_more(entry: WrittenEntry, what: str, found: re.Match[str], kind: str | None) -> None:
    line = entry.line
    try:
        if what == "covered":
            goals = (goal.strip(" \t").split(".") for goal in found["covered"].split(","))
            entry.covered = tuple((tile_id(tile), int(goal) - 1) for tile, goal in goals)
        elif what == "put_out":
            entry.put_out = tuple(tile_id(tile.strip(" \t")) for tile in found["put_out"].split(","))
    except NoSuchMove as error:
        raise Refusal(line, "bad_move", str(error)) from None
    if what == "comment":
        entry.comment = comment_text(found["comment"])
    elif what == "by":
        entry.by_given, entry.by = parse_by(found["who"] or "")
        if not entry.by_given:
            raise Refusal(line, "bad_by", 'After by stands "host", a bot as in "bot:greedy", or "player".')
    elif what == "at":
        entry.at = read_time(found["time"] or "")
        if entry.at is None:
            raise Refusal(line, "bad_time", "A time is written as 2026-11-27T20:56:00.123Z, and its date exists.")
    elif what == "data":
        assert kind is not None
        entry.move = Mark(kind, _json(line, found["json"] or ""))


def _json(line: int, text: str) -> Any:
    try:
        value = json.loads(text, parse_float=_no_fraction, parse_constant=_no_fraction, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Refusal(line, "bad_move", "The data of a mark are JSON, with whole numbers and each name once.") from None
    if value is None:
        raise Refusal(line, "bad_move", "A mark without data leaves them out.")
    return value


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name twice")
    return value


def _check_mark(line: int, mark: Mark) -> None:
    try:
        check_mark(mark)
        read_reserved(mark)
    except MalformedMove as error:
        raise Refusal(line, "bad_move", error.detail) from None
    except EntryError as error:
        raise Refusal(line, "bad_move", f"This is no mark of a clock or of the host: {error}.") from None
