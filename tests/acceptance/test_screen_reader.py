"""Whole games as a screen reader has them: by the roles and names of what is on the page, and what is announced.

Nothing here looks at a picture, a position on the screen, a class or an id.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page
from sqlalchemy.orm import Session

from service.access.links import table_link
from service.config import Settings
from tests.support import world
from tests.support.browser import FIREFOX_IN_DRILLS, needs_chromium
from tests.support.windows import sign_in

pytestmark = needs_chromium

MOVES = 60
_TAP = re.compile(r"Tile (?P<tile>\d+) at [A-Z]+ \([^)]*\)(?:, covers (?P<goals>\d+))?")


class Heard:
    """A page as a screen reader has it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def region(self, name: str) -> Locator:
        """Return the part of the page with this name."""
        return self.page.get_by_role("region", name=name, exact=True)

    def told(self) -> str:
        """Return the text of the page's live regions."""
        return " ".join(self.page.get_by_role("status").all_inner_texts()).replace("\N{NO-BREAK SPACE}", " ")

    def wait_until_told(self, text: str) -> None:
        """Wait until a live region says this."""
        self.page.get_by_role("status").filter(has_text=text).first.wait_for(state="attached")

    def press(self, control: Locator) -> None:
        """Go to a control and press Enter, as from the list of links or buttons that a screen reader has."""
        control.focus()
        self.page.keyboard.press("Enter")

    def choose(self) -> str:
        """Follow the link whose name promises the most covered goals, and return the number of the tile it names."""
        links = self.region("Your move").get_by_role("link", name=re.compile(r"^Tile \d+ at "))
        names = [_TAP.search(each.aria_snapshot()) for each in links.all()]
        covers = [int((found and found["goals"]) or 0) for found in names]
        best = covers.index(max(covers))
        self.press(links.nth(best))
        found = names[best]
        assert found is not None
        return found["tile"]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("browser", FIREFOX_IN_DRILLS, indirect=True)
def test_two_people_play_a_game_by_what_a_screen_reader_says(
    site: str,
    session: Session,
    person: Callable[[str], str],
    enter: Callable[..., Page],
    amount: Callable[..., int],
) -> None:
    """Each move is chosen from the names of links; what it would do is read, and what it did is announced to both."""
    people = {person("Ann"): "Ann", person("Ben"): "Ben"}
    game = world.match(session, *people, goal_discs=6)
    session.commit()
    windows = {account: Heard(enter(360)) for account in people}
    for account, heard in windows.items():
        sign_in(heard.page, site, session, account)
        heard.page.goto(f"{site}/games/{game}")
    most, moved = amount(200, 4), 0
    while moved < most and (table := world.loaded(session, game)).status == "running":
        mover = table.account_of(table.state.turn)
        assert mover is not None
        session.rollback()
        heard, other = windows[mover], next(each for account, each in windows.items() if account != mover)
        heard.page.bring_to_front()
        heard.region("Your move").wait_for()
        tile = heard.choose()
        preview = heard.region("What this move would do")
        preview.wait_for()
        assert any(tile in told for told in preview.get_by_role("listitem").all_inner_texts())
        heard.press(preview.get_by_role("button", name="Make this move"))
        moved += 1
        for each, who in ((heard, "You"), (other, people[mover])):
            each.wait_until_told(f"After move {moved}:")
            assert f"placed tile {tile}" in each.told() and who in each.told()
    assert world.loaded(session, game).version == moved


@pytest.mark.slow
@pytest.mark.drill
def test_sixty_moves_are_replayed_by_what_a_screen_reader_says(
    site: str, session: Session, person: Callable[[str], str], enter: Callable[..., Page], amount: Callable[..., int]
) -> None:
    game = world.match(session, person("Ann"), person("Ben"), person("Cleo"))
    while world.loaded(session, game).version < MOVES:
        world.move(session, game)
    session.commit()
    page = enter(360)
    heard, began = Heard(page), MOVES - amount(MOVES)
    page.goto(f"{site}/games/{game}?at={began}")
    history = page.get_by_role("navigation", name="History")
    for number in range(began + 1, MOVES + 1):
        heard.press(history.get_by_role("link", name="Next", exact=True))
        heard.wait_until_told(f"After move {number}:")
        page.get_by_role("heading", name=f"After move {number}:").wait_for()
    on = history.get_by_role("link", name="Next", exact=True)
    assert on.is_disabled() or on.get_attribute("aria-disabled") == "true"
    slider = history.get_by_role("slider", name="Go to move")
    slider.focus()
    page.keyboard.press("Home")
    heard.wait_until_told("At the start")
    assert slider.get_attribute("aria-valuetext") == "At the start"


@pytest.mark.slow
def test_everything_that_can_be_done_at_a_table_has_a_name_of_its_own(
    site: str, session: Session, settings: Settings, person: Callable[[str], str], enter: Callable[..., Page]
) -> None:
    """No two links or buttons that do different things have one name, and each picture of a table is described."""
    ann, ben = person("Ann"), person("Ben")
    game = world.match(session, ann, ben)
    for _ in range(9):
        world.move(session, game)
    session.commit()
    page = enter(360)
    for account in (ann, ben):
        page.goto(site + table_link(settings, account, game).removeprefix(settings.base_url))
        sign_in(page, site, session, account)
        page.goto(f"{site}/games/{game}")
        named: dict[str, set[str]] = {}
        for role in ("link", "button"):
            for control in page.get_by_role(role).all():
                told = control.aria_snapshot().partition("\n")[0]
                named.setdefault(told, set()).add(control.get_attribute("href") or "")
        assert {told for told, addresses in named.items() if len(addresses) > 1} == set()
        assert page.get_by_role("img", name=re.compile("^Nova Luna: ")).count() == 1
