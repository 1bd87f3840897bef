"""The page /verify in a real browser: records from files and links are checked step by step, without a network."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from engine import record
from service.config import Settings
from tests.record_faults import FILE
from tests.support import world
from tests.support.browser import DARK_IN_DRILLS, needs_chromium, reading
from tests.support.checkpoint_vectors import POLICY, case
from tests.support.checkpoint_vectors import RECORDS as GAMES

pytestmark = [needs_chromium, pytest.mark.slow]

EXPLORATIONS = (FILE.parent / "exploration-vectors.jsonl").read_bytes().splitlines(keepends=True)
RECORDS = (FILE.parent / "record-vectors.jsonl").read_bytes().splitlines(keepends=True)

_TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
_DROP = """text => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], "record.json"))
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }))
}"""


_DROP_FILES = """texts => {
    const transfer = new DataTransfer()
    for (const text of texts) transfer.items.add(new File([text], "file"))
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }))
}"""
SECURE, PLAIN = "https://nova.example", "http://nova.example"
BOTH = "both leaves of a game under the newest checkpoint"


def choose(page: Page, data: bytes) -> None:
    """Choose a file with this content."""
    page.locator("#file").set_input_files({"name": "r.json", "mimeType": "application/json", "buffer": data})
    page.locator("#found .verdict").first.wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", DARK_IN_DRILLS)
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


def test_an_exploration_is_checked_and_called_no_game(
    browser: Browser, client: FlaskClient, settings: Settings
) -> None:
    found = json.loads(EXPLORATIONS[0])
    with reading(browser, client, settings.base_url, scheme="light", width=360) as (page, wrong):
        page.goto(f"{settings.base_url}/verify")
        page.locator("#ask").wait_for()
        choose(page, EXPLORATIONS[0])
        assert page.locator("#found .verdict.wrong").count() == 0
        said = page.locator("#found").inner_text()
        assert "This is no game" in said and found["origin"]["game"] in said
        choose(page, RECORDS[0])
        assert "This is no game" not in page.locator("#found").inner_text()
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


def test_a_download_is_complete_or_lacks_records(browser: Browser, client: FlaskClient, settings: Settings) -> None:
    end = b'{"complete":true,"format":"nova-luna-export/1","records":2,"unreadable":%d}\n'
    said = {
        RECORDS[0] + RECORDS[1] + end % 0: "The download is complete. Records: 2.",
        RECORDS[1] + end % 0: "Records are missing: the download had 2, and 1 came.",
        RECORDS[0] + RECORDS[1] + end % 3: "Games are missing, because their data are damaged: the service left out 3.",
    }
    with reading(browser, client, settings.base_url, scheme="light", width=700) as (page, wrong):
        page.goto(f"{settings.base_url}/verify")
        page.locator("#ask").wait_for()
        for number, (given, verdict) in enumerate(said.items()):
            choose(page, given)
            page.locator("#found .verdict", has_text=verdict).wait_for()
            assert page.locator("#found .verdict.wrong").count() == (number > 0)
            assert page.locator("#found .verdict").last.inner_text() == verdict
        assert wrong == []


def test_a_record_that_makes_the_verifier_fail_is_shown(
    browser: Browser, client: FlaskClient, settings: Settings
) -> None:
    with reading(browser, client, settings.base_url, scheme="light", width=700) as (page, wrong):
        page.goto(f"{settings.base_url}/verify")
        page.locator("#ask").wait_for()
        page.evaluate("DataView = undefined")
        choose(page, RECORDS[0] + RECORDS[1])
        page.locator("#found .verdict").nth(1).wait_for()
        assert page.locator("#found .verdict.wrong").count() == 2
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


def drop(page: Page, case: dict[str, Any], policy: str | None = None) -> list[str]:
    """Drop the files of a vector's case at once, and return what the page says of the proof."""
    texts = [record.line(GAMES[case["record"]]).decode(), json.dumps(case["bundle"], indent=1)]
    texts += [json.dumps(case["known"])] if "known" in case else []
    texts.append(case.get("policy", POLICY) if policy is None else policy)
    page.evaluate(_DROP_FILES, texts)
    page.locator("#found h2", has_text="The proof").wait_for()
    return page.locator("#found h2 ~ p").all_inner_texts()


@pytest.mark.parametrize("scheme", DARK_IN_DRILLS)
def test_record_with_its_proof_is_checked(browser: Browser, client: FlaskClient, scheme: str) -> None:
    with reading(browser, client, SECURE, scheme=scheme, width=360) as (page, wrong):
        page.goto(f"{SECURE}/verify")
        page.locator("#ask").wait_for()
        assert drop(page, case(BOTH)) == [
            "The public log has this game.",
            "Version 6, still running: entry 172 of 1280",
            "Version 12, finished: entry 913 of 1280",
            "It is signed by the operator alone: nobody else vouches that all people are shown the same log.",
        ]
        assert page.locator("#policy").input_value() == POLICY
        assert Axe().run(page).violations_count == 0
        assert not page.evaluate(_TOO_WIDE)
        assert wrong == []


def test_proof_is_chosen_with_its_policy_and_kept_checkpoint(browser: Browser, client: FlaskClient) -> None:
    two = case("two checkpoints joined, with one kept from before")
    with reading(browser, client, SECURE, scheme="light", width=700) as (page, wrong):
        page.goto(f"{SECURE}/verify")
        page.get_by_text("With a proof that the public log has the game").click()
        files = {"#proof": two["bundle"], "#known": two["known"]}
        for field, value in files.items():
            data = json.dumps(value).encode()
            page.locator(field).set_input_files({"name": "f", "mimeType": "application/json", "buffer": data})
        choose(page, record.line(GAMES[two["record"]]))
        page.locator("#found h2 + .wrong").wait_for()
        assert "Without a policy, nobody is believed." in page.locator("#found h2 + p").inner_text()
        page.locator("#policy").fill(two.get("policy", POLICY))
        page.get_by_role("button", name="Check it").click()
        page.get_by_text("The public log has this game.").wait_for()
        assert page.locator("#found h2 ~ p").count() == 4
        assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("bad: the last entry rewritten, with a chain that holds", "record_changed"),
        ("bad: size changed under the signature", "signature_bad"),
        ("bad: two roots for one size", "split_view"),
        ("bad: unknown field in the bundle", "bundle_malformed"),
        ("bad: one witness of two", "witnesses_missing"),
    ],
)
def test_refused_proof_is_named_by_its_code(browser: Browser, client: FlaskClient, name: str, code: str) -> None:
    with reading(browser, client, SECURE, scheme="light", width=700) as (page, wrong):
        page.goto(f"{SECURE}/verify")
        page.locator("#ask").wait_for()
        (said,) = drop(page, case(name))
        assert said.startswith(f"The proof is refused: {code}: ")
        assert page.locator("#found h2 + .verdict.wrong").count() == 1
        assert wrong == []


def test_quorum_of_witnesses_is_named(browser: Browser, client: FlaskClient) -> None:
    with reading(browser, client, SECURE, scheme="light", width=700) as (page, wrong):
        page.goto(f"{SECURE}/verify")
        page.locator("#ask").wait_for()
        assert drop(page, case("two witnesses of two"))[-1].startswith("The quorum ")
        assert wrong == []


def test_browser_that_can_not_check_signatures_says_not_verified(browser: Browser, client: FlaskClient) -> None:
    # What comes by plain HTTP has no WebCrypto.
    with reading(browser, client, PLAIN, scheme="light", width=700) as (page, wrong):
        page.goto(f"{PLAIN}/verify")
        page.locator("#ask").wait_for()
        (said,) = drop(page, case(BOTH))
        assert said.startswith("Not verified: this browser can't check the signatures")
        assert page.locator("#found .verdict").first.inner_text().startswith("Everything is right.")
        assert [each for each in wrong if "Cross-Origin-Opener-Policy" not in each] == []


def test_proof_of_a_broken_record_is_not_checked(browser: Browser, client: FlaskClient) -> None:
    with reading(browser, client, SECURE, scheme="light", width=700) as (page, wrong):
        page.goto(f"{SECURE}/verify")
        page.locator("#ask").wait_for()
        bundle = json.dumps(case(BOTH)["bundle"])
        for line in ("{}\n", "\n".join(["{}", "{}", ""])):
            page.evaluate(_DROP_FILES, [bundle, line])
            page.locator("#found p", has_text="It needs one record that is right.").wait_for()
        assert wrong == []
