"""The few words on a picture of a table, and a full description of the picture for people who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from engine import State
from engine.game import Match
from engine.solo import Solo
from engine.tiles import TILES
from engine.track import RING
from service.language.cell_letters import lettered
from service.language.happenings import outcome
from service.language.languages import Language
from service.language.people import People
from service.language.words import cell, colors, goal, goal_discs, tiles


def pile(size: int, language: Language) -> str:
    """Return the label of the number on the draw pile's moon."""
    return language.count("tile in the pile", "tiles in the pile", size)


def discs_left(count: int, language: Language) -> str:
    """Return the number of goal discs that a player has left, in words."""
    return language.count("%(n)s disc left", "%(n)s discs left", count)


def to_move(language: Language) -> str:
    """Return the label beside the player whose turn it is."""
    return language.say("to move")


def gone(language: Language) -> str:
    """Return the label beside a player who left the game."""
    return language.say("left the game")


def at_space(position: int, language: Language) -> str:
    """Describe a disc's place on the moon track: its distance from the start, and its space if that differs."""
    space = position % RING
    if space == position:
        return language.say("space %(space)s", space=space)
    return language.say("space %(space)s, %(distance)s from the start", space=space, distance=position)


def place(number: int, language: Language) -> str:
    """Return a player's final rank, in words."""
    return language.say("place %(number)s", number=number)


def nothing_placed(language: Language) -> str:
    """Return the label in place of an empty display."""
    return language.say("no tiles yet")


def version(number: int, language: Language) -> str:
    """Return which state is shown, in words."""
    return language.say("after move %(number)s", number=number) if number else language.say("at the start")


def solo(state: Solo, language: Language) -> Iterator[str]:
    """Yield the score or else the phase of a solo, and its totals, each in a few words."""
    if state.score is not None:
        yield language.say("score %(score)s", score=state.score)
    else:
        yield language.say("phase %(phase)s", phase=state.phase)
    if state.first_total is not None:
        yield language.say("first total %(total)s", total=state.first_total)
    if state.second_total is not None:
        yield language.say("second total %(total)s", total=state.second_total)


def title(people: People, number: int) -> str:
    """Return the title of a picture."""
    said = {"names": people.all(), "version": version(number, people.language)}
    return people.language.say("Nova Luna: %(names)s, %(version)s", **said)


def standing(state: State, people: People) -> str:
    """Say whose turn it is, or how the game ended."""
    if state.result is not None:
        return outcome(state.result, people)
    assert state.turn is not None
    if isinstance(state, Solo):
        return people.language.say(
            "%(name)s plays alone: %(standing)s.",
            name=people.called(0),
            standing=", ".join(solo(state, people.language)),
        )
    return people.language.say("It is the turn of %(name)s.", name=people.called(state.turn))


def wheel(state: State, language: Language) -> Iterator[str]:
    """Describe the selection track: marker, choices, the other tiles clockwise, and the draw pile."""
    spaces = state.wheel.spaces()
    yield language.say("The marker is on space %(space)s of the selection track.", space=state.wheel.marker)
    choices = state.wheel.choices() if state.result is None else []
    for rank, number in enumerate(choices, 1):
        yield language.say(
            "Choice %(rank)s, on space %(space)s: %(tile)s.",
            rank=rank,
            space=spaces.index(number),
            tile=_tile(number, (), language),
        )
    others = [_tile(number, (), language) for number in state.wheel.ring if number not in choices]
    if others:
        yield language.say("Further clockwise: %(tiles)s.", tiles=language.joined(others))
    if not state.wheel.ring:
        yield language.say("There are no tiles on it.")
    yield language.say("In the draw pile: %(tiles)s.", tiles=tiles(state.wheel.pile_size, language))


def moon(state: State, people: People) -> Iterator[str]:
    """Describe the moon track's stacks, the one furthest back first; empty for a solo."""
    say = people.language.say
    if not isinstance(state, Match):
        return
    for position, seats in state.moon.stacks():
        names = people.language.listed(people.called(seat) for seat in seats)
        if len(seats) == 1:
            yield say("Space %(space)s of the moon track: %(name)s.", space=position % RING, name=names)
        else:
            yield say(
                "Space %(space)s of the moon track, from the bottom: %(names)s.", space=position % RING, names=names
            )
    for seat in state.moon.left:
        yield say("%(name)s left the game.", name=people.called(seat))


def display(state: State, seat: int, people: People, *, letters: bool) -> Iterator[str]:
    """Describe a player's display: discs left, each tile with its goals, and with `letters` the open cells."""
    language, shown = people.language, state.displays[seat]
    left = goal_discs(state.discs_left[seat], language)
    yield language.say("%(name)s has %(discs)s left to place.", name=people.called(seat), discs=left)
    placed = [
        _at(number, x, y, tuple(covered), language)
        for number, x, y, covered in sorted(shown.placed(), key=lambda placed: (placed[2], placed[1]))
    ]
    if placed:
        yield language.say("On the display: %(tiles)s.", tiles=language.joined(placed))
    else:
        yield language.say("The display is empty.")
    if letters:
        cells = ", ".join(f"{letter} {cell(*at)}" for letter, at in lettered(shown.open_cells()))
        yield language.say("Open cells: %(cells)s.", cells=cells)


@lru_cache(maxsize=4096)
def _at(number: int, x: int, y: int, covered: tuple[int, ...], language: Language) -> str:
    """Describe a tile and its cell; the last ones are cached, since tiles stay where they are."""
    return language.say("%(tile)s at %(cell)s", tile=_tile(number, covered, language), cell=cell(x, y))


@cache
def _tile(number: int, covered: tuple[int, ...], language: Language) -> str:
    """Describe a tile with its goals: `tile 17, red, time cost 4, goals: 2 blue (covered) / 1 red`."""
    found = TILES[number]
    facts = {"tile": number, "color": colors(language)[found.letter], "cost": found.cost}
    if not found.goals:
        return language.say("tile %(tile)s, %(color)s, time cost %(cost)s, no goal", **facts)
    goals = " / ".join(
        language.say("%(goal)s (covered)", goal=goal(asked, language)) if index in covered else goal(asked, language)
        for index, asked in enumerate(found.goals)
    )
    return language.say("tile %(tile)s, %(color)s, time cost %(cost)s, goals: %(goals)s", **facts, goals=goals)
