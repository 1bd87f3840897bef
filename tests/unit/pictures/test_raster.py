"""PNG: small, in few colors, with text; and the bundled font."""

import re
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from service.language.people import People
from service.pictures import raster
from service.pictures.fonts import paths
from service.pictures.lettering import can_write
from service.pictures.palette import DARK, LIGHT, Scheme
from service.pictures.scene import Part
from service.pictures.table import draw
from tests.support.picture_scenes import for_png, scene, texts, told


def opened(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png))


@pytest.mark.slow
@pytest.mark.parametrize(("share", "scheme", "seed"), [(1.0, LIGHT, "one"), (0.97, DARK, "two")])
def test_a_late_table_of_four_is_below_60_kb(share: float, scheme: Scheme, seed: str) -> None:
    drawing = draw(for_png(scene(4, share, seed=seed, bot="random", scheme=scheme)))
    png = raster.png(drawing, 700)
    assert len(png) < 60_000
    picture = opened(png)
    assert (picture.format, picture.mode, picture.width) == ("PNG", "P", 700)
    colors = picture.convert("RGB").getcolors(256)
    assert colors is not None
    assert len(colors) <= raster.COLORS
    drawn = set(re.findall(r"#[0-9a-f]{6}\b", drawing))
    assert drawn <= {"#{:02x}{:02x}{:02x}".format(*color) for _, color in colors if isinstance(color, tuple)}, (
        "what was drawn keeps its color"
    )


def test_one_that_would_be_larger_gets_plainer_edges() -> None:
    drawing = draw(for_png(scene(2, 0.5)))
    usual = raster.png(drawing, 350)
    assert usual == raster.png(drawing, 350)
    plain = raster.png(drawing, 350, largest=len(usual) * 4 // 5)
    assert len(plain) < len(usual) * 4 // 5 and opened(plain).size == opened(usual).size


def test_text_is_really_drawn() -> None:
    drawing = draw(for_png(scene(2, 0.3)), Part.TRACK)
    assert "Ada" in texts(drawing)
    without = re.sub(r"<text.*?</text>", "", drawing)
    with_text, bare = (opened(raster.png(each, 350)).convert("RGB") for each in (drawing, without))
    changed = ImageChops.difference(with_text, bare).convert("L").point(lambda value: 255 * (value > 60))
    assert changed.histogram()[255] > 300


def test_the_type_is_there_with_its_license() -> None:
    assert all(path.is_file() for path in paths().values())
    license = next(iter(paths().values())).with_name("OFL.txt").read_text()
    assert "SIL OPEN FONT LICENSE Version 1.1" in license and "Commissioner Project Authors" in license


@pytest.mark.parametrize("name", ["Zoë", "Đorđe", "Łukasz", "Дмитро Ґ.", "Αλέξανδρος", "Nguyễn Văn", "O'Neill-Ørsted"])
def test_font_has_latin_cyrillic_and_greek(name: str) -> None:
    assert can_write(name)


@pytest.mark.parametrize("name", ["李明", "שלום", "नमस्ते", "서연"])
def test_a_name_that_the_bundled_font_lacks_is_shown_as_a_number(name: str) -> None:
    assert not can_write(name)
    shown = replace(scene(2, 0.3), people=People(("Ada", name)))
    assert shown.people.called(1) in texts(draw(shown)), "a browser has type of its own"
    drawing = draw(for_png(shown))
    assert "Player 2" in texts(drawing) and not any(name in text for text in texts(drawing))
    assert name in told(drawing)[1]


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        raster.png("no drawing", 700)
