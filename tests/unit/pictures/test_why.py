"""The overlay that shows why a goal is met or not: frames, links and veils, a caption, and the same in words."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from engine.goals import ExplainedGoal, explained
from service.language.languages import CODES, language
from service.language.people import People
from service.pictures.lettering import fit
from service.pictures.palette import DARK, LIGHT, Scheme
from service.pictures.scene import Part, Scene
from service.pictures.table import draw
from tests.support.picture_scenes import NAMES, SVG, scene, texts, told


def goals(shown: Scene, seat: int = 0) -> tuple[ExplainedGoal, ...]:
    return explained(shown.state, seat)


def why(shown: Scene, goal: ExplainedGoal) -> Scene:
    return replace(shown, why=(goal.tile, goal.goal))


def overlay(drawing: str) -> list[ElementTree.Element]:
    """Return the shapes of the overlay; none if there is no overlay."""
    found = [each for each in ElementTree.fromstring(drawing).iter(f"{SVG}g") if each.get("data-why")]
    assert len(found) <= 1
    return list(found[0]) if found else []


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=lambda scheme: scheme.name)
def test_tiles_that_count_have_frames_and_all_others_are_veiled(scheme: Scheme) -> None:
    shown = scene(2, 0.8, scheme=scheme)
    placed = len(shown.state.displays[0])
    for goal in goals(shown):
        shapes = overlay(draw(why(shown, goal), Part.DISPLAY))
        veils = [each for each in shapes if each.get("fill-opacity")]
        frames = [each for each in shapes if each.get("stroke") == scheme.ink and each.get("fill") == "none"]
        assert len(veils) == placed - 1 - len(goal.counting)
        assert len(frames) >= len(goal.counting)


def test_links_join_chains_to_the_tile_of_the_goal() -> None:
    shown = scene(2, 0.8)
    seen = 0
    for goal in goals(shown):
        shapes = overlay(draw(why(shown, goal), Part.DISPLAY))
        links = [each for each in shapes if each.get("fill") == LIGHT.gold]
        chains = [chain for color in goal.colors for chain in color.chains]
        assert len(links) >= sum(len(chain.tiles) for chain in chains) and bool(links) == bool(chains)
        seen += len(links)
    assert seen > 20


@pytest.mark.parametrize("code", CODES)
def test_title_description_and_caption_say_the_same(code: str) -> None:
    spoken = language(code)
    shown = replace(scene(2, 0.8), people=People(NAMES[:2], language=spoken))
    goal = next(each for each in goals(shown) if each.missing and each.counting)
    drawing = draw(why(shown, goal), Part.DISPLAY)
    _, description = told(drawing)
    assert f"{goal.tile}" in description and len(description) > len(told(draw(shown, Part.DISPLAY))[1])
    caption = texts(drawing)
    assert any(str(goal.tile) in text and str(goal.goal + 1) in text and len(text) > 8 for text in caption)
    assert not any("%" in text for text in caption)


def test_a_goal_is_explained_on_the_display_that_has_it() -> None:
    shown = scene(3, 0.8)
    goal = goals(shown, 2)[0]
    assert why(shown, goal).first == 2 and why(shown, goal).order[0] == 2
    assert overlay(draw(why(shown, goal)))
    assert not overlay(draw(replace(why(shown, goal), seat=0), Part.DISPLAY))
    assert not overlay(draw(why(shown, goal), Part.WHEEL)) and not overlay(draw(why(shown, goal), Part.TRACK))


def test_a_goal_that_no_tile_has_is_not_explained() -> None:
    shown = scene(2, 0.5)
    placed = {tile for display in shown.state.displays for tile, *_ in display.placed()}
    missing = min(set(range(1, 69)) - placed)
    assert replace(shown, why=(missing, 0)).explained is None
    assert replace(shown, why=(goals(shown)[0].tile, 3)).explained is None
    assert shown.explained is None


def test_the_caption_fits_below_the_display() -> None:
    shown = scene(2, 0.8)
    goal = goals(shown)[0]
    plain, drawing = (ElementTree.fromstring(draw(each, Part.DISPLAY)) for each in (shown, why(shown, goal)))
    assert float(drawing.get("height", 0)) == float(plain.get("height", 0)) + 54
    assert all(fit(text, 700, 17) == text for text in texts(draw(why(shown, goal), Part.DISPLAY)))
