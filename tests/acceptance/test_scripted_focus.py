"""The focus on the table's page with its script, and what a screen reader is told there."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from service.config import Settings
from tests.support import world
from tests.support.browser import FIREFOX_IN_DRILLS, needs_chromium
from tests.support.windows import sign_in, to_move

pytestmark = [needs_chromium, pytest.mark.slow, pytest.mark.parametrize("browser", FIREFOX_IN_DRILLS, indirect=True)]


def test_keys_choose_the_next_move_after_one_is_made(
    site: str, session: Session, person: Callable[[str], str], enter: Callable[..., Page]
) -> None:
    ann = person("Ann")
    solo = world.solo(session, ann)
    world.move(session, solo)
    session.commit()
    page = enter(390)
    sign_in(page, site, session, ann)
    page.goto(f"{site}/games/{solo}")
    page.locator("a.tap").first.press("Enter")
    page.get_by_role("button", name="Make this move").press("Enter")
    page.locator("#did", has_text="After move 2").wait_for()
    expect(page.locator("#move-heading")).to_be_focused()
    page.keyboard.press("2")
    page.locator("#move .chosen").wait_for()


def test_the_move_has_the_focus_once_others_are_next(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter(390)
    page.goto(site + to_move(session, settings, game)[1])
    for number in range(13, 40):
        page.locator("a.tap").last.press("Enter")
        page.get_by_role("button", name="Make this move").press("Enter")
        page.locator("#did", has_text=f"After move {number}").wait_for()
        if page.locator("#move").count() == 0:
            break
        expect(page.locator("#move-heading")).to_be_focused()
    expect(page.locator("#did")).to_be_focused()


def test_sentences_of_what_a_move_would_do_are_told_apart(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter(390)
    page.goto(site + to_move(session, settings, game)[1])
    page.locator("a.pick-tile").first.press("Enter")
    page.locator("#move .cell:focus").wait_for()
    expect(page.locator("#said")).to_contain_text("Your disc")
    told = page.locator("#said").inner_text()
    assert re.search(r"\)\. It covers", told) and not re.search(r"[.?!]\S", told)


def test_the_name_of_a_choice_says_its_tile_once(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter(390)
    page.goto(site + to_move(session, settings, game)[1])
    for choice in page.locator("a.pick-tile").all():
        assert choice.aria_snapshot().partition("\n")[0].count("time cost") == 1
