"""The table's page with its script in a real browser: moving, watching, looking back, without loading another page."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from sqlalchemy.orm import Session

from engine.goals import ExplainedGoal, explained
from service.access.links import table_link
from service.commands import explorations
from service.config import Settings
from tests.support import world
from tests.support.browser import DARK_IN_DRILLS, FIREFOX_IN_DRILLS, FIREFOX_TOO, needs_chromium, until
from tests.support.clock import NOW
from tests.support.windows import sign_in, to_move

pytestmark = needs_chromium

both_in_drills = pytest.mark.parametrize("browser", FIREFOX_IN_DRILLS, indirect=True)

_PATIENCE = 60_000.0
_LOADS = "() => performance.getEntriesByType('navigation').length + ' ' + performance.timeOrigin"


def to_look(session: Session, settings: Settings, game: str) -> str:
    """Return path and query of the table's link for the player who is not to move."""
    table = world.loaded(session, game)
    other = table.account_of(1 - (table.state.turn or 0))
    assert other is not None
    session.rollback()
    return table_link(settings, other, game).removeprefix(settings.base_url)


@pytest.mark.parametrize("browser", FIREFOX_TOO, indirect=True)
def test_a_move_is_chosen_and_made_without_loading_a_page(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter(360)
    page.goto(site + to_move(session, settings, game)[1])
    loaded = page.evaluate(_LOADS)
    page.locator("a.pick-tile").first.click()
    page.locator("#move .cell").first.hover()
    page.locator("#ahead .would").wait_for()
    told = page.locator("#ahead").inner_text()
    page.locator("#move .cell").first.click()
    page.locator("#move form").wait_for()
    assert page.locator("#move > .would").inner_text() == told
    assert "&x=" in page.url
    page.go_back()
    page.locator("#move .cell").first.wait_for()
    page.go_forward()
    page.get_by_role("button", name="Make this move").click()
    page.locator("#did", has_text="After move 13").wait_for()
    assert page.evaluate(_LOADS) == loaded
    assert "tile=" not in page.url and "placed tile" in page.locator("#said").inner_text()
    assert world.loaded(session, game).version == 13


@both_in_drills
@pytest.mark.slow
def test_the_table_follows_what_the_other_player_does(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    watching, moving = enter(), enter(360)
    watching.goto(site + to_look(session, settings, game))
    loaded = watching.evaluate(_LOADS)
    moving.goto(site + to_move(session, settings, game)[1])
    moving.locator("a.tap").first.click()
    moving.get_by_role("button", name="Make this move").click()
    watching.locator("#did", has_text="After move 13").wait_for()
    assert "placed tile" in watching.locator("#said").inner_text()
    assert watching.evaluate(_LOADS) == loaded


@both_in_drills
@pytest.mark.slow
def test_a_move_that_comes_too_late_is_not_made_and_told(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    """The page hears of nothing until then, as it has a stream that is silent."""
    mover, _ = to_move(session, settings, game)
    page = enter(360)
    page.add_init_script("window.EventSource = class extends EventTarget { close() {} }")
    sign_in(page, site, session, mover)
    page.goto(f"{site}/games/{game}")
    page.locator("a.tap").last.click()  # the move that is made first is the first one
    page.locator("#move form").wait_for()
    world.move(session, game)
    session.commit()
    with page.expect_response("**/moves") as answer:
        page.get_by_role("button", name="Make this move").click()
    assert answer.value.status == 409
    page.get_by_role("alert").filter(has_text="Your move was not made").wait_for()
    page.locator("#did", has_text="After move 13").wait_for()
    session.rollback()
    assert world.loaded(session, game).version == 13


@both_in_drills
def test_a_move_is_made_by_keys_alone(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    """Numbers choose a tile, arrows lead from cell to cell, each of which is announced, Enter takes and confirms."""
    page = enter()
    page.goto(site + to_move(session, settings, game)[1])
    loaded = page.evaluate(_LOADS)
    page.locator("a.pick-tile").first.focus()
    page.keyboard.press("2")
    page.locator("#move .cell:focus").wait_for()
    seen = {page.evaluate("document.activeElement.textContent")}
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
        seen.add(page.evaluate("document.activeElement.textContent"))
    assert len(seen) > 1
    page.keyboard.press("Escape")
    page.locator("a.pick-tile:focus").wait_for()
    page.keyboard.press("1")
    page.locator("#move .cell:focus").wait_for()
    page.locator("#said", has_text="would").or_(page.locator("#said", has_text="Your disc")).first.wait_for()
    page.keyboard.press("Enter")
    page.locator("#move form button:focus").wait_for()
    page.keyboard.press("Enter")
    page.locator("#did", has_text="After move 13").wait_for()
    assert page.evaluate(_LOADS) == loaded
    assert world.loaded(session, game).version == 13


@both_in_drills
@pytest.mark.slow
def test_a_tile_is_dragged_to_its_cell(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter()
    page.goto(site + to_move(session, settings, game)[1])
    tile, cell = page.locator("#move .pick-tile .tile").last, page.locator("#move td.free").first
    cell.scroll_into_view_if_needed()
    start, end = tile.bounding_box(), cell.bounding_box()
    assert start is not None and end is not None
    there = page.locator("#move .taps").last.get_by_text(cell.inner_text(), exact=True).get_attribute("href") or "-"
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 20, steps=5)
    page.locator("#ahead .would").wait_for()
    told = page.locator("#ahead").inner_text()
    assert page.locator(".dragged").count() == 1
    page.mouse.up()
    page.locator("#move form").wait_for()
    assert page.locator("#move > .would").inner_text() == told and page.url.endswith(there)
    page.locator(".dragged").wait_for(state="detached")


@both_in_drills
def test_a_tile_and_its_cell_are_clicked_in_the_picture(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter()
    page.goto(site + to_move(session, settings, game)[1])
    tile = world.loaded(session, game).state.wheel.choices()[-1]
    session.rollback()
    page.locator(f".drawn [data-tile='{tile}']").click()
    page.locator("#move .chosen").wait_for()
    page.locator(".drawn [data-cell='A']").click()
    page.locator("#move form").wait_for()
    assert f"tile {tile} " in page.locator("#move > .would").inner_text()


@both_in_drills
@pytest.mark.slow
def test_history_is_gone_through_by_arrow_keys_and_the_slider(site: str, game: str, enter: Callable[..., Page]) -> None:
    page = enter(360)
    page.goto(f"{site}/games/{game}")
    loaded = page.evaluate(_LOADS)
    for at in (11, 10, 9):
        page.keyboard.press("ArrowLeft")
        page.locator("#did", has_text=f"After move {at}:").wait_for()
        assert f"at={at}" in page.url and f"After move {at}:" in page.locator("#said").inner_text()
    page.keyboard.press("ArrowRight")
    page.locator("#did", has_text="After move 10:").wait_for()
    page.locator("#slider").focus()
    page.keyboard.press("Home")
    page.locator("#did", has_text="At the start").wait_for()
    assert page.locator("#slider").get_attribute("aria-valuetext") == "At the start"
    page.keyboard.press("End")
    page.locator("#did", has_text="After move 12").wait_for()
    assert "at=" not in page.url and page.evaluate("document.activeElement.id") == "slider"
    assert page.evaluate(_LOADS) == loaded


@both_in_drills
@pytest.mark.slow
def test_a_goal_that_is_pointed_at_lights_up_what_counts(
    site: str, session: Session, game: str, enter: Callable[..., Page]
) -> None:
    while not any(goal.counting for goal in _goals(session, game)):
        world.move(session, game)
        session.commit()
    goal = next(goal for goal in _goals(session, game) if goal.counting)
    lit = {str(each) for each in goal.counting}
    page = enter()
    page.goto(f"{site}/games/{game}")
    page.locator(f".drawn [data-goal='{goal.name}']").hover()
    assert set(page.locator(".drawn .counts").evaluate_all("found => found.map(each => each.dataset.tile)")) == lit
    assert page.locator(".drawn .asks").get_attribute("data-tile") == str(goal.tile)
    page.locator("h1").hover()
    assert page.locator(".counts, .asks").count() == 0
    page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
    page.locator(f"[data-asks='{goal.name}'] a").focus()
    assert page.locator(".shown td.counts").count() == len(lit)
    assert page.locator("#because").inner_text().startswith(f"Goal {goal.goal + 1} of tile {goal.tile}. It asks for ")


@pytest.mark.slow
def test_motion_is_left_out_if_switched_off(site: str, game: str, enter: Callable[..., Page]) -> None:
    moving, calm = enter(reduced_motion="no-preference"), enter()
    for page in (moving, calm):
        page.goto(f"{site}/games/{game}")
        page.locator("#motion").wait_for()
    assert _animations(moving) > 0 and _animations(calm) == 0
    moving.locator("#motion").uncheck()
    calm.locator("#motion").check()
    assert _animations(moving) == 0 and _animations(calm) > 0
    moving.reload()
    assert not moving.locator("#motion").is_checked()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", DARK_IN_DRILLS)
def test_nothing_bars_anybody_from_moving_with_scripts(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page], scheme: str
) -> None:
    """At twice the size on a small screen, with more contrast, no step violates a rule of axe-core or is cut off."""
    page = enter(320, color_scheme=scheme, contrast="more")
    page.goto(site + to_move(session, settings, game)[1])
    for next_step in ("a.pick-tile", "#move .cell", "#board a.prev"):
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator(next_step).first.focus()
        page.locator("#said").or_(page.locator("#ahead")).first.wait_for(state="attached")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.locator("#did", has_text="After move 11:").wait_for()


@both_in_drills
@pytest.mark.slow
def test_a_finished_game_is_checked_on_its_page(
    site: str, session: Session, person: Callable[[str], str], enter: Callable[..., Page]
) -> None:
    game = world.match(session, person("Ann"), person("Ben"), goal_discs=5)
    entries = world.play_out(session, game).version
    session.commit()
    page = enter()
    page.goto(f"{site}/games/{game}")
    page.get_by_role("button", name="Check it here").click()
    page.locator("#verdict:not(:empty)").wait_for()
    assert page.locator("#verdict").inner_text() == f"Everything is right. Entries: {entries}."


def _goals(session: Session, game: str) -> list[ExplainedGoal]:
    state = world.loaded(session, game).state
    session.rollback()
    return [goal for seat in range(state.seats) for goal in explained(state, seat)]


def _animations(page: Page) -> int:
    """Go back by two moves, and return how many things move then."""
    page.evaluate(
        "() => { window.found = 0; const real = Element.prototype.animate;"
        "Element.prototype.animate = function (...given) { found++; return real.apply(this, given) } }"
    )
    did = page.locator("#did").inner_text()
    page.locator("#prev").click()
    page.locator("#did", has_not_text=did).wait_for()
    page.locator("#next").click()
    page.locator("#did", has_text=did).wait_for()
    found: int = page.evaluate("found")
    return found


@pytest.mark.slow
def test_an_exploration_is_played_like_a_table(
    enter: Callable[..., Page], site: str, session: Session, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    over = world.match(session, ann, person("Ben"), goal_discs=5)
    world.play_out(session, over)
    beginning = explorations.Beginning(5, "greedy", 0)
    made = explorations.begin(session, ann, world.loaded(session, over), beginning, NOW)
    session.commit()
    page = enter()
    sign_in(page, site, session, ann)
    page.goto(f"{site}/explorations/{made.kept.id}")
    before, loads = page.locator("#did").inner_text(), page.evaluate(_LOADS)
    page.locator("#move .tap").first.click()
    page.locator("#move form button").click()
    until(page, "before => document.getElementById('did').innerText !== before", before)
    page.get_by_role("button", name="Take the last move back").click()
    until(page, "before => document.getElementById('did').innerText === before", before)
    assert page.evaluate(_LOADS) == loads
