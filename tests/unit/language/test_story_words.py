"""The sentences about the course of a finished game, for its players and for others."""

import json
from dataclasses import replace

import pytest

from engine import record, simulate
from engine.moves import from_json
from engine.story import LoggedMove, Story, tell
from service.language.languages import CODES, language
from service.language.people import People
from service.language.story_words import MOST, course

NAMES = ("Ann", "Ben", "Cleo", "Dan")


def a_story(seats: int, seed: str) -> Story:
    found = json.loads(next(simulate.records(1, seats, seed, "greedy")))
    entries = [
        LoggedMove(each["seq"], record.moment(each["at"]), each["seat"], from_json(each["move"]))
        for each in found["log"]
    ]
    return tell(record.start(found, tuple(found["draw"]["tiles"])), record.moment(found["game"]["started_at"]), entries)


STORY = a_story(2, "course")


def test_the_lead_is_told_by_its_last_turning_point() -> None:
    story = next(found for seed in "abcdef" if len((found := a_story(4, seed)).turning_points) > 1)
    last = story.turning_points[-1]
    first, second, *_ = course(story, People(NAMES))
    assert first.startswith(f"{NAMES[last.seat]} took the lead with ")
    assert second.startswith("The lead had changed hands ")


def test_a_lead_from_the_first_goal_on_is_told_as_such() -> None:
    story = replace(STORY, turning_points=())
    winner = story.moves[-1].leader
    assert winner is not None
    since = next(move.seq for move in story.moves if move.leader == winner)
    assert course(story, People(NAMES[:2]))[0] == f"{NAMES[winner]} led from move {since} to the end."


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_there_are_at_most_four_sentences_in_every_language(code: str, seats: int) -> None:
    for seed in "abc":
        for reader in (None, *range(seats)):
            sentences = course(a_story(seats, seed), People(NAMES[:seats], reader, language(code)))
            assert 1 <= len(sentences) <= MOST
            assert all(sentence.endswith(".") and "%(" not in sentence for sentence in sentences)


def test_the_reader_is_you() -> None:
    for reader in (0, 1):
        told = " ".join(course(STORY, People(NAMES[:2], reader)))
        assert NAMES[reader] not in told and "ou" in told
    assert "You" not in " ".join(course(STORY, People(NAMES[:2])))


def test_the_longest_thought_is_told_from_an_hour_on() -> None:
    story = replace(STORY, denials=(), runs=(), players=tuple(replace(one, took=0) for one in STORY.players))
    most = max(story.players, key=lambda player: player.tempo.longest or 0)
    assert (
        f"{NAMES[most.seat]} thought longest, about move {most.tempo.longest_seq}: "
        in course(story, People(NAMES[:2]))[-1]
    )
    quick = tuple(replace(one, tempo=replace(one.tempo, longest=3599)) for one in story.players)
    assert "thought" not in course(replace(story, players=quick), People(NAMES[:2]))[-1]
