"""The plots of a finished game: what they show, in words too, and that they are safe and small enough for a mail."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from engine import record, simulate
from engine.game import Match
from engine.moves import RESIGN, from_json
from engine.story import LoggedMove, Story, tell
from service.language.languages import CODES, language
from service.language.people import People
from service.language.story_words import course, is_worth_telling
from service.pictures import raster
from service.pictures.palette import DARK, LIGHT
from service.pictures.plots.axes import step
from service.pictures.plots.story import StoryScene, draw_story
from service.pictures.plots.style import DASHES
from service.pictures.style_sheet import FOLLOWING

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("Ann", "Ben", "Cleo", "Đorđe")
START = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)


def a_story(seats: int, seed: str = "plots", by: str | None = None) -> Story:
    """Return the story of a simulated game, which people played unless `by` says otherwise."""
    found = json.loads(next(simulate.records(1, seats, seed, "greedy")))
    entries = [
        LoggedMove(each["seq"], record.moment(each["at"]), each["seat"], from_json(each["move"]), by)
        for each in found["log"]
    ]
    return tell(record.start(found, tuple(found["draw"]["tiles"])), record.moment(found["game"]["started_at"]), entries)


STORIES = {seats: a_story(seats) for seats in (1, 2, 3, 4)}


def left_at_once() -> Story:
    """Return the story of a match that everybody but one left before they moved."""
    state = Match(2, 20, tuple(range(1, 69)), (1, 0))
    return tell(state, START, [LoggedMove(1, START + timedelta(hours=1), 0, RESIGN)])


def texts(drawing: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


@pytest.mark.parametrize("seats", STORIES)
@pytest.mark.parametrize("code", CODES)
def test_plots_name_everybody_and_refer_to_nothing(seats: int, code: str) -> None:
    scene = StoryScene(STORIES[seats], People(NAMES[:seats], language=language(code)), DARK)
    drawing = draw_story(scene)
    assert set(NAMES[:seats]) <= set(texts(drawing))
    assert "http" not in drawing.replace("http://www.w3.org/2000/svg", "") and "url(" not in drawing
    assert f'lang="{code}"' in drawing


@pytest.mark.parametrize("seats", STORIES)
def test_plots_are_told_in_words(seats: int) -> None:
    story, people = STORIES[seats], People(NAMES[:seats])
    root = ElementTree.fromstring(draw_story(StoryScene(story, people)))
    assert root.get("role") == "img" and root.get("aria-labelledby") == "title desc"
    described = root.findtext(f"{SVG}desc") or ""
    assert all(sentence in described for sentence in course(story, people))
    for player in story.players:
        assert f"{NAMES[player.seat]}: {player.tiles} tiles, {player.goals} goals covered" in described


def test_each_seat_has_a_dash_and_a_color_of_its_own() -> None:
    assert len(set(DASHES)) == 4
    root = ElementTree.fromstring(draw_story(StoryScene(STORIES[4], People(NAMES))))
    lines = {
        (path.get("stroke"), path.get("stroke-dasharray"))
        for path in root.iter(f"{SVG}path")
        if path.get("stroke-width") == "2.6"
    }
    assert len(lines) == 4 and len({color for color, _ in lines}) == 4


def test_lines_end_where_the_game_did() -> None:
    story = STORIES[2]
    root = ElementTree.fromstring(draw_story(StoryScene(story, People(NAMES[:2]))))
    lines = [path.get("d") or "" for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "2.6"]
    drawn = [[float(y) for y in re.findall(r"V([\d.]+)", line)] for line in lines[:2]]
    starts = [float(re.match(r"M[\d.]+ ([\d.]+)", line)[1]) for line in lines[:2]]  # type: ignore[index]
    for seat, heights in enumerate(drawn):
        assert len(heights) == len(story.moves)
        # The plot of 20 discs is 190 high; the fewer are left, the lower is the line.
        left = [story.goal_discs - (y - starts[seat]) / 190 * story.goal_discs for y in heights]
        assert [round(discs) for discs in left] == [move.discs_left[seat] for move in story.moves]
        assert all(one <= other for one, other in pairwise(heights))


def test_each_turning_point_has_its_number() -> None:
    story = next(found for seed in "abcdef" if len((found := a_story(4, seed)).turning_points) > 1)
    drawing = draw_story(StoryScene(story, People(NAMES)))
    assert drawing.count(f'fill="{LIGHT.gold}"') == len(story.turning_points)


def test_there_is_no_tempo_where_only_bots_moved() -> None:
    headings = texts(draw_story(StoryScene(a_story(2, by="bot:greedy"), People(NAMES[:2]))))
    assert "Time to think about a move" not in headings and "Goal discs left" in headings
    assert "Time to think about a move" in texts(draw_story(StoryScene(STORIES[2], People(NAMES[:2]))))


def test_a_game_that_was_left_at_once_has_plots_but_nothing_to_tell() -> None:
    story = left_at_once()
    assert not is_worth_telling(story) and is_worth_telling(STORIES[2])
    assert "Goal discs left" in texts(draw_story(StoryScene(story, People(NAMES[:2]))))


def test_names_cannot_add_elements() -> None:
    names = ("</text><script>alert(1)</script>", "\u202e\x00&amp;", None, "x" * 300)
    root = ElementTree.fromstring(draw_story(StoryScene(STORIES[4], People(names))))
    assert not list(root.iter(f"{SVG}script"))


def test_ids_differ_from_those_of_a_board_on_the_same_page() -> None:
    drawing = draw_story(StoryScene(STORIES[2], People(NAMES[:2]), FOLLOWING, prefix="story-"))
    assert set(re.findall(r' id="([^"]+)"', drawing)) == {"story-title", "story-desc"}
    assert "<style" not in drawing


@pytest.mark.parametrize("seats", STORIES)
def test_plots_are_small_enough_for_a_mail(seats: int) -> None:
    scene = StoryScene(STORIES[seats], People(NAMES[:seats]), DARK, only_shipped_type=True)
    assert len(raster.png(draw_story(scene), 700)) < raster.LARGEST


def test_a_name_that_the_font_lacks_is_a_number_in_a_png() -> None:
    scene = StoryScene(STORIES[2], People(("Ann", "愛子")), only_shipped_type=True)
    assert "Player 2" in texts(draw_story(scene))
    assert "愛子" in texts(draw_story(replace(scene, only_shipped_type=False)))


@pytest.mark.parametrize(("most", "expected"), [(0, 1), (1, 1), (8, 1), (9, 2), (40, 5), (41, 10), (400, 50)])
def test_ticks_are_one_two_or_five_times_a_power_of_ten(most: int, expected: int) -> None:
    assert step(most) == expected
