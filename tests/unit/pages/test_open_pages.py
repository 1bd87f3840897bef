"""The pages that are for everybody: the rules, and the requests of programs.

Each is in the language of its link or of the browser.
"""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from service.api.rules import rules
from service.language.languages import CODES, language
from tests.support.mail.html_reader import heard

TITLES = {"en": "The rules", "fr": "Les règles", "es": "Las reglas", "de": "Die Regeln"}


@pytest.mark.parametrize("code", CODES)
def test_the_rules_are_in_the_language_of_the_link(client: FlaskClient, code: str) -> None:
    page = client.get(f"/rules?language={code}", headers={"Accept-Language": "pl, fr;q=0.5"})
    assert page.status_code == 200 and page.headers["Content-Language"] == code
    assert f"<h1>{TITLES[code]}</h1>" in page.text and f'<html lang="{code}">' in page.text
    text, _ = rules(code)
    told = " ".join(heard(page.text).split())
    for number in re.findall(r"^- (\d\.\d) ", text, re.MULTILINE):
        assert f"{number} " in told
    assert "## " not in told and "`" not in told
    assert set(re.findall(r'href="/rules\?language=(\w\w)"', page.text)) == set(CODES) - {code}


@pytest.mark.parametrize(
    ("query", "wanted", "code"),
    [
        ("", "de-AT, en;q=0.5", "de"),
        ("", "pl", "en"),
        ("?language=pl", "es", "es"),
        ("?language=", "fr", "fr"),
        ("?language=de&language=fr", "en", "de"),
        ("?language=%3Cscript%3E", "en", "en"),
    ],
)
def test_else_pages_are_in_the_language_of_the_browser(client: FlaskClient, query: str, wanted: str, code: str) -> None:
    for path in ("/rules", "/programs"):
        page = client.get(path + query, headers={"Accept-Language": wanted})
        assert page.headers["Content-Language"] == code and "<script" not in page.text


@pytest.mark.parametrize(
    ("path", "onward"),
    [
        ("/rules/9?language=de", "/rules?language=de"),
        ("/players/nobody?language=de", "/?language=de"),
        ("/invitation?link=x&language=de", "/?language=de"),
        ("/unsubscribe?link=x", "/"),
        ("/calendar.ics", "/"),
    ],
)
def test_a_page_that_is_not_there_leads_on(client: FlaskClient, path: str, onward: str) -> None:
    page = client.get(path)
    assert page.status_code == 404
    assert re.findall('<a class="button" href="([^"]+)"', page.text) == [onward]


@pytest.mark.parametrize("code", CODES)
def test_programs_are_shown_commands_without_any_secret(client: FlaskClient, code: str) -> None:
    page = client.get(f"/programs?language={code}&table=TabLe2345678")
    commands = [unescape(command) for command in re.findall("<pre>(.*?)</pre>", page.text)]
    assert [re.search(r"/v1/\S+(?= )", command)[0].strip("'") for command in commands] == [  # type: ignore[index]
        "/v1/sign-ins", "/v1/tokens", "/v1/games/TabLe2345678/players", "/v1/games/TabLe2345678/declines"
    ]  # fmt: skip
    say = language(code).say
    assert say("YOUR ADDRESS") in commands[0] and say("YOUR INVITATION") in commands[2] and "/docs" in page.text


@pytest.mark.parametrize("table", ["", "x", "TabLe234567'", "TabLe2345678/../x", "<b>", "TabLe23456789"])
def test_programs_without_a_table_are_told_to_sign_in(client: FlaskClient, table: str) -> None:
    page = client.get("/programs", query_string={"table": table})
    assert page.status_code == 200 and page.text.count("<pre>") == 2
    assert not table or table not in page.text or table == "x"
