"""Sentences about the course of a finished game, and the labels of its plots, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from engine.story import Story, StoryMove
from engine.story.model import Run
from service.language.durations import duration
from service.language.happenings import outcome
from service.language.languages import Language
from service.language.people import People
from service.language.words import goal_discs, goals, tiles

MOST = 4
"""The number of sentences that a mail or a page has room for."""

_LONG_RUN = 3
_LONG_THOUGHT = timedelta(hours=1)


def is_worth_telling(story: Story) -> bool:
    """Return whether enough happened in a game for plots and sentences: whether anybody covered a goal."""
    return any(move.covered for move in story.moves)


def course(story: Story, people: People) -> list[str]:
    """Return up to four sentences about a game: the lead, its richest move, who took what others wanted, the tempo."""
    return list(islice(_sentences(story, people), MOST))


def plots_title(people: People) -> str:
    """Return the title of the plots."""
    return people.language.say("The course of the game: %(names)s", names=people.all())


def plots_in_words(story: Story, people: People) -> list[str]:
    """Describe the plots in sentences, for people who cannot see them."""
    language = people.language
    sentences = [outcome(story.result, people), *course(story, people)]
    for player in story.players:
        sentences.append(
            language.say(
                "%(name)s: %(tiles)s, %(goals)s covered, %(discs)s left, time %(time)s.",
                name=people.called(player.seat),
                tiles=tiles(player.tiles, language),
                goals=goals(player.goals, language),
                discs=goal_discs(player.discs_left, language),
                time=player.distance,
            )
        )
    return sentences


def axis_labels(language: Language) -> dict[str, str]:
    """Return the headings of the plots by their names."""
    say = language.say
    return {
        "discs": say("Goal discs left"),
        "worth": say("Goals covered for the time spent"),
        "time": say("Time"),
        "turns": say("Turns and the goals that they covered"),
        "think": say("Time to think about a move"),
        "days": say("Moves by day"),
        "move": say("Move"),
    }


def legend(language: Language) -> dict[str, str]:
    """Return the meanings of the signs in the plot of the turns, by their names."""
    say = language.say
    return {
        "goals": say("larger: more goals covered"),
        "run": say("turns in a row"),
        "denial": say("a tile that somebody else could have used best"),
    }


def ticks(language: Language) -> tuple[tuple[int, str], ...]:
    """Return the marks of a logarithmic axis of durations: seconds, and their labels."""
    say = language.say
    return (
        (1, say("1 s")),
        (60, say("1 min")),
        (3600, say("1 h")),
        (86_400, say("1 day")),
        (604_800, say("1 week")),
        (2_592_000, say("30 days")),
    )


def _sentences(story: Story, people: People) -> Iterator[str]:
    yield from _lead(story, people)
    if story.second_phase_seq is not None and story.result.first_total is not None:
        yield people.language.say(
            "The refill came with move %(number)s, at a total of %(total)s.",
            number=story.second_phase_seq,
            total=story.result.first_total,
        )
    richest = max(story.moves, key=lambda move: move.covered, default=None)
    if richest is not None and richest.covered > 1 and richest.seat is not None:
        yield _richest(richest, richest.seat, people)
    yield from _denials(story, people)
    run = max(story.runs, key=lambda run: run.turns, default=None)
    if run is not None and run.turns >= _LONG_RUN:
        yield _run(run, people)
    yield from _thought(story, people)


def _lead(story: Story, people: People) -> Iterator[str]:
    say = people.language.say
    first = next((move for move in story.moves if move.leader is not None), None)
    if first is None or first.leader is None:
        return
    if not story.turning_points:
        seat = story.moves[-1].leader
        assert seat is not None, "a lead does not end without another one's"
        since = next(move.seq for move in story.moves if move.leader == seat)
        if seat == people.reader:
            yield say("You led from move %(number)s to the end.", number=since)
        else:
            yield say("%(name)s led from move %(number)s to the end.", name=people.called(seat), number=since)
        return
    last = story.turning_points[-1]
    mine, name = last.seat == people.reader, people.called(last.seat)
    if last.seq == story.moves[-1].seq:
        if mine:
            yield say("You took the lead with the very last move.")
        else:
            yield say("%(name)s took the lead with the very last move.", name=name)
    elif mine:
        yield say("You took the lead with move %(number)s and kept it to the end.", number=last.seq)
    else:
        yield say("%(name)s took the lead with move %(number)s and kept it to the end.", name=name, number=last.seq)
    before = len(story.turning_points) - 1
    if before == 1:
        yield say("The lead had changed hands once before.")
    elif before:
        yield say("The lead had changed hands %(number)s times before.", number=before)


def _richest(move: StoryMove, seat: int, people: People) -> str:
    say = people.language.say
    covered = goals(move.covered, people.language)
    if seat == people.reader:
        return say("The richest move was yours: move %(number)s covered %(goals)s.", number=move.seq, goals=covered)
    return say(
        "The richest move was move %(number)s, with which %(name)s covered %(goals)s.",
        number=move.seq,
        name=people.called(seat),
        goals=covered,
    )


def _denials(story: Story, people: People) -> Iterator[str]:
    say = people.language.say
    most = max(story.players, key=lambda player: player.took)
    if not most.took:
        return
    taken = tiles(most.took, people.language)
    if most.seat == people.reader:
        yield say("You took %(tiles)s with which somebody else could have covered the most goals.", tiles=taken)
    else:
        yield say(
            "%(name)s took %(tiles)s with which somebody else could have covered the most goals.",
            name=people.called(most.seat),
            tiles=taken,
        )


def _run(run: Run, people: People) -> str:
    if run.seat == people.reader:
        return people.language.count(
            "You had %(n)s turn in a row from move %(move)s.",
            "You had %(n)s turns in a row from move %(move)s.",
            run.turns,
            move=run.first,
        )
    return people.language.count(
        "%(name)s had %(n)s turn in a row from move %(move)s.",
        "%(name)s had %(n)s turns in a row from move %(move)s.",
        run.turns,
        name=people.called(run.seat),
        move=run.first,
    )


def _thought(story: Story, people: People) -> Iterator[str]:
    say = people.language.say
    most = max(story.players, key=lambda player: player.tempo.longest or 0)
    tempo = most.tempo
    if tempo.longest is None or tempo.longest < _LONG_THOUGHT.total_seconds():
        return
    time = duration(timedelta(seconds=tempo.longest), people.language)
    if most.seat == people.reader:
        yield say("You thought longest about move %(number)s: %(time)s.", number=tempo.longest_seq, time=time)
    else:
        yield say(
            "%(name)s thought longest, about move %(number)s: %(time)s.",
            name=people.called(most.seat),
            number=tempo.longest_seq,
            time=time,
        )
