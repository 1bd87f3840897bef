"""The table's page with its script, pointed at: nothing that is told covers its cell, and each click does something."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy.orm import Session

from service.config import Settings
from tests.support import world
from tests.support.browser import FIREFOX_IN_DRILLS, needs_chromium
from tests.support.windows import to_move

pytestmark = [needs_chromium, pytest.mark.slow, pytest.mark.parametrize("browser", FIREFOX_IN_DRILLS, indirect=True)]

sizes = pytest.mark.parametrize("size", [(1366, 620), (390, 700)])

_COVERS = """(panel, [x, y, width, height]) => {
    const box = panel.getBoundingClientRect()
    return box.left < x + width && x < box.right && box.top < y + height && y < box.bottom
}"""
_CURSORS = "(found) => found.map((each) => getComputedStyle(each).cursor)"
_TO_THE_BOTTOM = "cell => scrollBy(0, cell.getBoundingClientRect().bottom - innerHeight)"


@pytest.fixture
def moving(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> Callable[[int, int], Page]:
    """Return a function that opens the page of the player to move in a window of a size."""

    def open_page(width: int, height: int) -> Page:
        page = enter(width)
        page.set_viewport_size({"width": width, "height": height})
        page.goto(site + to_move(session, settings, game)[1])
        return page

    return open_page


def place_of(link: Locator) -> str:
    """Return the coordinates in a cell's name, which what a move there would do names too."""
    name = link.get_attribute("aria-label") or ""
    return name[name.index("(") : name.index(")") + 1]


def is_covered(page: Page, panel: str, shown: Locator) -> bool:
    """Return whether a panel is over something that is shown."""
    box = shown.bounding_box()
    assert box is not None
    covered: bool = page.locator(panel).evaluate(_COVERS, [box["x"], box["y"], box["width"], box["height"]])
    return covered


def middle(shown: Locator) -> tuple[float, float]:
    """Return the middle of what is shown, in the window."""
    box = shown.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@sizes
@pytest.mark.parametrize("letters", ["#move .tap", "#move .cell"])
def test_a_letter_low_in_the_window_is_not_covered_but_clicked(
    moving: Callable[[int, int], Page], size: tuple[int, int], letters: str
) -> None:
    page = moving(*size)
    if letters == "#move .cell":
        page.locator("a.pick-tile").first.click()
        page.locator("#move .chosen").wait_for()
    for letter in [page.locator(letters).nth(number) for number in range(4)]:
        letter.evaluate(_TO_THE_BOTTOM)
        page.mouse.move(1, 1)
        page.mouse.move(*middle(letter), steps=3)
        expect(page.locator("#ahead")).to_contain_text(place_of(letter))
        assert not is_covered(page, "#ahead", letter)
    told = page.locator("#ahead").inner_text()
    page.mouse.click(*middle(letter))
    page.locator("#move form").wait_for()
    assert page.locator("#move > .would").inner_text() == told


@sizes
def test_the_letter_that_has_the_focus_is_not_covered(
    moving: Callable[[int, int], Page], size: tuple[int, int]
) -> None:
    page = moving(*size)
    page.locator("a.pick-tile").first.click()
    page.locator("#move .chosen").wait_for()
    page.locator("#move .scroll").focus()
    for cell in page.locator("#move .cell").all():
        page.keyboard.press("Tab")
        expect(cell).to_be_focused()
        expect(page.locator("#ahead")).to_contain_text(place_of(cell))
        cell.evaluate(_TO_THE_BOTTOM)
        until_scrolled(page)
        assert not is_covered(page, "#ahead", cell)


def until_scrolled(page: Page) -> None:
    """Wait until the page has heard of its last scroll: events of scrolling come before a frame is drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@sizes
def test_a_goal_low_in_the_window_stays_where_it_is_pointed_at(
    moving: Callable[[int, int], Page], size: tuple[int, int]
) -> None:
    page = moving(*size)
    goal = page.locator(".drawn [data-goal]").last
    goal.evaluate(_TO_THE_BOTTOM)
    there = middle(goal)
    page.mouse.move(*there, steps=3)
    expect(page.locator("#because")).to_contain_text("It asks for")
    assert middle(goal) == there and not is_covered(page, "#because", goal)


def test_the_picture_goes_from_one_tile_or_cell_to_another(
    moving: Callable[[int, int], Page], session: Session, game: str
) -> None:
    """Another tile is chosen once one is, and another cell while the page shows what the move would do."""
    tiles = world.loaded(session, game).state.wheel.choices()
    session.rollback()
    page = moving(1280, 900)
    for tile in (tiles[0], tiles[1]):
        page.locator(f".drawn [data-tile='{tile}']").click()
        expect(page.locator("#move .chosen .about")).to_contain_text(f"Tile {tile}:")
    places = {cell: place_of(page.locator("#move .cell").get_by_text(cell, exact=True)) for cell in ("A", "B")}
    for cell, place in places.items():
        page.locator(f".drawn [data-cell='{cell}']").click()
        expect(page.locator("#move > .would")).to_contain_text(re.compile(rf"tile {tiles[1]} .*at {re.escape(place)}"))
    page.locator(f".drawn [data-tile='{tiles[0]}']").click()
    expect(page.locator("#move .chosen .about")).to_contain_text(f"Tile {tiles[0]}:")


def test_the_choices_alone_have_a_pointer_on_the_wheel(
    moving: Callable[[int, int], Page], session: Session, game: str
) -> None:
    wheel = world.loaded(session, game).state.wheel
    choices, tiles = wheel.choices(), [tile for tile in wheel.spaces() if tile]
    session.rollback()
    page = moving(1280, 900)
    for tile in tiles:
        drawn = f".drawn [data-tile='{tile}']"
        cursors = page.locator(f"{drawn}, {drawn} [data-goal]").evaluate_all(_CURSORS)
        assert (set(cursors) == {"pointer"}) == (tile in choices), tile


def test_a_cell_of_the_picture_has_a_pointer_once_a_click_does_something(moving: Callable[[int, int], Page]) -> None:
    page = moving(1280, 900)
    cell = page.locator(".drawn [data-cell]").first
    expect(cell).not_to_have_css("cursor", "pointer")
    page.locator("a.pick-tile").first.click()
    expect(cell).to_have_css("cursor", "pointer")
    cell.click()
    page.locator("#move form").wait_for()
    expect(cell).to_have_css("cursor", "pointer")
