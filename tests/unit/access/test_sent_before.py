"""What mails of former releases hold is still good: links, addresses, codes, references and hashes, as they were made.

These texts stand in people's mailboxes, in the never-mail list and in the ledger. They never change.
"""

import pytest

from service.access import links, return_path, secrets
from service.access.address_hash import address_hashes
from service.access.reply_addresses import (
    Answerable,
    ToCode,
    ToInvitation,
    ToReading,
    ToSilencing,
    ToTable,
    recipient,
    reply_address,
)
from service.config import Settings

KEYS = ("a-key-of-a-former-release-that-is-long-enough",)
SETTINGS = Settings(
    database_url="postgresql:///x",
    secret_keys=KEYS,
    base_url="https://nova-luna.example.org",
    mail_from="Nova Luna <nova-luna@example.org>",
    mail_in="lmtp://127.0.0.1:8024",
)
ANN, GAME = "AcCoUnt23456", "TabLe2345678"
AT_TABLE = ToTable(GAME, 2, 17, leaving=False)
WITH_HEAD = AT_TABLE._replace(head="0f1e2d3c")


def test_the_links_of_release_0_2_0_still_lead_where_they_led() -> None:
    table = "WyJBY0NvVW50MjM0NTYiLCJUYWJMZTIzNDU2NzgiXQ._0t8HKIYN-b0CeIjwJGyiO07fEGrKCXjKFJkA6ZVk_4"
    assert links.table_link(SETTINGS, ANN, GAME) == f"https://nova-luna.example.org/games/{GAME}?link={table}"
    assert links.reader_of(KEYS, table) == (ANN, GAME)
    record = "IlRhYkxlMjM0NTY3OCI.b8Iwv37S-VZsxWbI2RmyZgY31iV3gFGc6fVSkhKX_Rc"
    assert links.record_link(SETTINGS, GAME) == f"https://nova-luna.example.org/games/{GAME}/record?link={record}"
    assert links.recorded_game(KEYS, record) == GAME
    never = "ImFubkBleGFtcGxlLm9yZyI.EMEg3tdVqUB3X5lL0YZspEwqp92koClenWHM3-7tw1Q"
    assert links.never_mail_link(SETTINGS, "ann@example.org").endswith(f".org/never-mail?link={never}")
    assert links.address_of(KEYS, never) == "ann@example.org"
    stop = "WyJBY0NvVW50MjM0NTYiLCJUYWJMZTIzNDU2NzgiLCJ0dXJuIl0.HASXo5q-1I5EZuoJKd0eGH319C5YTSdjcMVlaHRa_uE"
    assert links.unsubscribe_link(SETTINGS, ANN, GAME, "turn").endswith(f".org/unsubscribe?link={stop}")
    assert links.unsubscribe_of(KEYS, stop) == (ANN, GAME, "turn")


def test_the_link_of_a_calendar_says_whose_it_is_and_its_number() -> None:
    link = "WyJBY0NvVW50MjM0NTYiLDNd.PqV_0ffe-rSDWYGkwpDwJTo3fW20IglsZsspuCqEo8s"
    assert links.calendar_link(SETTINGS, ANN, 3) == f"https://nova-luna.example.org/calendar.ics?link={link}"
    assert links.calendar_of(KEYS, link) == (ANN, 3) and links.reader_of(KEYS, link) is None


def test_links_to_move_and_of_invitations_and_imports_stay_what_they_are() -> None:
    wait = links.MoveLink(ANN, GAME, 12, "0a1b2c3d")
    move = "WyJBY0NvVW50MjM0NTYiLCJUYWJMZTIzNDU2NzgiLDEyLCIwYTFiMmMzZCJd.bASgzL8N1fshBLzpX5cwrW9ujgBNFx7vcZDdyAoYiSQ"
    assert links.move_text(KEYS, wait) == move and links.wait_of(KEYS, move) == wait
    invitation = "IlRhYkxlMjM0NTY3OCI.fQyoD9gvKqtYHBqnGBu00jhME7oWd1rlS0rgzUUgHlA"
    assert links.invitation_text(KEYS, GAME) == invitation and links.invited_by(KEYS, invitation) == GAME
    imported = "WyJBY0NvVW50MjM0NTYiLCJUYWJMZTIzNDU2NzgiXQ.X6Mqy0lDr8ALmmx5I1kUsupYfmgW6QjT2P18_8DAj68"
    assert links.import_link(SETTINGS, ANN, GAME).endswith(f".org/imports/{GAME}?link={imported}")
    assert links.importer_of(KEYS, imported, GAME) == ANN


@pytest.mark.parametrize(
    ("to", "part"),
    [
        (AT_TABLE, "play-c6hbpurniod5yhqcaaabczutp2q4ngh5rfy72tvm"),
        (AT_TABLE._replace(leaving=True), "leave-c6hbpurniod5yhqcaaabd6cxzzvaotj7ugtstw37"),
        (WITH_HEAD, "play-c6hbpurniod5yhqcaaiq6hrnht643v7z6bzgpvho"),
        (WITH_HEAD._replace(leaving=True), "leave-c6hbpurniod5yhqcaaiq6hrnhsmt6uahjvailynp"),
        (ToReading(AT_TABLE, 1, 130), "agree-c6hbpurniod5yhqcaaabcamcywi3o54abpxgwe62"),
        (ToReading(WITH_HEAD, 1, 130), "agree-c6hbpurniod5yhqcaaiq6hrnhqayelh2kgzubufn"),
        (ToSilencing(GAME, 2, 17, "stop"), "stop-c6hbpurniod5yhqcaaabcg2josw22nksrd3ywozv"),
        (ToSilencing(GAME, 2, 17, "mute"), "mute-c6hbpurniod5yhqcaaabdasyeuxs4iv7s4p5bmff"),
        (ToCode(GAME), "enter-c6hbpurniod5yhwo3qmnub4irsdh4kdzmqdxz5zx"),
        (ToInvitation(GAME), "guest-c6hbpurniod5yhwewmqnl7ecwzkl5crwutufyd2f"),
    ],
)
def test_the_reply_addresses_of_release_0_2_0_still_mean_the_same(to: Answerable, part: str) -> None:
    address = f"nova-luna+{part}@example.org"
    assert reply_address(SETTINGS, to) == address and recipient(SETTINGS, address) == to


def test_codes_secrets_and_references_follow_from_the_key_as_they_did() -> None:
    assert secrets.code(KEYS, "sign-in", ANN) == "5Z7CW-V3A34"
    assert secrets.secret(KEYS, "invitation", ANN) == "f8AjvwyawU3sq2k3eE3CKvTUoV-RSu8SRezNtyP_5jw"
    assert return_path.references(KEYS, "turn.TabLe2345678.17.AcCoUnt23456") == ("6lpm4ib5sr6fbqb6bmvmvyjb",)
    assert return_path.is_proven(KEYS, "6lpm4ib5sr6fbqb6bmvmvyjb")


def test_the_hash_of_an_address_that_wants_no_mail_stays_and_has_no_case() -> None:
    (ann,) = address_hashes(KEYS, "Ann@example.org")
    assert ann.hex() == "7653dc1e1a768b351aa51677927f1664d7ea63b049a917b23b907a63e1ae8138"
    assert address_hashes(KEYS, "ann@EXAMPLE.org") == (ann,)
