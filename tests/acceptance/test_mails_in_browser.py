"""The HTML part in a real browser: narrow and wide, light and dark, in every language, and checked by axe-core."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Request

from service.language.languages import CODES, Reader, language
from service.queries.recipients import Recipient
from tests.support.browser import needs_chromium, one_page
from tests.support.mail import facts, kinds

pytestmark = needs_chromium

PNG = b"\x89PNG\r\n\x1a\n"
PHONE, WIDE = 360, 700
LOOKED_AT = [
    ("turn", "de", "dark", PHONE),
    ("end", "fr", "light", WIDE),
    ("invitation-stranger", "es", "light", PHONE),
    ("sign-in", "en", "dark", PHONE),
    ("reminder", "fr", "light", PHONE),
    ("step-nudge", "de", "dark", PHONE),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "code", "scheme", "width"), LOOKED_AT)
def test_axe_finds_nothing(browser: Browser, kind: str, code: str, scheme: str, width: int) -> None:
    page = one_page(browser, scheme, width)
    page.set_content(kinds.every_kind(language(code), facts.NAMES, PNG)[kind]().html)
    found = Axe().run(page).response["violations"]
    assert found == []


@pytest.mark.slow
@pytest.mark.drill
def test_nothing_is_wider_than_the_screen_of_a_phone(browser: Browser, amount: Callable[..., int]) -> None:
    page = one_page(browser, "light", PHONE)
    looks = [("de", ("W" * 30,) * 3), ("en", ("山" * 30,) * 3), *((code, facts.NAMES) for code in CODES)]
    for code, names in looks[: amount(len(looks), 2)]:
        for kind, compose in kinds.every_kind(language(code), names, PNG).items():
            page.set_content(compose().html)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE, (kind, code, names)


@pytest.mark.slow
def test_a_wide_display_is_whole_on_a_phone(browser: Browser) -> None:
    page = one_page(browser, "light", PHONE)
    to = Recipient("ann@example.org", "Ann", "AcCoUnt23456", Reader(language("de")))
    columns = set()
    for rounds in (9, 16, 24, 30):
        page.set_content(kinds.a_turn(to, facts.NAMES[:2], rounds).html)
        columns.add(page.locator(".grid thead th").count())
        assert page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('.scroll'))") == 0, rounds
    assert max(columns) >= 11


def test_nothing_is_loaded(browser: Browser) -> None:
    page = one_page(browser, "dark", WIDE)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    content = kinds.every_kind(png=PNG)["turn"]()
    page.set_content(content.html)
    page.remove_listener("request", note)
    assert content.picture is not None and set(asked) <= {f"cid:{content.picture.cid}"}
