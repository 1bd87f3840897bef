"""Contrast by WCAG 2.2 AA, and that the drawn colors are the measured ones."""

import re
from xml.etree import ElementTree

import pytest

from service.pictures import palette
from service.pictures.palette import GRAPHICS, SCHEMES, TEXTS, contrast
from service.pictures.scene import Part
from service.pictures.table import draw
from tests.support.picture_scenes import SVG, scene

ORNAMENT = {palette.RIM, palette.STAR, palette.SHADE, palette.FAINT}


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


def test_text_has_contrast_4_5_and_graphics_3() -> None:
    assert {pair: contrast(*pair) for pair in TEXTS if contrast(*pair) < 4.5} == {}
    assert {pair: contrast(*pair) for pair in GRAPHICS if contrast(*pair) < 3} == {}


@pytest.mark.parametrize("name", SCHEMES)
def test_what_is_drawn_was_measured(name: str) -> None:
    scheme = SCHEMES[name]
    for seats in (1, 4):
        for part in (Part.TABLE, Part.DISPLAY, Part.WHEEL):
            drawing = draw(scene(seats, 0.6, scheme=scheme), part)
            written = {text.get("fill") for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")}
            assert written <= {ink for ink, _ in TEXTS}
            measured = {color for pair in (*TEXTS, *GRAPHICS) for color in pair}
            assert set(re.findall(r"#[0-9a-f]{6}\b", drawing)) <= measured | ORNAMENT


def test_red_and_turquoise_differ_in_more_than_color() -> None:
    drawing = draw(scene(2, 0.5))
    red, turquoise = (re.search(rf'<g id="mark-{letter}">(.*?)</g>', drawing) for letter in "rt")
    assert red and turquoise and red[1] != turquoise[1]
