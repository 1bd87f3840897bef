"""The leader of a match, and its turning points: the moves with which a lead began that lasted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine import State
from engine.game import Match
from engine.story.model import StoryMove, TurningPoint

SHORTEST = 3
"""A lead lasts if it holds for this many moves, and for a tenth of the game's; the last one always lasts."""


def leader(state: State, before: int | None) -> int | None:
    """Return the seat that leads: the one with the fewest goal discs left of those still in the game.

    Of equals it is the one that led `before`, or else the one that would move next. Nobody leads while none of
    them has covered a goal. Once there is a ranking, the winner leads.
    """
    if not isinstance(state, Match):
        return None
    if state.result is not None and state.result.ranking is not None:
        return state.result.ranking[0]
    there = state.moon.order
    fewest = min(state.discs_left[seat] for seat in there)
    if fewest == state.goal_discs:
        return None
    if before in there and state.discs_left[before] == fewest:
        return before
    return next(seat for seat in there if state.discs_left[seat] == fewest)


def margin(state: State, seat: int | None) -> int:
    """Return by how many goal discs a seat leads all others still in the game; 0 if nobody leads or nobody else is in.

    It is never negative.
    """
    if seat is None or not isinstance(state, Match):
        return 0
    others = [state.discs_left[other] for other in state.moon.order if other != seat]
    return max(0, min(others) - state.discs_left[seat]) if others else 0


@dataclass(slots=True)
class _Lead:
    """A stretch of moves after which the same seat leads: the places of its first and its last move."""

    seat: int
    first: int
    last: int


def turning_points(moves: Sequence[StoryMove]) -> tuple[TurningPoint, ...]:
    """Return the moves with which a lead began that lasted, and that was another seat's before."""
    leads = _leads(moves)
    lasting = _joined([lead for lead in leads if _lasts(lead, len(moves)) or lead is leads[-1]])
    return tuple(
        TurningPoint(
            moves[lead.first].seq,
            lead.seat,
            before.seat,
            lead.last - lead.first + 1,
            max(move.margin for move in moves[lead.first : lead.last + 1] if move.leader == lead.seat),
        )
        for before, lead in pairwise(lasting)
    )


def _leads(moves: Sequence[StoryMove]) -> list[_Lead]:
    found: list[_Lead] = []
    for place, move in enumerate(moves):
        if move.leader is None:
            continue
        if found and found[-1].seat == move.leader:
            found[-1].last = place
        else:
            found.append(_Lead(move.leader, place, place))
    return found


def _lasts(lead: _Lead, moves: int) -> bool:
    length = lead.last - lead.first + 1
    return length >= SHORTEST and length * 10 >= moves


def _joined(leads: Sequence[_Lead]) -> list[_Lead]:
    """Merge consecutive leads of the same seat into one: what came between them did not last."""
    joined: list[_Lead] = []
    for lead in leads:
        if joined and joined[-1].seat == lead.seat:
            joined[-1].last = lead.last
        else:
            joined.append(lead)
    return joined
