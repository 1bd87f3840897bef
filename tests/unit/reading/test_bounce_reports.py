"""Reports that a mail came back, as servers of each kind write them, and other input."""

import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.reading.bounces import ACTIONS, Bounce, parse
from service.reading.smtp_status import status as status_of

FOLDER = Path(__file__).parent / "bounces"
MAILS = {path.stem: path.read_bytes() for path in sorted(FOLDER.glob("*.eml"))}
REFERENCE = "abcdefghijklmnopqrstuvwx"


@pytest.mark.parametrize(
    ("name", "action", "status", "recipient", "is_hard", "says"),
    [
        ("postfix-unknown-user", "failed", "5.1.1", "ann@example.net", True, "550 5.1.1 <address>: Recipient address"),
        ("postfix-delayed", "delayed", "4.4.1", "ann@example.net", False, "connect to mx.example.net[192.0.2.7]:25"),
        ("exim-mailbox-full", "failed", "5.2.2", "ann@example.net", False, "552 5.2.2 Mailbox full"),
        ("exchange-unknown-recipient", "failed", "5.1.10", "ann@example.net", True, "Recipient <address> not found"),
        ("gmail-no-such-user", "failed", "5.1.1", "ann@example.net", True, "does not exist"),
        ("qmail-plain", "failed", "5.0.0", "ann@example.net", True, "no mailbox here by that name"),
        ("international", "failed", "5.1.1", "jörg@example.net", True, "550 5.1.1 Postfach <address> unbekannt"),
        ("policy", "failed", "5.7.1", "ann@example.net", False, "looks like spam"),
        ("delivered", "relayed", "2.0.0", "ann@example.net", False, "250 2.0.0 Ok"),
    ],
)
def test_what_a_report_says(name: str, action: str, status: str, recipient: str, is_hard: bool, says: str) -> None:
    bounce = parse(MAILS[name])
    assert bounce is not None
    assert (bounce.action, bounce.status, bounce.recipient) == (action, status, recipient)
    assert bounce.is_hard == is_hard
    assert says in bounce.diagnostic and "@" not in bounce.diagnostic
    assert bounce.reference == (None if name.startswith("gmail") else REFERENCE)


@pytest.mark.parametrize("name", ["answer-of-a-person", "out-of-office"])
def test_what_is_no_report(name: str) -> None:
    assert parse(MAILS[name]) is None


def test_each_mail_here_is_held_to_something() -> None:
    assert len(MAILS) == 11


@pytest.mark.parametrize(
    ("status", "is_hard"),
    [
        ("5.0.0", True),
        ("5.1.1", True),
        ("5.1.7", False),
        ("5.1.8", False),
        ("5.1.10", True),
        ("5.2.1", True),
        ("5.4.4", True),
        ("5.2.2", False),
        ("5.2.3", False),
        ("5.3.4", False),
        ("5.4.7", False),
        ("5.6.0", False),
        ("5.7.26", False),
        ("4.1.1", False),
    ],
)
def test_what_says_something_against_an_address(status: str, is_hard: bool) -> None:
    assert Bounce("failed", status, "", None, None).is_hard == is_hard
    assert not Bounce("delayed", status, "", None, None).is_hard


def test_the_worst_of_several_recipients_is_told() -> None:
    group = b"Final-Recipient: rfc822; ann@example.net"
    other = b"Final-Recipient: rfc822; other@example.net\nAction: delivered\nStatus: 2.0.0\n\n"
    bounce = parse(MAILS["postfix-unknown-user"].replace(group, other + group))
    assert bounce is not None and bounce.action == "failed" and bounce.recipient == "ann@example.net"


def test_a_part_in_base64_is_read_all_the_same() -> None:
    mail = MAILS["international"]
    start = mail.index(b"Reporting-MTA")
    end = mail.index(b"\n--grenze", start)
    encoded = mail[:start] + b64encode(mail[start:end]) + mail[end:]
    kind = b"message/global-delivery-status\nContent-Transfer-Encoding: "
    bounce = parse(encoded.replace(kind + b"8bit", kind + b"base64"))
    assert bounce is not None and bounce.recipient == "jörg@example.net"


def test_a_part_that_is_encoded_is_read_all_the_same() -> None:
    mail = MAILS["postfix-unknown-user"]
    start = mail.index(b"Reporting-MTA")
    end = mail.index(b"\n--4Q1", start)
    quoted = mail[start:end].replace(b"=", b"=3D")
    header = b"message/delivery-status\nContent-Transfer-Encoding: quoted-printable"
    encoded = (mail[:start] + quoted + mail[end:]).replace(b"message/delivery-status", header, 1)
    bounce = parse(encoded)
    assert bounce is not None and bounce.status == "5.1.1"


@pytest.mark.parametrize("tampert", [b"example.org>", b"=00@x", b"\x01@example.org"])
def test_a_header_that_names_nobody_gives_way_to_the_words(tampert: bytes) -> None:
    mail = re.sub(
        rb"(?m)^(X-Failed-Recipients:).*$", lambda found: found[1] + b" " + tampert, MAILS["exim-mailbox-full"]
    )
    words = re.sub(rb"(?m)^Content-Type:.*(?:\n[ \t].*)*$", b"Content-Type: text/plain", mail, count=1)
    bounce = parse(words)
    assert bounce is not None and (
        bounce.recipient is None or ("@" in bounce.recipient and bounce.recipient.isprintable())
    )


@pytest.mark.parametrize(
    ("field", "words", "status"),
    [
        ("5.0.0", "smtp; 550 No such user here", "5.0.0"),
        ("5.0.0", "smtp; 552 Requested mail action aborted: exceeded storage allocation", "5.2.2"),
        ("5.0.0", "smtp; 550 user is over quota", "5.2.2"),
        ("5.0.0", "smtp; 552 sorry", "5.2.2"),
        ("5.0.0", "smtp; 554 Message rejected due to content restrictions", "5.7.1"),
        ("5.0.0", "smtp; 554 your address is blacklisted", "5.7.1"),
        ("5.0.0", "smtp; 554 delivery error: dd This user doesn't have a yahoo.com account", "5.0.0"),
        ("5.0.0", "retry timeout exceeded", "5.4.7"),
        ("5.5.0", "smtp;550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).", "5.1.1"),
        ("5.5.0", "smtp;550 5.5.0 what is this?", "5.5.0"),
        ("5.1.1", "smtp; 550 5.1.1 over quota", "5.1.1"),
        ("", "smtp; 450 try later", "4.0.0"),
        ("", "", "5.0.0"),
    ],
)
def test_where_no_code_says_why_the_words_do(field: str, words: str, status: str) -> None:
    assert status_of(field, words, "5.0.0") == status


def _in_words(sender: str, words: str) -> bytes:
    to = f"nova-luna+bounce-{REFERENCE}@example.org"
    return f"Return-Path: <>\nFrom: {sender}\nTo: {to}\nSubject: Failure Notice\n\n{words}\n".encode()


_RETURNED = "\nMessage-ID: <turn.G4mE8sWqKzRt.7.AcCtAnn23456@example.org>\n\nIt is your turn.\n"


@pytest.mark.parametrize(
    ("words", "status", "recipient"),
    [
        (
            "Sorry, we were unable to deliver your message to the following address.\n\n<ann@example.net>:\n"
            "554: delivery error: dd This user doesn't have an account (ann@example.net) [0]\n\n"
            "--- Below this line is a copy of the message.\n" + _RETURNED,
            "5.0.0",
            "ann@example.net",
        ),
        (
            "This message was created automatically by mail delivery software.\n\nA message that you sent could not "
            "be\n"
            "delivered to one or more of its recipients. The following address\nfailed:\n\nann@example.net:\n"
            "SMTP error from remote server for RCPT TO command, reason: 550 5.1.1\n user unknown\n\n"
            "--- The header of the original message is following. ---\n" + _RETURNED,
            "5.1.1",
            "ann@example.net",
        ),
        (
            "This is the mail system at host mx.example.com.\n\nI'm sorry to inform you that your message could not\n"
            "be delivered.\n\n<ann@example.net>: user unknown\n---\n" + _RETURNED,
            "5.0.0",
            "ann@example.net",
        ),
        (
            "Hi. This is the qmail-send program.\nThis is a permanent error.\n\n<ann@example.net>:\n"
            "CNAME lookup failed temporarily. (#4.4.3)\nI'm not going to try again; this message has been in the queue "
            "too long.\n\n--- Below this line is a copy of the message.\n" + _RETURNED,
            "4.4.3",
            "ann@example.net",
        ),
    ],
)
def test_reports_in_words_of_many_makes(words: str, status: str, recipient: str) -> None:
    bounce = parse(_in_words("MAILER-DAEMON@mx.example.com", words))
    assert bounce is not None
    assert (bounce.action, bounce.status, bounce.recipient) == ("failed", status, recipient)
    assert bounce.reference == REFERENCE
    assert parse(_in_words("ann@example.net", words)) is None  # quoting a report is not sending one


def test_a_warning_in_words_is_no_failure() -> None:
    words = "This is the mail system at host mx.\n\n<ann@example.net>: connect failed. Delivery will be retried.\n"
    bounce = parse(_in_words("MAILER-DAEMON@mx.example.com", words))
    assert bounce is not None and bounce.action == "delayed"


@pytest.mark.parametrize("before", [b"From MAILER-DAEMON Fri Nov 27 20:59:40 2026\n", b"\n", b"\r\n\r\n"])
def test_what_a_mail_server_puts_before_it_is_passed_over(before: bytes) -> None:
    assert parse(before + MAILS["postfix-unknown-user"]) == parse(MAILS["postfix-unknown-user"])


@pytest.mark.parametrize("action", [b"Failed(for good)", b"failed;", b"FAILED (for good)"])
def test_an_action_may_be_commented(action: bytes) -> None:
    bounce = parse(MAILS["postfix-unknown-user"].replace(b"Action: failed", b"Action: " + action))
    assert bounce is not None and bounce.action == "failed"


def test_what_stands_beside_a_report_without_a_reason_tells_it() -> None:
    mail = re.sub(rb"(?m)^Diagnostic-Code:.*\n", b"", MAILS["exim-mailbox-full"])
    bounce = parse(mail)
    assert bounce is not None and bounce.status == "5.2.2"
    late = re.sub(rb"(?s)    host mx.*?552 5.2.2 Mailbox full", b"    retry timeout exceeded", mail, count=1)
    bounce = parse(late)
    assert bounce is not None and bounce.status == "5.4.7" and not bounce.is_hard


def test_a_report_without_a_recipient_is_read_by_its_words() -> None:
    mail = re.sub(rb"(?m)^Action:.*\n", b"", MAILS["exim-mailbox-full"])
    bounce = parse(mail)
    assert bounce is not None and (bounce.action, bounce.status) == ("failed", "5.2.2")


def test_a_part_in_another_set_of_characters_is_read_all_the_same() -> None:
    mail = MAILS["international"]
    start = mail.index(b"Reporting-MTA")
    end = mail.index(b"\n--grenze", start)
    wide = b64encode(mail[start:end].decode().encode("utf-16"))
    kind = b"message/global-delivery-status"
    told = kind + b'; charset="utf-16"\nContent-Transfer-Encoding: base64'
    encoded = (mail[:start] + wide + mail[end:]).replace(kind + b"\nContent-Transfer-Encoding: 8bit", told)
    bounce = parse(encoded)
    assert bounce is not None and bounce.recipient == "jörg@example.net"


def _cut(mail: bytes, start: int, length: int) -> bytes:
    return mail[: start % len(mail)] + mail[start % len(mail) + length :]


def _doubled(mail: bytes, start: int, length: int) -> bytes:
    at = start % len(mail)
    return mail[:at] + mail[at : at + length] * 2 + mail[at + length :]


def _overwritten(mail: bytes, start: int, length: int) -> bytes:
    at = start % len(mail)
    return mail[:at] + bytes((start * n) % 256 for n in range(length % 50)) + mail[at + length % 50 :]


@settings(max_examples=150)
@given(
    name=st.sampled_from(sorted(MAILS)),
    changes=st.lists(
        st.tuples(st.sampled_from([_cut, _doubled, _overwritten]), st.integers(0, 10_000), st.integers(1, 400)),
        max_size=4,
    ),
)
def test_no_mail_is_too_broken(name: str, changes: list[tuple[Callable[[bytes, int, int], bytes], int, int]]) -> None:
    mail = MAILS[name]
    for change, start, length in changes:
        mail = change(mail, start, length) or b"\n"
    _is_sound(parse(mail))


@settings(max_examples=100)
@given(raw=st.binary(max_size=2_000))
def test_no_bytes_are_an_error(raw: bytes) -> None:
    _is_sound(parse(raw))
    _is_sound(
        parse(b"Content-Type: multipart/report; boundary=x\n\n--x\nContent-Type: message/delivery-status\n\n" + raw)
    )


def test_a_mail_within_a_mail_without_end_is_none() -> None:
    _is_sound(parse(b"Content-Type: message/rfc822\n\n" * 20_000))
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3_000))
    _is_sound(parse(deep))


@pytest.mark.parametrize(
    "filling",
    [b"\n" * 400_000, b" \n" * 200_000, b"user" + b"!" * 400_000, b"a@" * 200_000, b"<" * 400_000],
    ids=["lines", "blanks", "signs", "addresses", "brackets"],
)
def test_a_long_report_in_words_is_gone_through_once(filling: bytes) -> None:
    # With time in the square of the length, this would take most of an hour.
    _is_sound(parse(_in_words("MAILER-DAEMON@mx.example.com", "Hi. This is the mail system. It failed.\n") + filling))


def _is_sound(bounce: Bounce | None) -> None:
    if bounce is not None:
        assert bounce.action in ACTIONS and len(bounce.diagnostic) <= 400 and bounce.diagnostic.isprintable()
        assert bounce.recipient is None or "@" in bounce.recipient
