"""Sentences that tell a player what a move would do, before it is made."""

from __future__ import annotations

from collections.abc import Iterator

from engine.moves import Place
from engine.result import Result
from engine.table import Step
from engine.tiles import TILES
from engine.track import RING
from service.language.people import People
from service.language.words import cell, goal, goal_discs, tile, tiles


def prospect(step: Step, people: People) -> Iterator[str]:
    """Describe the effect of a reader's move: the goals and what counts for them, the disc, the refill, the turn.

    Args:
        step: the step of the move, made on a copy of the state.
        people: the players; the reader is the one who moves.
    """
    say, language = people.language.say, people.language
    if isinstance(step.move, Place):
        where = {"tile": tile(step.move.tile, language), "cell": cell(step.move.x, step.move.y)}
        yield say("You place %(tile)s at %(cell)s.", **where)
    else:
        new = language.count("%(n)s new tile", "%(n)s new tiles", len(step.refilled))
        yield say("You refill the selection track with %(tiles)s, and see them only then.", tiles=new)
    yield from _goals(step, people)
    if step.moved is not None:
        origin, reached = step.moved
        yield say(
            "Your disc goes from %(origin)s to %(reached)s on the moon track (space %(space)s).",
            origin=origin,
            reached=reached,
            space=reached % RING,
        )
    if step.by_itself:
        new = tiles(len(step.refilled), language)
        yield say("That empties the selection track, so it is refilled with %(tiles)s.", tiles=new)
    yield _next(step, people)


def _goals(step: Step, people: People) -> Iterator[str]:
    """Return for each goal that would be covered what counts for it, and how many discs would be left then."""
    say, language = people.language.say, people.language
    if not step.covered:
        if step.tile is not None:
            yield say("It covers no goal.")
        return
    for number, index in step.covered:
        counting = step.counting(number, index)
        listed = language.listed(str(each) for each in counting)
        yield language.count(
            "It covers %(goal)s on tile %(tile)s, for which tile %(tiles)s counts.",
            "It covers %(goal)s on tile %(tile)s, for which the tiles %(tiles)s count.",
            len(counting),
            goal=goal(TILES[number].goals[index], language),
            tile=number,
            tiles=listed,
        )
    assert step.seat is not None, "only a player covers goals"
    yield say("You have %(discs)s left to place then.", discs=goal_discs(step.state.discs_left[step.seat], language))


def _next(step: Step, people: People) -> str:
    say = people.language.say
    if step.ended is not None:
        return _end(step.ended, people)
    if step.turn == step.seat:
        return say("Then it is your turn again.")
    assert step.turn is not None, "a running game has a player to move"
    return say("Then %(name)s is next.", name=people.called(step.turn))


def _end(result: Result, people: People) -> str:
    """Describe the end of the game."""
    say = people.language.say
    if not result.ranking:
        return say("The game ends with it.")
    winner = result.ranking[0]
    if winner == people.reader:
        return say("The game ends with it, and you win.")
    return say("The game ends with it, and %(name)s wins.", name=people.called(winner))
