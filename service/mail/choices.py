"""Describe, for mails and pages, the goals that each choice of the player to move would cover, and what follows it."""

from __future__ import annotations

from engine import State
from engine.game import Match
from engine.prospects import coverable
from engine.solo import DISCS, FIRST_STACK, Solo
from engine.tiles import TILES
from service.language import words
from service.language.cell_letters import lettered
from service.language.languages import Language
from service.language.people import People


def covers(state: State, seat: int, *, hints: bool) -> dict[int, dict[str, int]]:
    """Return for each choice's number the letters of the open cells, with how many goals it would cover there.

    The numbers of goals are all 0 without `hints`.
    """
    display = state.displays[seat]
    found: dict[int, dict[str, int]] = {}
    for number, id in enumerate(state.wheel.choices(), start=1):
        goals = coverable(display, id, state.discs_at_hand()) if hints else {}
        found[number] = {letters: goals.get(cell, 0) for letters, cell in lettered(display.open_cells())}
    return found


def covering(cells: dict[str, int], language: Language) -> str:
    """Return a sentence about where a tile would cover goals: `Covers 2 goals at D; 1 goal at F and H.`"""
    by_number: dict[int, list[str]] = {}
    for letters, goals in cells.items():
        by_number.setdefault(goals, []).append(letters)
    by_number.pop(0, None)
    if not by_number:
        return language.say("Covers no goal now.")
    where = (
        language.say(
            "%(goals)s at %(cells)s", goals=words.goals(number, language), cells=language.listed(by_number[number])
        )
        for number in sorted(by_number, reverse=True)
    )
    return language.say("Covers %(where)s.", where=language.joined(where))


def after(state: State, id: int, people: People) -> str:
    """Return a sentence about what follows if this tile is taken: whose turn it is, or the end; empty in a solo."""
    if _is_last_tile(state):
        return people.language.say("It is the last tile: the game ends with it.")
    if not isinstance(state, Match):
        return ""
    if TILES[id].cost <= lead(state):
        return people.language.say("Then it is your turn again.")
    return people.language.say("Then %(name)s is next.", name=people.called(state.moon.order[1]))


def refill_of_solo(state: State, language: Language) -> str:
    """Say why a solo has no refill now (5.2, 5.5); empty if it has one."""
    if not isinstance(state, Solo) or state.may_refill():
        return ""
    if state.phase == 2:
        return language.say("Phase 2 has no refill.")
    placed = DISCS - state.discs_left[0]
    assert placed < FIRST_STACK, "else it might be refilled"
    return language.say("A refill comes from the eighth disc on; placed so far: %(placed)s.", placed=placed)


def lead(state: Match) -> int:
    """Return the spaces that the mover can go and move again: behind the next disc, or onto its space (2.1, 2.5)."""
    moon = state.moon
    return moon.position[moon.order[1]] - moon.position[moon.order[0]]


def _is_last_tile(state: State) -> bool:
    """Return whether no tile is left after the one that was taken (4.2, 5.5)."""
    no_refill = state.phase == 2 if isinstance(state, Solo) else not state.wheel.pile_size
    return no_refill and len(state.wheel.ring) == 1
