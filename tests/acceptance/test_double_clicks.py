"""Double clicks on buttons of pages without scripts, in real browsers: the browser sends the form twice."""

from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store.accounts import Account
from service.store.tables import Table
from tests.support import web
from tests.support.browser import FIREFOX_TOO, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow, pytest.mark.parametrize("browser", FIREFOX_TOO, indirect=True)]


def test_double_clicks_sign_in_and_open_one_table(
    site: str, own_app: Flask, session: Session, ann: str, enter: Callable[..., Page]
) -> None:
    address = session.get_one(Account, ann).email
    assert address is not None
    session.commit()
    page = enter(390)
    page.goto(f"{site}/sign-in")
    page.locator("#email").fill(address)
    page.get_by_role("button", name="Mail me a code").dblclick()
    page.locator("#code").wait_for()
    (code,) = web.codes_for(own_app, address)
    page.locator("#code").fill(code)
    page.locator("main form").get_by_role("button", name="Sign in").dblclick()
    expect(page.get_by_role("link", name="My tables").first).to_be_visible()
    page.goto(f"{site}/tables/new")
    page.get_by_role("button", name="Open the table").dblclick()
    page.locator("#sitting").wait_for()
    assert page.url.removeprefix(f"{site}/games/") in session.scalars(select(Table.id).where(Table.maker == ann)).all()
    assert len(session.scalars(select(Table.id).where(Table.maker == ann)).all()) == 1
