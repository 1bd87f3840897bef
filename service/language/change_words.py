"""Sentences about what a move changed on the table beside the display, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import changes
from engine.changes import Change
from engine.track import RING
from service.language.happenings import outcome
from service.language.people import People


def sentences(made: Sequence[Change], people: People) -> Iterator[str]:
    """Yield sentences about the selection track, the moon track and the turn; `happening` tells the rest of a move."""
    say = people.language.say
    drawn = [str(change.tile) for change in made if isinstance(change, changes.TileDrawn)]
    for change in made:
        match change:
            case changes.MarkerMoved(_, to):
                yield say("The tile lay on space %(space)s of the selection track; the marker is there now.", space=to)
            case changes.DiscMoved():
                yield from _disc_moved(change, people)
            case changes.TileDrawn(tile) if str(tile) == drawn[0]:
                yield say("New on the selection track: %(tiles)s.", tiles=people.language.listed(drawn))
            case changes.PhaseBegun(total):
                yield say("Phase 2 begins. The first total is %(total)s.", total=total)
            case changes.DiscRemoved():
                yield say("The disc is off the moon track.")
            case changes.TurnPassed(seat):
                yield say("%(name)s is next.", name=people.called(seat))
            case changes.GameEnded(result):
                yield outcome(result, people)
    if not any(isinstance(change, changes.TurnPassed | changes.GameEnded) for change in made):
        yield from (
            say("%(name)s moves again.", name=people.called(change.seat))
            for change in made
            if isinstance(change, changes.DiscMoved)
        )


def _disc_moved(change: changes.DiscMoved, people: People) -> Iterator[str]:
    yield people.language.say(
        "The disc of %(name)s moves from space %(start)s to space %(to)s of the moon track.",
        name=people.called(change.seat),
        start=change.start % RING,
        to=change.to % RING,
    )
    if change.height:
        yield people.language.count("It lies on %(n)s other disc.", "It lies on %(n)s other discs.", change.height)
