"""Check a text that has been played: its times, its result, and what it says of the game as a whole."""

from __future__ import annotations

from engine.audit import check
from engine.clock.audit import concerns
from engine.errors import RecordError
from engine.notation.errors import Refusal
from engine.notation.model import NotatedGame
from engine.notation.result_line import is_result, render_result
from engine.notation.source import Source
from engine.notation.to_record import build, head
from engine.record import line


def check_times(source: Source, game: NotatedGame) -> None:
    """Check that there are all times or none, and that none goes back.

    Raises:
        Refusal: `times_partial` or `bad_time`.
    """
    setup = game.setup
    if setup.created is None and setup.started is None and all(entry.at is None for entry in game.entries):
        return
    for written, entry in zip(source.entries, game.entries, strict=True):
        if entry.at is None:
            raise Refusal(written.line, "times_partial", "The time is missing here, but not everywhere.")
    if setup.created is None or setup.started is None:
        missing = "Created" if setup.created is None else "Started"
        raise Refusal(source.last_line, "times_partial", f"The entries have times, but the tag {missing} is missing.")
    if setup.started < setup.created:
        raise Refusal(source.tag_lines["Started"], "bad_time", "The game started before it was made.")
    before = setup.started
    for written, entry in zip(source.entries, game.entries, strict=True):
        assert entry.at is not None
        if entry.at < before:
            raise Refusal(written.line, "bad_time", "The time goes back.")
        before = entry.at


def check_whole(source: Source, game: NotatedGame) -> None:
    """Check the result, the draw of a complete text, its clock and its head.

    Raises:
        Refusal: one of them is wrong.
    """
    tags, lines, setup = source.tags, source.tag_lines, game.setup
    if game.complete:
        _check_clock(source, game)
    if not is_result(source.result, game.result):
        raise Refusal(source.result_line, "bad_result", f"The moves lead to: {render_result(game.result)}")
    if setup.seed is not None and game.result is None:
        raise Refusal(lines["Seed"], "bad_draw", "The game is still running; its seed is not shown yet.")
    if game.complete and setup.seed is None:
        if len(setup.tiles) != game.shown:
            why = f"The moves have shown {game.shown} tiles; Tiles has {len(setup.tiles)}."
            raise Refusal(lines["Tiles"], "bad_draw", why)
        if game.result is not None and setup.subject == setup.game:
            why = "The game is over and the draw was its own, so that its seed is known: the tag Seed is missing."
            raise Refusal(source.last_line, "missing_tag", why)
    if "Head" in tags:
        expected = head(game) if game.complete else None
        if tags["Head"] != expected:
            why = f"The last hash of the log is {expected}." if expected else "This text has no chain: it lacks tags."
            raise Refusal(lines["Head"], "bad_head", why)


def _check_clock(source: Source, game: NotatedGame) -> None:
    """Check the marks of a clock and of the host, as the audit of the record does."""
    record = build(game)
    if not concerns(record["log"]):
        return
    try:
        check(line(record))
    except RecordError as error:
        if isinstance(error.where, int) and error.where > 0:
            raise Refusal(source.entries[error.where - 1].line, "illegal", f"The clock: {error.why}.") from None
