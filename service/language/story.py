"""What happened at a table, told in sentences."""

from __future__ import annotations

from engine.moves import End, Place, Refill, Resign, Timeout
from engine.step import Result, Step
from engine.tiles import TILES
from service.language.people import People
from service.language.words import cell, counted, goal, tile


def happening(step: Step, people: People) -> str | None:
    """What one accepted move did, as one or more sentences; None for a mark, which does nothing at the table."""
    match step.move:
        case Place(number, x, y):
            assert step.seat is not None
            told = f"{people.who(step.seat)} placed {tile(number)} at {cell(x, y)}{_covered(step)}."
            if step.by_itself:
                new = counted(len(step.refilled), "new tile")
                told += f" That emptied the selection track, so it was refilled with {new}."
            return told
        case Refill():
            assert step.seat is not None
            new = counted(len(step.refilled), "new tile")
            return f"{people.who(step.seat)} refilled the selection track with {new}{_covered(step)}."
        case Resign():
            assert step.seat is not None
            return f"{people.who(step.seat)} left the game."
        case Timeout():
            assert step.seat is not None
            was = "were" if step.seat == people.reader else "was"
            return f"{people.who(step.seat)} {was} put out of the game for not moving."
        case End():
            return "The game was ended before anybody had won."
        case _:
            return None


def outcome(result: Result, people: People) -> str:
    """How a game ended, in one sentence."""
    if result.kind == "solo":
        return _solo(result)
    if result.ranking is None:
        return "The game was ended before anybody had won."
    winner = result.ranking[0]
    name = people.who(winner)
    if result.reason == "discs":
        return f"{name} placed the last goal disc and won."
    if result.reason == "left":
        return f"Everybody else has left, so {'you have' if winner == people.reader else name + ' has'} won."
    left = counted(result.discs_left[winner], "goal disc")
    return f"There are no tiles left. {name} won, with {left} left to place."


def _covered(step: Step) -> str:
    if not step.covered:
        return ""
    goals = "; ".join(f"{goal(TILES[number].goals[index])} on tile {number}" for number, index in step.covered)
    return f" and covered {counted(len(step.covered), 'goal')}: {goals}"


def _solo(result: Result) -> str:
    if result.score is None:
        return "The solo was left before its end, so it has no score."
    return (
        f"The solo ended with a score of {result.score}: {result.first_total} at the refill, "
        f"and {result.second_total} at the end."
    )
