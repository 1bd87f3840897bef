"""The never-mail page: a GET asks, a POST acts, and it can be undone."""

from itertools import count

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.access.links import never_mail_link, table_link
from service.config import Settings
from service.store.never_mail import is_listed
from tests.support.mail.html_reader import heard
from tests.support.world import KEYS

_numbers = count(1)


@pytest.fixture
def address() -> str:
    """Return an address of this test alone."""
    return f"guest.{next(_numbers)}@example.org"


def path(settings: Settings, address: str) -> str:
    return never_mail_link(settings, address).removeprefix(settings.base_url)


def listed(session: Session, address: str) -> bool:
    session.rollback()
    return is_listed(session, address_hashes(KEYS, address))


def test_a_get_only_asks(client: FlaskClient, session: Session, settings: Settings, address: str) -> None:
    for _ in range(2):
        answer = client.get(path(settings, address))
        assert answer.status_code == 200 and "Never mail me again?" in answer.text
        assert f"Shall {address} get no more mail" in heard(answer.text)
        assert 'method="post"' in answer.text
    assert client.head(path(settings, address)).status_code == 200
    assert not listed(session, address)


def test_a_post_does_it_and_another_takes_it_back(
    client: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    for _ in range(2):
        answer = client.post(path(settings, address))
        assert answer.status_code == 303 and answer.headers["Location"] == path(settings, address)
        assert listed(session, address)
    page = client.get(path(settings, address)).text
    assert "You are left alone" in page and 'name="undo"' in page
    assert client.post(path(settings, address), data={"undo": "yes"}).status_code == 303
    assert not listed(session, address)
    assert "Never mail me again?" in client.get(path(settings, address)).text


def test_the_form_leads_to_the_same_link(client: FlaskClient, settings: Settings, address: str) -> None:
    assert f'action="{path(settings, address)}"' in client.get(path(settings, address)).text


def test_never_mail_is_for_the_address_in_the_link_alone(
    client: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    client.post(path(settings, address))
    assert listed(session, address.upper()) and not listed(session, "other@example.org")


def test_a_link_that_is_not_ours_does_nothing(
    client: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    good = path(settings, address)
    another_kind = table_link(settings, "AcCoUnt23456", "TabLe2345678").split("?")[1]
    for wrong in (
        "/never-mail",
        "/never-mail?link=",
        good[:-2],
        good.replace("link=", "link=x"),
        f"/never-mail?{another_kind}",
    ):
        assert client.get(wrong).status_code == 404
        assert client.post(wrong).status_code == 404
    assert not listed(session, address)


def test_one_click_takes_nothing_back(client: FlaskClient, session: Session, settings: Settings, address: str) -> None:
    for _ in range(2):
        client.post(path(settings, address), data={"List-Unsubscribe": "One-Click", "undo": "yes"})
        assert listed(session, address)


def test_another_site_presses_no_button(
    client: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert client.post(path(settings, address), headers=elsewhere).status_code == 403
    assert not listed(session, address)
    client.post(path(settings, address), data={"List-Unsubscribe": "One-Click"}, headers=elsewhere)
    assert client.post(path(settings, address), data={"undo": "yes"}, headers=elsewhere).status_code == 403
    assert listed(session, address)


def test_the_page_is_strict(client: FlaskClient, settings: Settings, address: str) -> None:
    for answer in (client.get(path(settings, address)), client.get("/never-mail")):
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'sha256-")
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "Set-Cookie" not in answer.headers and "<script" not in answer.text
