"""Which deliveries are the same mail."""

import pytest

from service.access.reply_addresses import ToCode, ToInvitation, ToService, ToTable
from service.reading.headers import split
from service.receiver.deduplication import digests

MAIL = b"""Received: from a by b\r
Message-ID: <1@example.org>\r
From: Ann <ann@example.org>\r
Date: Sat, 28 Nov 2026 12:00:00 +0000\r
Subject: Re: Your\r
 turn\r
\r
2 F\r
\r
thanks\r
"""
TO = ToTable("TabLe2345678", 1, 7, leaving=False)


def digest_of(raw: bytes, to: ToTable = TO) -> bytes:
    return digests([to], *split(raw))[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Received: from a by b\r\n", b"Received: from c by d\r\nReceived: from a by b\r\nX-Spam: no\r\n"),
        (b"Subject: Re: Your\r\n turn", b"Subject: Re: Your turn"),
        (b"\r\n", b"\n"),
        (b"2 F\r\n", b"2 F  \r\n"),
        (b"thanks\r\n", b"thanks\r\n\r\n\r\n"),
        (b"thanks\r\n", b"thanks"),
        (b"Message-ID", b"message-id"),
    ],
)
def test_what_relays_do_on_the_way_makes_no_other_mail(old: bytes, new: bytes) -> None:
    assert digest_of(MAIL.replace(old, new)) == digest_of(MAIL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<1@", b"<2@"),
        (b"Ann <", b"Anne <"),
        (b"12:00:00", b"12:00:01"),
        (b"turn\r\n", b"turn!\r\n"),
        (b"2 F", b"2 G"),
        (b"2 F\r\n\r\nthanks", b"2 F\r\nthanks"),
        (b"Message-ID: <1@example.org>\r\n", b""),
    ],
)
def test_what_the_writer_changed_does(old: bytes, new: bytes) -> None:
    assert old in MAIL
    assert digest_of(MAIL.replace(old, new)) != digest_of(MAIL)


def test_each_recipient_has_a_mail_of_their_own() -> None:
    fields, body = split(MAIL)
    everyone = (
        TO,
        TO._replace(version=8),
        TO._replace(leaving=True),
        TO._replace(seat=0),
        ToService(),
        ToCode("TabLe2345678"),
        ToInvitation("TabLe2345678"),
    )
    assert len(set(digests(everyone, fields, body))) == len(everyone)


def test_any_bytes_have_a_digest() -> None:
    for raw in (b"", b"\r\n", b"\n\n", b"no head at all", b"a:\r\n" * 70_000, b"\0\xff" * 100, b"A" * 300_000):
        assert len(digest_of(raw)) == 32
