"""Print a game in the one spelling that a text has."""

from __future__ import annotations

from collections.abc import Iterator

from engine.moves import Mark, Place, Refill
from engine.notation.errors import Refusal
from engine.notation.model import SEATS, Entry, NotatedGame, Variation
from engine.notation.result_line import render_result
from engine.notation.setup import FORMAT
from engine.notation.source import MOST_BYTES, MOST_CHARACTERS
from engine.notation.tags import render_tag
from engine.record import canonical
from engine.text import render

_INDENT = "  "
_SHOWN = 20


def text(game: NotatedGame, *, times: bool = True) -> str:
    """Return the canonical text of a game.

    Args:
        game: the game.
        times: whether to print its times; without them the text is not complete.

    Raises:
        Refusal: it would be longer than a text that is read (`too_long`).
    """
    timed = times and game.timed
    by = _by_tags(game)
    lines = [render_tag(name, value) for name, value in _tags(game, by, timed=timed)]
    lines.append("")
    lines += map(_comment, game.comments)
    for entry in game.entries:
        lines += _entry(entry, by, "", timed=timed)
    lines.append(render_result(game.result))
    printed = "\n".join(lines) + "\n"
    _check_length(lines, printed)
    return printed


def _check_length(lines: list[str], printed: str) -> None:
    for number, each in enumerate(lines, 1):
        if len(each) > MOST_CHARACTERS:
            raise Refusal(
                0,
                "too_long",
                f"Line {number} of the text, which begins with {each[:_SHOWN]!r}, would have {len(each)} characters;"
                f" a line has at most {MOST_CHARACTERS}.",
            )
    if len(printed.encode()) > MOST_BYTES:
        raise Refusal(
            0, "too_long", "The text would have more than 1 MiB, which is the most that the text of a game has."
        )


def line(entry: Entry) -> str:
    """Return the line of an entry alone, with its time and who acted, and without its comments and variations."""
    return " ".join(_words(entry, [None] * len(SEATS), timed=True))


def _tags(game: NotatedGame, by: list[str | None], *, timed: bool) -> Iterator[tuple[str, str]]:
    setup = game.setup
    yield "Format", FORMAT
    if setup.game is not None:
        yield "Game", setup.game
    yield "Rules", setup.rules
    yield "Seats", str(setup.seats)
    yield "Discs", str(setup.discs)
    yield from ((letter, name) for letter, name in zip(SEATS, setup.names, strict=False) if name is not None)
    yield from ((f"By{letter}", who) for letter, who in zip(SEATS, by, strict=False) if who is not None)
    if timed:
        assert setup.created is not None and setup.started is not None
        yield "Created", setup.created
        yield "Started", setup.started
    if setup.subject is not None and setup.subject != setup.game:
        yield "Subject", setup.subject
    if setup.commitment is not None:
        yield "Commitment", setup.commitment
    yield from ((f"Entropy{letter}", given) for letter, given in zip(SEATS, setup.entropy, strict=False) if given)
    if setup.seed is not None:
        yield "Seed", setup.seed.hex()
    yield "Stack", " ".join(SEATS[seat] for seat in setup.stack)
    yield "Tiles", " ".join(map(str, setup.tiles))
    if timed and game.head is not None:
        yield "Head", game.head
    yield from setup.own.items()


def _by_tags(game: NotatedGame) -> list[str | None]:
    """Return by seat who placed all its tiles and refilled, if that was one and the same, and not the player."""
    acted: list[set[str | None]] = [set() for _ in range(game.setup.seats)]
    for entry in game.entries:
        if isinstance(entry.move, Place | Refill) and entry.seat is not None:
            acted[entry.seat].add(entry.by)
    return [next(iter(who)) if len(who) == 1 else None for who in acted]


def _entry(entry: Entry, by: list[str | None], indent: str, *, timed: bool) -> Iterator[str]:
    """Yield the lines of an entry, with those of its comments and variations."""
    yield indent + " ".join(_words(entry, by, timed=timed))
    for note in entry.notes:
        if isinstance(note, Variation):
            yield from _variation(note, indent)
        else:
            yield indent + _comment(note)


def _variation(variation: Variation, indent: str) -> Iterator[str]:
    inner = indent + _INDENT
    yield indent + "("
    for comment in variation.comments:
        yield inner + _comment(comment)
    for entry in variation.entries:
        yield from _entry(entry, [None] * len(SEATS), inner, timed=False)
    yield indent + ")"


def _words(entry: Entry, by: list[str | None], *, timed: bool) -> Iterator[str]:
    move, data = entry.move, None
    if isinstance(move, Mark):
        move, data = Mark(move.kind), move.data
    yield f"{entry.seq}."
    yield "-" if entry.seat is None else SEATS[entry.seat]
    yield render(move) + entry.sign
    if entry.covered:
        yield "+" + ",".join(f"{tile}.{goal + 1}" for tile, goal in entry.covered)
    if entry.put_out:
        yield ">" + ",".join(map(str, entry.put_out))
    tagged = isinstance(move, Place | Refill) and entry.seat is not None and by[entry.seat] is not None
    if entry.by is not None and not tagged:
        yield f"by {entry.by}"
    if timed and entry.at is not None:
        yield f"at {entry.at}"
    if data is not None:
        yield "data " + canonical(data).decode()


def _comment(text: str) -> str:
    return f"# {text}" if text else "#"
