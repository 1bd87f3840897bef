"""Signed links: what they contain, and that nothing else is accepted as one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.links import (
    MoveLink,
    TableLink,
    UnsubscribeLink,
    address_of,
    confirmation,
    confirmed,
    move_link,
    never_mail_link,
    programs_page,
    reader_of,
    table_link,
    unsubscribe_link,
    unsubscribe_of,
    wait_of,
)
from service.access.secrets import link
from service.config import Settings

OLD, NEW = "an-old-key-of-the-tests-that-is-long-enough", "a-new-key-of-the-tests-that-is-long-enough"
SETTINGS = Settings(database_url="postgresql:///x", secret_keys=(OLD,), base_url="https://nova-luna.example.org")


def signed(url: str) -> str:
    return url.split("?link=")[1]


def test_a_table_link_says_who_and_which() -> None:
    url = table_link(SETTINGS, "AcCoUnt23456", "TabLe2345678")
    assert url.startswith("https://nova-luna.example.org/games/TabLe2345678?link=")
    assert reader_of((OLD,), signed(url)) == TableLink("AcCoUnt23456", "TabLe2345678")


def test_a_move_link_says_who_moves_where_and_when() -> None:
    wait = MoveLink("AcCoUnt23456", "TabLe2345678", 12, "0a1b2c3d")
    url = move_link(SETTINGS, wait)
    assert url.startswith("https://nova-luna.example.org/games/TabLe2345678?link=")
    assert wait_of((OLD,), signed(url)) == wait and reader_of((OLD,), signed(url)) is None
    assert wait_of((NEW,), signed(url)) is None


def test_a_confirmation_is_no_link_and_names_one_move() -> None:
    wait = MoveLink("AcCoUnt23456", "TabLe2345678", 12, "0a1b2c3d")
    text = confirmation((OLD,), wait, "17@0,-2")
    assert confirmed((OLD,), text) == (wait, "17@0,-2")
    assert wait_of((OLD,), text) is None and reader_of((OLD,), text) is None
    assert confirmed((OLD,), signed(move_link(SETTINGS, wait))) is None


@pytest.mark.parametrize("payload", [None, "a", [], ["a", "b"], ["a", "b", "1", "c"], ["a", "b", 1, None], {"a": 1}])
def test_signed_data_of_another_shape_is_no_wait(payload: object) -> None:
    assert wait_of((OLD,), link((OLD,), "move", payload)) is None
    assert confirmed((OLD,), link((OLD,), "confirm", payload)) is None


def test_a_never_mail_link_says_which_address() -> None:
    url = never_mail_link(SETTINGS, "o'brien+x@example.org")
    assert url.startswith("https://nova-luna.example.org/never-mail?link=")
    assert address_of((OLD,), signed(url)) == "o'brien+x@example.org"


@pytest.mark.parametrize("table", ["TabLe2345678", None])
def test_an_unsubscribe_link_says_whose_mails_of_what_kind(table: str | None) -> None:
    url = unsubscribe_link(SETTINGS, "AcCoUnt23456", table, "turn")
    assert url.startswith("https://nova-luna.example.org/unsubscribe?link=")
    assert unsubscribe_of((OLD,), signed(url)) == UnsubscribeLink("AcCoUnt23456", table, "turn")


def test_links_outlive_a_change_of_key_while_the_old_one_is_kept() -> None:
    old = signed(table_link(SETTINGS, "a", "t"))
    new = signed(table_link(replace(SETTINGS, secret_keys=(NEW, OLD)), "a", "t"))
    assert reader_of((NEW, OLD), old) == reader_of((NEW,), new) == TableLink("a", "t")
    assert reader_of((NEW,), old) is None and reader_of((OLD,), new) is None


def test_a_link_of_one_kind_is_none_of_the_other() -> None:
    assert reader_of((OLD,), signed(never_mail_link(SETTINGS, "a@example.org"))) is None
    assert address_of((OLD,), signed(table_link(SETTINGS, "a", "t"))) is None
    assert unsubscribe_of((OLD,), signed(table_link(SETTINGS, "a", "t"))) is None
    assert reader_of((OLD,), signed(unsubscribe_link(SETTINGS, "a", "t", "turn"))) is None


@pytest.mark.parametrize("payload", [None, 1, "a", ["a"], ["a", 1], ["a", "t", "x"], {"account": "a"}])
def test_signed_data_of_another_shape_is_no_table_link(payload: object) -> None:
    assert reader_of((OLD,), link((OLD,), "table", payload)) is None


@pytest.mark.parametrize("payload", [None, "a", ["a"], ["a", None], ["a", 1, "turn"], ["a", None, None]])
def test_signed_data_of_another_shape_is_no_link_to_unsubscribe(payload: object) -> None:
    assert unsubscribe_of((OLD,), link((OLD,), "unsubscribe", payload)) is None


@given(st.text())
def test_any_text_is_no_link(text: str) -> None:
    assert reader_of((OLD,), text) is None and address_of((OLD,), text) is None
    assert unsubscribe_of((OLD,), text) is None


def test_the_page_for_programs_is_in_a_language_and_may_be_about_a_table() -> None:
    page = "https://nova-luna.example.org/programs?language=fr"
    assert programs_page(SETTINGS.base_url, "fr") == page
    assert programs_page(SETTINGS.base_url, "fr", "TabLe2345678") == f"{page}&table=TabLe2345678"
