"""Play the entries of a text and its variations, and check what each entry says of itself."""

from __future__ import annotations

from collections.abc import Sequence

from engine import State, Step
from engine.clock.mark_forms import is_reserved, read
from engine.clock.marks import BY_HOST
from engine.errors import MoveError, TilesNotShown, with_ruling
from engine.moves import End, Mark, Move, Place, Refill, Timeout
from engine.notation.entry_lines import WrittenEntry, WrittenVariation
from engine.notation.errors import Refusal
from engine.notation.model import SEATS, Entry, Variation
from engine.notation.places import Beside


def play(state: State, entries: Sequence[WrittenEntry], by: Sequence[str | None]) -> list[Entry]:
    """Play the log of a text on a state, which becomes that at its end, and return the entries.

    Args:
        state: the state at the start.
        entries: the log as it is written.
        by: by seat: who places and refills, where no entry says so.

    Raises:
        Refusal: an entry or a variation cannot be.
    """
    played = []
    for seq, written in enumerate(entries, 1):
        before = state.clone() if _varied(written) else None
        entry = _play(state, seq, written, by)
        if before is not None:
            # The order of the tiles does not depend on the moves, so a variation knows what its entry has shown.
            before.wheel.tiles = state.wheel.tiles
        played.append(_with_notes(entry, written, before))
    return played


def _varied(written: WrittenEntry) -> bool:
    return any(isinstance(note, WrittenVariation) for note in written.notes)


def _with_notes(entry: Entry, written: WrittenEntry, before: State | None) -> Entry:
    """Return an entry with its comments and variations, which are played from the state before it."""
    if not written.notes:
        return entry
    notes: list[str | Variation] = []
    for note in written.notes:
        if isinstance(note, str):
            notes.append(note)
        else:
            assert before is not None
            notes.append(_vary(before.clone(), entry.seq, note))
    return Entry(
        entry.seq,
        entry.seat,
        entry.move,
        entry.by,
        entry.at,
        entry.sign,
        entry.covered,
        entry.put_out,
        tuple(notes),
    )


def _vary(state: State, seq: int, variation: WrittenVariation) -> Variation:
    played = []
    for number, written in enumerate(variation.entries, seq):
        before = state.clone() if _varied(written) else None
        played.append(_with_notes(_play(state, number, written, None), written, before))
    return Variation(tuple(variation.comments), tuple(played))


def _play(state: State, seq: int, written: WrittenEntry, by: Sequence[str | None] | None) -> Entry:
    """Play one entry and return it; `by` is None in a variation, which cannot make tiles known."""
    line = written.line
    if written.number not in (None, seq):
        raise Refusal(line, "bad_number", f"This is entry {seq}, not {written.number}.")
    if state.result is not None:
        raise Refusal(line, "illegal", "The game is over; nothing can follow.")
    seat = _seat(state, written)
    _check_by(written)
    who = written.by
    if by is not None and not written.by_given and isinstance(written.move, Place | Beside | Refill):
        assert seat is not None
        who = by[seat]
    move = _move(state, written, seat)
    step = _advance(state, written, seat, move, known=by is None)
    put_out = tuple(tile for _, tile in step.refilled)
    _check_information(written, step, put_out)
    return Entry(seq, seat, move, who, written.at, written.sign, step.covered, put_out)


def _seat(state: State, written: WrittenEntry) -> int | None:
    """Return whose entry it is."""
    move, seat, turn = written.move, written.seat, state.turn
    nobodys = isinstance(move, End) or (isinstance(move, Mark) and written.by == "host")
    if not written.seat_given:
        return None if nobodys else turn
    if nobodys:
        if seat is not None:
            raise Refusal(written.line, "wrong_seat", "An end and the host's marks are nobody's; write - or no seat.")
        return None
    if seat is None or seat >= state.seats:
        given = "nobody" if seat is None else SEATS[seat]
        last = SEATS[state.seats - 1]
        raise Refusal(written.line, "wrong_seat", f"This is no entry of {given}; the seats are A to {last}.")
    if isinstance(move, Place | Beside | Refill) and seat != turn:
        assert turn is not None
        raise Refusal(written.line, "wrong_seat", f"It is the turn of {SEATS[turn]}, not of {SEATS[seat]}.")
    return seat


def _check_by(written: WrittenEntry) -> None:
    """Check that whoever is said to have acted may do so."""
    line, move, by = written.line, written.move, written.by
    if by == "host" and not isinstance(move, End | Mark):
        raise Refusal(line, "bad_by", "The host ends a game and makes marks, and does nothing else.")
    if by is not None and by != "host" and isinstance(move, End):
        raise Refusal(line, "bad_by", "An end has no by but the host.")
    if by is not None and isinstance(move, Timeout):
        raise Refusal(line, "bad_by", "A timeout has no by.")
    if isinstance(move, Mark) and is_reserved(move.kind):
        expected = "host" if isinstance(read(move), BY_HOST) else None
        if by != expected:
            why = "is the host's" if expected else "has no by"
            raise Refusal(line, "bad_by", f"A mark {move.kind} with these data {why}.")


def _move(state: State, written: WrittenEntry, seat: int | None) -> Move:
    """Return the move of an entry; a cell that is named by its neighbor is looked up on the player's display."""
    move = written.move
    if not isinstance(move, Beside):
        return move
    assert seat is not None
    for tile, x, y, _ in state.displays[seat].placed():
        if tile == move.neighbor:
            return Place(move.tile, x + move.dx, y + move.dy)
    raise Refusal(written.line, "illegal", f"There is no tile {move.neighbor} on the display of {SEATS[seat]}.")


def _advance(state: State, written: WrittenEntry, seat: int | None, move: Move, *, known: bool) -> Step:
    """Make a move on the state; what it is said to put out may make further tiles known."""
    tiles = state.wheel.tiles
    more = () if known else _further_tiles(state, written.put_out or ())
    new = len(set(more)) == len(more) and set(more).isdisjoint(tiles)
    if more and new:
        state.wheel.tiles = tiles + more
    try:
        return state.advance(seat, move)
    except TilesNotShown:
        if not new:
            raise Refusal(written.line, "bad_info", "A tile that this puts out has come out before.") from None
        why = "It is not known which tiles come out; list them behind >, or in the tag Tiles."
        raise Refusal(written.line, "tiles_unknown", why) from None
    except MoveError as error:
        raise Refusal(written.line, "illegal", with_ruling(error)) from None


def _further_tiles(state: State, put_out: tuple[int, ...]) -> tuple[int, ...]:
    """Return the tiles that an entry says it puts out beyond those that are known."""
    wheel = state.wheel
    return put_out[len(wheel.tiles) - wheel.shown :]


def _check_information(written: WrittenEntry, step: Step, put_out: tuple[int, ...]) -> None:
    """Check what an entry says it covered and put out."""
    if written.covered is not None and written.covered != step.covered:
        covered = ", ".join(f"{tile}.{goal + 1}" for tile, goal in step.covered) or "none"
        raise Refusal(written.line, "bad_info", f"The goals that this covers: {covered}.")
    if written.put_out is not None and written.put_out != put_out:
        raise Refusal(
            written.line, "bad_info", f"The tiles that this puts out: {', '.join(map(str, put_out)) or 'none'}."
        )
