"""Sentences that tell what happened at a table, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.moves import End, Mark, Place, Refill, Resign, Timeout
from engine.result import Result
from engine.table import Step
from engine.tiles import TILES
from service.language.clock_story import said_by
from service.language.goal_words import by_tiles
from service.language.languages import Language
from service.language.people import People
from service.language.words import cell, goal, goal_discs, goals, tile

CoveredBy = Sequence[Sequence[int]]
"""For each goal that a step covered, the ids of the tiles that counted for it."""


def happening(
    step: Step, people: People, by: str | None = None, covered_by: CoveredBy = (), *, zone: str = "UTC"
) -> str | None:
    """Describe the effect of an entry in one or more sentences; None for a mark that needs none.

    Args:
        step: the step of the entry.
        people: the players, as the reader calls them.
        by: who acted instead of the player, as the entry has it.
        covered_by: for each covered goal the tiles that counted for it, to be named (`Step.covered_by`); empty: they
            are not.
        zone: the zone of the times in it: the reader's, if it is for one reader.
    """
    say = people.language.say
    if isinstance(step.move, End):
        return say("The game was ended before anybody had won.")
    if isinstance(step.move, Mark):
        return said_by(step.move, step.seat, people, zone)
    assert step.seat is not None and isinstance(step.move, Place | Refill | Resign | Timeout)
    counting = tuple(map(tuple, covered_by))
    told = _moved(_Move(step.move, step.seat, step.covered, counting, len(step.refilled)), people)
    is_told = by and (step.seat is None or not people.is_bot(step.seat))
    return " ".join((told, say("A bot made this move."))) if is_told else told


class _Move(NamedTuple):
    """The facts of a player's move that a sentence tells, with the number of tiles that a refill has brought."""

    made: Place | Refill | Resign | Timeout
    seat: int
    covered: tuple[tuple[int, int], ...]
    covered_by: tuple[tuple[int, ...], ...]
    new_tiles: int


@lru_cache(maxsize=4096)
def _moved(move: _Move, people: People) -> str:
    """Describe the effect of a move; the last sentences are cached, since a page has those of all moves until then."""
    say = people.language.say
    mine, name = move.seat == people.reader, people.called(move.seat)
    match move.made:
        case Place():
            told = _placed(move, move.made, mine, people)
            return f"{told} {_refilled_by_itself(move, people)}" if move.new_tiles else told
        case Refill():
            return _refilled(move, mine, people)
        case Resign():
            return say("You left the game.") if mine else say("%(name)s left the game.", name=name)
        case Timeout():
            return say("You were put out of the game.") if mine else say("%(name)s was put out of the game.", name=name)


def outcome(result: Result, people: People) -> str:
    """Describe the end of a game in one sentence."""
    say = people.language.say
    if result.kind == "solo":
        return _solo(result, people)
    if result.ranking is None:
        return say("The game was ended before anybody had won.")
    winner = result.ranking[0]
    mine, name = winner == people.reader, people.called(winner)
    if result.reason == "discs":
        if mine:
            return say("You placed the last goal disc and won.")
        return say("%(name)s placed the last goal disc and won.", name=name)
    if result.reason == "left":
        if mine:
            return say("Everybody else has left, so you have won.")
        return say("Everybody else has left, so %(name)s has won.", name=name)
    left = goal_discs(result.discs_left[winner], people.language)
    if mine:
        return say("There are no tiles left. You won, with %(discs)s left to place.", discs=left)
    return say("There are no tiles left. %(name)s won, with %(discs)s left to place.", name=name, discs=left)


def _placed(move: _Move, place: Place, mine: bool, people: People) -> str:
    say, name = people.language.say, people.called(move.seat)
    where = {"tile": tile(place.tile, people.language), "cell": cell(place.x, place.y)}
    if move.covered:
        covered = _covered(move, people)
        if mine:
            return say("You placed %(tile)s at %(cell)s and covered %(goals)s: %(which)s.", **where, **covered)
        return say(
            "%(name)s placed %(tile)s at %(cell)s and covered %(goals)s: %(which)s.", name=name, **where, **covered
        )
    if mine:
        return say("You placed %(tile)s at %(cell)s.", **where)
    return say("%(name)s placed %(tile)s at %(cell)s.", name=name, **where)


def _refilled(move: _Move, mine: bool, people: People) -> str:
    say, name = people.language.say, people.called(move.seat)
    new = _new_tiles(move, people)
    if move.covered:
        covered = _covered(move, people)
        if mine:
            return say(
                "You refilled the selection track with %(tiles)s and covered %(goals)s: %(which)s.",
                tiles=new,
                **covered,
            )
        return say(
            "%(name)s refilled the selection track with %(tiles)s and covered %(goals)s: %(which)s.",
            name=name,
            tiles=new,
            **covered,
        )
    if mine:
        return say("You refilled the selection track with %(tiles)s.", tiles=new)
    return say("%(name)s refilled the selection track with %(tiles)s.", name=name, tiles=new)


def _refilled_by_itself(move: _Move, people: People) -> str:
    new = _new_tiles(move, people)
    return people.language.say("That emptied the selection track, so it was refilled with %(tiles)s.", tiles=new)


def _new_tiles(move: _Move, people: People) -> str:
    return people.language.count("%(n)s new tile", "%(n)s new tiles", move.new_tiles)


def _covered(move: _Move, people: People) -> dict[str, str]:
    counting = dict(zip(move.covered, move.covered_by, strict=False))
    which = [_goal(number, index, counting.get((number, index), ()), people.language) for number, index in move.covered]
    return {"goals": goals(len(move.covered), people.language), "which": people.language.joined(which)}


def _goal(number: int, index: int, counting: Sequence[int], language: Language) -> str:
    """Return a covered goal in words, with the tiles that counted for it if they are given."""
    facts = {"goal": goal(TILES[number].goals[index], language), "tile": number}
    if not counting:
        return language.say("%(goal)s on tile %(tile)s", **facts)
    return language.say("%(goal)s on tile %(tile)s, %(by)s", **facts, by=by_tiles(counting, language))


def _solo(result: Result, people: People) -> str:
    say = people.language.say
    if result.score is None:
        return say("The solo was left before its end, so it has no score.")
    return say(
        "The solo ended with a score of %(score)s: %(first)s at the refill, and %(second)s at the end.",
        score=result.score,
        first=result.first_total,
        second=result.second_total,
    )
