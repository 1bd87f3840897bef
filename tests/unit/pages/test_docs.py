"""The documentation for developers: its pages, their headers, and what their links lead to."""

import gzip
import re
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from flask.testing import FlaskClient

from service.api.downloads import AT_ONCE_BY_CALLER
from service.api.headers import OF_PAGES
from service.api.problem_codes import ALL, PAGE
from service.api.requests import MAX_BODY
from service.clocks.quiet_times import CHANGES_WITHIN, MOST_CHANGES
from service.commands import explorations, imports, keep
from service.commands.code_limits import TOGETHER
from service.config import Settings
from service.pages.docs.guide import CHAPTERS, EXAMPLE_ADDRESS
from service.pages.docs.markdown import render
from tests.support.mail.html_reader import links

LIMITS = (
    "sign_ins_per_ip",
    "sign_ins_per_address",
    "code_tries",
    "sign_ins_per_address",
    Settings.limit_sign_ins_per_address * TOGETHER,
    "invitations_per_account",
    "invitations_per_recipient",
    "links_per_account",
    "tables_per_account",
    "messages_per_account",
    "pictures_per_account",
    "pictures_per_ip",
    "calendar_reads_per_account",
    "streams_per_account",
    "streams_per_ip",
    imports.PER_HOUR,
    explorations.PER_HOUR,
    keep.MOST,
    "open_tables_per_account",
    "games_per_account",
    "solos_per_account",
    imports.MOST,
    "explorations_per_account",
    "standing_invitations_per_account",
    "standing_links_per_account",
)
"""The limits in the order of the guide: the names of settings, and numbers that are no settings."""

ROOT = Path(__file__).parents[3]
GUIDE = [f"/docs/guide/{each.name}" for each in CHAPTERS]
PAGES = ["/docs", "/docs/guide", *GUIDE, PAGE, "/docs/changelog"]


def anchors(html: str) -> set[str]:
    return {"", *re.findall(r' id="([^"]+)"', html)}


def test_each_file_of_the_guide_is_a_page() -> None:
    assert {each.name for each in CHAPTERS} == {path.stem for path in (ROOT / "docs" / "guide").glob("*.md")}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_html_with_a_strict_policy(client: FlaskClient, path: str) -> None:
    page = client.get(path)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert OF_PAGES.items() <= dict(page.headers).items()
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    assert ("script-src 'self'" in policy) == ("<script" in page.text) == (path == "/docs")
    assert not re.search(r'(?:src|href)="(?!/|#|https?:|data:)|style="|<script>|<style', page.text)
    assert page.text.count("<h1") == 1
    again = client.get(path, headers={"If-None-Match": page.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("path", PAGES)
def test_each_link_of_the_site_leads_somewhere(client: FlaskClient, path: str) -> None:
    page = client.get(path)
    assert len(links(page.text)) > 4
    for link in links(page.text):
        address, within = urldefrag(link)
        if ":" in address:
            continue
        found = client.get(address) if address else page
        assert found.status_code == 200, link
        assert not within or within in anchors(found.text), link


def test_every_code_is_explained_where_problems_lead_to(client: FlaskClient) -> None:
    problem = client.get("/v1/nothing").get_json()
    page, within = urldefrag(problem["type"])
    assert anchors(client.get(page).text) >= ALL and within in ALL


def test_the_guide_names_the_service_that_it_is_on(client: FlaskClient) -> None:
    page = client.get("/docs/guide/first-game").text
    assert "API=https://nova-luna.example.org" in page and EXAMPLE_ADDRESS not in page


def test_the_changelog_is_that_of_the_repository(client: FlaskClient) -> None:
    releases = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    page = client.get("/docs/changelog").text
    assert releases and all(f"[{each}]" in page or f">{each}<" in page for each in releases)


@pytest.mark.parametrize(
    "name", ["docs.css", "reference.css", "reference.js", "swagger-ui.css", "swagger-ui-bundle.js"]
)
def test_styles_and_scripts_come_from_here(client: FlaskClient, name: str) -> None:
    path = f"/docs/assets/{name}"
    assert path in client.get("/docs").text
    asset, packed = client.get(path), client.get(path, headers={"Accept-Encoding": "gzip"})
    assert asset.mimetype == ("text/css" if name.endswith("css") else "text/javascript")
    assert gzip.decompress(packed.data) == asset.data
    assert client.get(path, headers={"If-None-Match": asset.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("path", ["/docs/guide/x", "/docs/assets/x", "/docs/assets/LICENSE", "/docs/assets/..%2fx"])
def test_nothing_else_is_there(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_markdown_is_rendered_without_the_html_in_it() -> None:
    text = "# A title\n\nRead <b>this</b>.\n\n## What `x` does, & why\n\n[a](b.md#c) [gone](../gone.md) [out](https://x.org)\n"
    title, html, chapters = render(text, "docs/guide/a.md", {"docs/guide/b.md": "/docs/guide/b"})
    assert title == "A title" and "&lt;b&gt;this" in html
    assert chapters == [("what-x-does--why", "What x does, & why")] and 'id="what-x-does--why"' in html
    assert '<a href="/docs/guide/b#c">a</a> gone <a href="https://x.org">out</a>' in html


def test_the_limits_are_those_of_the_settings() -> None:
    text = (ROOT / "docs" / "guide" / "limits.md").read_text()
    amounts = re.findall(r"^\| .* \| (\d+) (?:an hour|a day|at a time) \|$", text, re.MULTILINE)
    assert list(map(int, amounts)) == [
        each if isinstance(each, int) else getattr(Settings, f"limit_{each}") for each in LIMITS
    ]
    assert f"| {AT_ONCE_BY_CALLER} at once |" in text
    assert f"| {MOST_CHANGES} in {CHANGES_WITHIN.days} days |" in text
    assert f"**{Settings.limit_requests_per_token} requests a minute**" in text
    assert Settings.limit_requests_per_token == Settings.limit_requests_per_ip
    assert f"{MAX_BODY // 1024} KiB" in text and "8,000 characters" in text
    configuration = (ROOT / "service" / "gunicorn_conf.py").read_text()
    [line] = re.findall(r"^limit_request_line = (\d+)$", configuration, re.MULTILINE)
    assert int(line) > 8000
