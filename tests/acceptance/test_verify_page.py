"""The page /verify in a real browser: records from files and links are checked step by step, without a network."""

from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from service.config import Settings
from tests.record_faults import FILE
from tests.support import world
from tests.support.browser import chromium, needs_chromium, reading

pytestmark = [needs_chromium, pytest.mark.xdist_group("browser")]

RECORDS = (FILE.parent / "record-vectors.jsonl").read_bytes().splitlines(keepends=True)

_TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
_DROP = """text => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], "record.json"))
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }))
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def choose(page: Page, data: bytes) -> None:
    """Choose a file with this content."""
    page.locator("#file").set_input_files({"name": "r.json", "mimeType": "application/json", "buffer": data})
    page.locator("#found .verdict").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_record_in_a_file_is_checked_step_by_step(
    browser: Browser, client: FlaskClient, settings: Settings, scheme: str
) -> None:
    with reading(browser, client, settings.base_url, scheme=scheme, width=360) as (page, wrong):
        page.goto(f"{settings.base_url}/verify")
        page.locator("#ask").wait_for()
        choose(page, RECORDS[0])
        steps = page.locator("#found li").all_inner_texts()
        assert steps[0] == "✓ The header" and steps[-1] == "✓ The result" and len(steps) > 10
        entries = len(steps) - 3
        assert page.locator("#found .verdict").inner_text() == f"Everything is right. Entries: {entries}."
        assert Axe().run(page).violations_count == 0
        choose(page, RECORDS[0].replace(b'"seq":2}', b'"seq":7}'))
        page.locator("#found .verdict.wrong").wait_for()
        assert page.locator("#found li").last.inner_text().startswith("✗ entry 2: entry: ")
        assert Axe().run(page).violations_count == 0
        assert not page.evaluate(_TOO_WIDE)
        assert wrong == []


def test_all_records_of_a_dropped_file_are_checked(browser: Browser, client: FlaskClient, settings: Settings) -> None:
    with reading(browser, client, settings.base_url, scheme="light", width=700) as (page, wrong):
        page.goto(f"{settings.base_url}/verify")
        page.locator("#ask").wait_for()
        page.evaluate(_DROP, (RECORDS[0] + RECORDS[1] + b"{}\n").decode())
        page.locator("#found h3", has_text="Record 3").wait_for()
        page.locator("#found .verdict").nth(2).wait_for()
        assert page.locator("#found .verdict.wrong").count() == 1
        assert "record: " in page.locator("#found .verdict.wrong").inner_text()
        assert wrong == []


def test_a_link_to_a_record_is_read_and_checked(
    browser: Browser, client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    table = world.match(session, person("Ann"), person("Ben"), goal_discs=5)
    world.play_out(session, table)
    session.commit()
    with reading(browser, client, settings.base_url, scheme="light", width=700) as (page, wrong):
        page.goto(f"{settings.base_url}/games/{table}")
        page.get_by_role("link", name="Check it in your browser").click()
        page.locator("#found .verdict").wait_for()
        assert page.locator("#found .verdict").inner_text().startswith("Everything is right.")
        assert page.locator("#link").input_value() == f"{settings.base_url}/v1/games/{table}/record"
        page.locator("#link").fill(f"{settings.base_url}/v1/games/{'a' * 12}/record")
        page.get_by_role("button", name="Check it").click()
        page.locator("#found .verdict.wrong").wait_for()
        assert page.locator("#found .verdict").inner_text() == "The link can't be read: HTTP 404"
        assert [each for each in wrong if "404" not in each] == []


def test_a_link_to_another_site_is_read_only_when_asked(
    browser: Browser, client: FlaskClient, settings: Settings
) -> None:
    elsewhere = "https://records.example.com/r.json"
    with reading(browser, client, settings.base_url, scheme="light", width=700) as (page, wrong):
        page.goto(f"{settings.base_url}/verify#{quote(elsewhere, safe='')}")
        page.locator("#ask").wait_for()
        assert page.locator("#link").input_value() == elsewhere
        assert wrong == [] and page.locator("#found").is_hidden()
        page.get_by_role("button", name="Check it").click()
        page.locator("#found .verdict.wrong").wait_for()
        assert any(elsewhere in each for each in wrong)
