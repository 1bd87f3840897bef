"""The drawings: well formed, deterministic, with the usual letters, described in words, and harmless."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from engine.game import Match
from engine.tiles import LETTERS, TILES
from service.language.cell_letters import letters_of
from service.language.languages import CODES, language
from service.language.people import People
from service.pictures.lettering import fit, width
from service.pictures.palette import DARK, LIGHT
from service.pictures.scene import Part, Scene
from service.pictures.table import draw
from service.pictures.tile import tile
from service.queries import legal
from tests.support.picture_scenes import ONE_OF_EACH, SVG, scene, texts, told

MOMENTS = [(seats, share) for seats in (1, 2, 3, 4) for share in (0.0, 0.5, 1.0)]


@pytest.mark.parametrize(("seats", "share"), MOMENTS)
def test_every_part_is_well_formed_and_the_same_each_time(seats: int, share: float) -> None:
    parts = [part for part in Part if part is not Part.TRACK or seats > 1]
    for scheme, part in [(LIGHT, part) for part in parts] + [(DARK, Part.TABLE)]:
        drawing = draw(scene(seats, share, scheme=scheme), part)
        root = ElementTree.fromstring(drawing)
        assert (root.tag, root.get("role"), root.get("aria-labelledby")) == (f"{SVG}svg", "img", "title desc")
        assert root.get("width") == "700" and root.get("viewBox", "").startswith("0 0 700 ")
        assert drawing == draw(scene(seats, share, scheme=scheme), part)
        uses = {use.get("href", "").removeprefix("#") for use in root.iter(f"{SVG}use")}
        assert uses <= {element.get("id") for element in root.iter()}, "nothing outside is used"


def test_a_solo_has_no_moon_track() -> None:
    with pytest.raises(ValueError, match=r"5\.1"):
        draw(scene(1, 0.5), Part.TRACK)


def test_cell_letters_go_on_with_AA_after_Z() -> None:
    assert [letters_of(index) for index in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [
        "A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_open_cells_have_the_letters_of_the_legal_moves_where_these_are(seats: int) -> None:
    shown = scene(seats, 0.6)
    turn = shown.state.turn
    cells = legal.moves(shown.state, turn)["cells"]
    assert len(cells) > 5
    root = ElementTree.fromstring(draw(shown, Part.DISPLAY))
    dashed = [rect for rect in root.iter(f"{SVG}rect") if rect.get("stroke-dasharray")]
    written = [text.text for text in root.iter(f"{SVG}text") if re.fullmatch("[A-Z]+", text.text or "")]
    assert written == [letters_of(index) for index in range(len(cells))]
    lefts = [(float(rect.get("x", "")), float(rect.get("y", ""))) for rect in dashed]
    side = next(b - a for a, b in zip(*[sorted({x for x, _ in lefts})[i:] for i in (0, 1)], strict=False))
    first = cells[0]
    for cell, (x, y) in zip(cells, lefts, strict=True):
        assert round((x - lefts[0][0]) / side) == cell["x"] - first["x"]
        assert round((y - lefts[0][1]) / side) == cell["y"] - first["y"]


def test_only_who_is_to_move_has_letters() -> None:
    shown = scene(3, 0.5)
    others = [seat for seat in range(3) if seat != shown.state.turn]
    for seat in others:
        assert not any(re.fullmatch("[A-Z]", text) for text in texts(draw(replace(shown, seat=seat), Part.DISPLAY)))
    assert "A" not in texts(draw(scene(3, 1.0)))


def test_the_choices_are_numbered_and_told() -> None:
    shown = scene(2, 0.5)
    drawing = draw(shown, Part.WHEEL)
    _, description = told(drawing)
    for rank, number in enumerate(shown.state.wheel.choices(), 1):
        space = shown.state.wheel.spaces().index(number)
        assert f"Choice {rank}, on space {space}: tile {number}, {TILES[number].color}" in description
        assert str(rank) in texts(drawing)


def test_the_whole_is_told_in_words() -> None:
    shown = scene(3, 0.6)
    title, description = told(draw(shown))
    assert title == f"Nova Luna: Ada, Ben and Zoë, after move {shown.version}"
    assert isinstance(shown.state, Match) and shown.state.turn is not None
    assert f"It is the turn of {NAMES_OF[shown.state.turn]}." in description
    for seat in range(3):
        for number, x, y, covered in shown.state.displays[seat].placed():
            assert f"tile {number}, {TILES[number].color}, time cost {TILES[number].cost}" in description
            assert f"at ({x}, {y})" in description
            assert not covered or "(covered)" in description
    for index, (x, y) in enumerate(shown.state.displays[shown.state.turn].open_cells()):
        assert f"{letters_of(index)} ({x}, {y})" in description
    assert description.count("of the moon track") == len(shown.state.moon.stacks())


NAMES_OF = ("Ada", "Ben", "Zoë")


def test_the_end_is_told() -> None:
    shown = scene(2, 1.0)
    assert shown.state.result is not None and shown.state.result.ranking is not None
    winner = shown.people.called(shown.state.result.ranking[0])
    drawing = draw(shown)
    assert f"{winner}" in told(drawing)[1].split(" won")[0]
    assert {"place 1", "place 2"} <= set(texts(drawing))


def test_somebody_who_left_is_still_there() -> None:
    shown = scene(4, 0.8, leave="0.05", seed="leaving")
    assert isinstance(shown.state, Match) and shown.state.moon.left and shown.state.result is None
    drawing = draw(shown)
    assert texts(drawing).count("left the game") == len(shown.state.moon.left)


def test_each_color_has_a_mark_and_a_letter_of_its_own() -> None:
    drawn = {letter: tile(number, 0, 0, 64, LIGHT.edge) for letter, number in ONE_OF_EACH.items()}
    for letter, drawing in drawn.items():
        asked = set("".join(TILES[ONE_OF_EACH[letter]].goals)) | {letter}
        assert set(re.findall(r"#(?:pip|tile)-(.)", drawing)) == asked
    whole = draw(scene(2, 0.5))
    for letter in LETTERS:
        body = re.search(f'<g id="tile-{letter}">.*?</text>', whole)
        assert body is not None and f"#mark-{letter}" in body[0] and f">{letter}</text>" in body[0]
        assert len(re.findall(f'<g id="pip-{letter}(?:-small)?"><use href="#mark-{letter}"', whole)) == 2
    shapes = re.findall(r'<g id="mark-.">(.*?)</g>', whole)
    assert len(set(shapes)) == 4


def test_covered_goals_have_a_disc_and_open_ones_their_marks() -> None:
    number = next(tile.id for tile in TILES[1:] if len(tile.goals) == 3)
    asked = sum(map(len, TILES[number].goals))
    for covered in range(4):
        drawing = tile(number, 0, 0, 64, LIGHT.edge, covered=range(covered), seat=3)
        hidden = sum(map(len, TILES[number].goals[:covered]))
        assert drawing.count("#pip-") == asked - hidden
        assert drawing.count("<circle") == 2 * covered


def test_whatever_a_name_holds_is_only_text() -> None:
    evil = "</text><script>alert(1)</script>\x00\"'&"
    shown = replace(scene(2, 0.3), people=People((evil, "Ben & Söhne")))
    for part in Part:
        drawing = draw(shown, part)
        assert "<script" not in drawing
        tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(drawing).iter()}
        assert tags <= {"svg", "title", "desc", "rect", "defs", "g", "use", "circle", "path", "text"}
    assert "Ben & Söhne" in texts(draw(shown))


def test_long_names_are_cut_to_their_room() -> None:
    name = "W" * 30
    shown = replace(scene(4, 0.5), people=People((name,) * 3 + ("Ann",)))
    assert any(text.endswith("…") for text in texts(draw(shown)))
    for room in (0, 20, 150, 1000):
        short = fit(name, room, 18)
        assert width(short, 18) <= max(room, width("…", 18))
        assert short == name or short.endswith("…")


@pytest.mark.parametrize("code", CODES)
def test_nothing_is_cut_but_names(code: str) -> None:
    moments = [scene(4, 0.0), scene(4, 0.8, leave="0.05", seed="leaving"), scene(4, 1.0), scene(2, 0.0), scene(1, 1.0)]
    for shown in moments:
        people = People(shown.people.names, language=language(code))
        assert not [text for text in texts(draw(replace(shown, people=people))) if text.endswith("…")]


@pytest.mark.parametrize("moves", [1, 40])
def test_a_display_of_any_form_stays_on_the_picture(moves: int) -> None:
    shown: Scene = scene(2, 0.0)
    state = shown.state
    for _ in range(moves):
        can = state.legal_moves()
        if state.turn is None or not can.tiles:
            break
        state.advance(state.turn, can[len(can.cells) - 1])
    drawing = draw(shown)
    root = ElementTree.fromstring(drawing)
    height = float(root.get("height", "0"))
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("stroke-dasharray"):
            assert float(rect.get("x", "")) >= 0 and float(rect.get("x", "")) + float(rect.get("width", "")) <= 700
            assert float(rect.get("y", "")) + float(rect.get("height", "")) <= height
