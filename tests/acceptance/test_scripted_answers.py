"""The table's page with its script, and what the site answers: failures, pages in the table's place, what was sent."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from service.commands import host, talk
from service.config import Settings
from service.store.accounts import Account, Token
from tests.support import world
from tests.support.browser import FIREFOX_IN_DRILLS, needs_chromium
from tests.support.clock import NOW
from tests.support.windows import sign_in, to_move

pytestmark = [needs_chromium, pytest.mark.slow, pytest.mark.parametrize("browser", FIREFOX_IN_DRILLS, indirect=True)]

_MINUTE = 60_000


@pytest.fixture
def seated(site: str, session: Session, ann: str, game: str, enter: Callable[..., Page]) -> Callable[..., Page]:
    """Return a function that opens the page of a table for Ann, who is signed in; nobody else answers for the site."""

    def open_page(table: str = game) -> Page:
        page = enter(390, service_workers="block")
        page.clock.install()
        sign_in(page, site, session, ann)
        page.goto(f"{site}/games/{table}")
        return page

    return open_page


def is_down(route: Route) -> None:
    """Answer as a site does that cannot reach its database."""
    route.fulfill(status=503, content_type="application/problem+json", body='{"title": "Unavailable"}')


def test_a_move_that_the_site_cannot_take_can_be_made_again(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page = enter(390, service_workers="block")
    page.goto(site + to_move(session, settings, game)[1])
    page.locator("a.tap").first.click()
    page.locator("#move form").wait_for()
    address = page.url
    page.route("**/moves?*", is_down)
    page.get_by_role("button", name="Make this move").click()
    expect(page.locator("#trouble")).to_contain_text("The service can’t be reached.")
    expect(page.locator("#trouble")).to_be_in_viewport()
    assert page.url == address
    page.unroute_all()
    page.get_by_role("button", name="Make this move").click()
    page.locator("#did", has_text="After move 13").wait_for()
    expect(page.locator("#trouble")).to_be_empty()
    assert world.loaded(session, game).version == 13


@pytest.mark.parametrize("status", [429, 503])
def test_what_is_typed_stays_while_the_site_is_down(
    session: Session, game: str, seated: Callable[..., Page], status: int
) -> None:
    """The page asks again, by itself, and shows then what has happened."""
    page = seated()
    page.locator("#say").fill("Half a message")
    page.route(f"**/games/{game}", lambda route: route.fulfill(status=status, content_type="text/html", body="<p>no"))
    world.move(session, game)
    session.commit()
    expect(page.locator("#trouble")).to_contain_text("The service can’t be reached.")
    expect(page.locator("#did")).to_contain_text("After move 12")
    page.unroute_all()
    page.clock.fast_forward(_MINUTE)
    expect(page.locator("#did")).to_contain_text("After move 13")
    expect(page.locator("#trouble")).to_be_empty()
    assert page.locator("#say").input_value() == "Half a message"


def test_what_is_typed_stays_when_the_session_ends(
    session: Session, ann: str, game: str, seated: Callable[..., Page]
) -> None:
    """The page of a stranger, or of somebody else, is not put in the place of the reader's own."""
    page = seated()
    page.locator("#say").fill("Half a message")
    session.execute(delete(Token).where(Token.account == ann))
    world.move(session, game)
    session.commit()
    expect(page.locator("#trouble")).to_contain_text("You were signed out, or your session is over.")
    assert page.locator("#trouble a").get_attribute("href") == f"/sign-in?onward=/games/{game}"
    assert page.locator("#say").input_value() == "Half a message"
    page.locator("#prev").click()
    expect(page.locator("main")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#did")).to_contain_text("After move 12")
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("#trouble")).to_contain_text("Nothing was done: you were signed out")
    assert page.locator("#say").input_value() == "Half a message"


def test_a_private_solo_stays_when_the_session_ends(session: Session, ann: str, seated: Callable[..., Page]) -> None:
    solo = world.solo(session, ann)
    session.commit()
    page = seated(solo)
    heading = page.locator("h1").inner_text()
    session.execute(delete(Token).where(Token.account == ann))
    session.commit()
    page.locator("a.pick-tile").first.click()
    expect(page.locator("#trouble")).to_contain_text("You were signed out, or your session is over.")
    assert page.locator("h1").inner_text() == heading


def test_what_is_typed_stays_while_the_history_is_shown(game: str, seated: Callable[..., Page]) -> None:
    page = seated()
    page.locator("#say").fill("Half a message")
    page.locator("#note").fill("Half a note")
    for key, heading in (("prev", "After move 11"), ("prev", "After move 10"), ("last", "After move 12")):
        page.locator(f"#{key}").click()
        expect(page.locator("#did")).to_contain_text(heading)
        assert page.locator("#say").input_value() == "Half a message"
        assert page.locator("#note").input_value() == "Half a note"


def test_a_form_without_an_answer_may_have_arrived(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    """The page says so, and looks by itself what has happened."""
    page = enter(390, service_workers="block")
    page.clock.install()
    page.goto(site + to_move(session, settings, game)[1])
    page.locator("a.tap").first.click()
    page.locator("#move form").wait_for()

    def lose_answer(route: Route) -> None:
        route.fetch()
        route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")

    page.evaluate("document.getElementById('live').dataset.seen = '99-99'")  # so that the stream tells it nothing
    page.route("**/moves?*", lose_answer)
    page.get_by_role("button", name="Make this move").click()
    expect(page.locator("#trouble")).to_contain_text("We don’t know yet whether it arrived.")
    page.clock.fast_forward(_MINUTE)
    expect(page.locator("#did")).to_contain_text("After move 13")
    expect(page.locator("#trouble")).to_be_empty()


def test_a_tap_is_shown_and_a_choice_before_a_move_is_dropped(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page, held = enter(390, service_workers="block"), list[Route]()
    page.goto(site + to_move(session, settings, game)[1])
    page.locator("a.tap").first.click()
    page.locator("#move form").wait_for()
    page.route("**/moves?*", lambda route: held.append(route))
    with page.expect_request("**/moves?*"):
        page.get_by_role("button", name="Make this move").click()
    expect(page.locator("main")).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("button", name="Make this move")).to_have_css("opacity", "0.6")
    page.locator("#move [data-back]").click()
    held[0].continue_()
    expect(page.locator("#did")).to_contain_text("After move 13")
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
    assert "This is no choice" not in page.locator("main").inner_text()


def test_a_step_of_the_history_that_fails_leaves_the_table(seated: Callable[..., Page]) -> None:
    page = seated()
    address = page.url
    page.route("**/games/*?at=*", is_down)
    page.locator("#prev").click()
    expect(page.locator("#trouble")).to_contain_text("The service can’t be reached.")
    assert page.url == address
    expect(page.locator("#did")).to_contain_text("After move 12")


def test_a_refusal_says_why_and_keeps_the_message(game: str, seated: Callable[..., Page]) -> None:
    page = seated()
    page.locator("#say").fill("One more message")
    body = "<main><p role=alert>That is too much talk for today.</p></main>"
    page.route("**/messages", lambda route: route.fulfill(status=429, content_type="text/html", body=body))
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("#trouble")).to_have_text("That is too much talk for today.")
    assert page.locator("#say").input_value() == "One more message"


def test_a_refused_form_keeps_what_is_typed_in_the_others(
    session: Session, game: str, seated: Callable[..., Page]
) -> None:
    """Why it was refused is said until something else is done, whatever happens meanwhile."""
    page = seated()
    page.locator("#note").fill("Half a note")
    page.locator("#say").fill("  ")
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("#trouble")).to_contain_text("Must have 1 to 500 characters")
    world.move(session, game)
    session.commit()
    expect(page.locator("#did")).to_contain_text("After move 13")
    expect(page.locator("#trouble")).to_contain_text("Must have 1 to 500 characters")
    assert page.locator("#note").input_value() == "Half a note"
    page.locator("#say").fill("Good evening")
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("#talk .said")).to_contain_text("Good evening")
    expect(page.locator("#trouble")).to_be_empty()
    assert page.locator("#note").input_value() == "Half a note"


def test_a_tap_while_a_form_is_under_way_is_followed_after_its_answer(
    site: str, session: Session, settings: Settings, game: str, enter: Callable[..., Page]
) -> None:
    page, held = enter(390, service_workers="block"), list[Route]()
    sign_in(page, site, session, to_move(session, settings, game)[0])
    page.goto(f"{site}/games/{game}")
    page.route("**/messages", lambda route: held.append(route))
    page.locator("#say").fill("Good evening")
    with page.expect_request("**/messages"):
        page.get_by_role("button", name="Send it").click()
    page.locator("a.pick-tile").first.click()
    held[0].continue_()
    page.unroute("**/messages")
    expect(page.locator("#talk .said")).to_contain_text("Good evening")
    expect(page.locator("#say")).to_have_value("")
    page.locator("#move .chosen").wait_for()
    page.locator("#say").fill("Where shall I put it?")
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("#talk .said")).to_contain_text("Where shall I put it?")
    page.locator("a.tap").first.click()
    page.get_by_role("button", name="Make this move").click()
    expect(page.locator("#did")).to_contain_text("After move 13")


def test_all_moves_since_the_last_look_are_announced(session: Session, game: str, seated: Callable[..., Page]) -> None:
    page = seated()
    for _ in range(3):
        world.move(session, game)
    session.commit()
    expect(page.locator("#said")).to_have_text(re.compile(r"^Move 13\. .+\. Move 14\. .+\. After move 15: .+\. .+\.$"))


def test_an_invitation_link_stays_while_others_speak(
    session: Session, ann: str, ben: str, seated: Callable[..., Page]
) -> None:
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    session.commit()
    page = seated(table)
    page.get_by_role("button", name="Make an invitation link").click()
    expect(page.locator("#said")).to_have_text("The link was made.")
    link = page.locator("#invite [readonly]")
    address = link.input_value()
    assert "/invitation?link=" in address
    talk.say(session, table, ben, "Who else comes?", NOW)
    session.commit()
    expect(page.locator("#talk")).to_contain_text("Who else comes?")
    assert link.input_value() == address
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("#said")).to_contain_text("The link was revoked.")  # what was said before goes at any moment
    expect(link).to_have_count(0)


def test_a_message_that_is_sent_leaves_the_page_at_the_talk(seated: Callable[..., Page]) -> None:
    page = seated()
    page.locator("#say").fill("Good evening")
    page.get_by_role("button", name="Send it").press("Enter")
    expect(page.locator("#talk .said")).to_contain_text("Good evening")
    expect(page.locator("#said")).to_have_text("Your message was sent.")
    expect(page.locator("#say")).to_be_in_viewport()
    assert page.locator("#talk :focus").count() == 1 and page.locator("#say").input_value() == ""
    assert page.url.endswith("#talk")


def test_a_note_that_is_kept_or_deleted_leaves_the_page_at_the_notes(seated: Callable[..., Page]) -> None:
    page = seated()
    page.locator("#note").fill("Take the sevens late")
    page.get_by_role("button", name="Keep it").press("Enter")
    expect(page.locator("#said")).to_have_text("Your note was kept.")
    page.get_by_role("button", name="Delete the note: Take the sevens late").press("Enter")
    expect(page.locator("#said")).to_contain_text("Your note was deleted.")
    expect(page.locator("#notes")).to_be_focused()
    expect(page.locator("#note")).to_be_in_viewport()


def test_what_others_say_is_announced_word_by_word(
    session: Session, ben: str, game: str, seated: Callable[..., Page]
) -> None:
    page = seated()
    talk.say(session, game, ben, "Hello", NOW)
    session.commit()
    expect(page.locator("#said")).to_contain_text("UTC Hello")


def test_the_end_by_a_host_is_announced_once(session: Session, game: str, seated: Callable[..., Page]) -> None:
    page = seated()
    host.end(session, game, "nobody answers", NOW)
    session.commit()
    expect(page.locator("#said")).to_have_text(
        "The host ended the game: “nobody answers”. After move 14: The game was ended before anybody had won."
    )


def test_another_language_is_that_of_the_whole_page(
    session: Session, ann: str, game: str, seated: Callable[..., Page]
) -> None:
    page = seated()
    session.execute(update(Account).where(Account.id == ann).values(language="fr"))
    world.move(session, game)
    session.commit()
    expect(page.locator("#did")).to_contain_text("Après le coup 13\N{NO-BREAK SPACE}: ")
    expect(page.locator("html")).to_have_attribute("lang", "fr")


def test_a_printed_table_has_neither_forms_nor_navigation(seated: Callable[..., Page]) -> None:
    page = seated()
    page.emulate_media(media="print")
    for gone in (".site", ".step", "#say", "main .button", ".foot"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator(".drawn svg")).to_be_visible()
    expect(page.locator(".history")).to_be_visible()
