"""No secret of the service stays in a stored mail, however it was quoted, and nothing else in the mail changes."""

import email
import quopri
from base64 import b64encode, encodebytes
from email import policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.links import MoveLink, move_link, table_link
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
from service.receiver.redaction import redacted

SETTINGS = Settings(
    database_url="postgresql://-",
    secret_keys=("a-key-of-the-tests-that-is-long-enough",),
    mail_from="Nova Luna <nova-luna@play.example.org>",
    mail_in="lmtp://127.0.0.1:8024",
)
ADDRESS = str(reply_address(SETTINGS, ToTable("TabLe2345678", 1, 7, leaving=False)))
SECRET = ADDRESS.partition("-")[2].partition("@")[0].partition("-")[2]
LINK = table_link(SETTINGS, "AcCoUnt23456", "TabLe2345678")
SIGNED = LINK.partition("link=")[2]
TEXT = f"2 F\r\n\r\nOn Monday, Nova Luna <{ADDRESS}> wrote:\r\n> {LINK}\r\n> refill\r\n> é\r\n"


def is_told(text: bytes) -> bool:
    return SECRET.encode() in text.lower() or SIGNED.encode() in text


def decoded(raw: bytes) -> bytes:
    message = email.message_from_bytes(raw, policy=policy.default)
    leaves = [part.get_payload(decode=True) for part in message.walk() if not part.is_multipart()]
    return b"\n".join(leaf for leaf in leaves if isinstance(leaf, bytes))


GAME = ToTable("TabLe2345678", 1, 7, leaving=False)
OF_ALL_KINDS = [
    GAME,
    GAME._replace(leaving=True),
    ToReading(GAME, 2, 5),
    ToSilencing("TabLe2345678", 1, 7, "stop"),
    ToSilencing("TabLe2345678", 1, 7, "mute"),
    ToCode("TabLe2345678"),
    ToInvitation("TabLe2345678"),
]


@pytest.mark.parametrize("to", OF_ALL_KINDS)
def test_an_address_of_each_kind_is_covered(to: Answerable) -> None:
    address = str(reply_address(SETTINGS, to))
    covered = redacted(f"2 F\r\n\r\nOn Monday, Nova Luna <{address}> wrote:\r\n".encode())
    assert recipient(SETTINGS, address) == to
    assert address.rpartition("@")[0][-40:].encode() not in covered


@pytest.mark.parametrize(
    ("charset", "transfer"),
    [
        *((charset, "8bit") for charset in ("utf-8", "iso-8859-1")),
        *((charset, "quoted-printable") for charset in ("utf-8", "iso-8859-1", "utf-16")),
        *((charset, "base64") for charset in ("utf-8", "iso-8859-1", "utf-16")),
    ],
)
def test_a_part_is_read_as_before_but_for_the_secrets(charset: str, transfer: str) -> None:
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"] = "ann@example.org", ADDRESS
    mail.set_content(TEXT, charset=charset, cte=transfer)
    mail.add_alternative(
        f"<p>2 F</p><a href='mailto:{ADDRESS}'>x</a><a href='{LINK}'>y</a>", subtype="html", cte=transfer
    )
    raw = mail.as_bytes()
    covered = redacted(raw)
    assert len(covered) == len(raw)
    plain = decoded(raw).replace(b"\0", b""), decoded(covered).replace(b"\0", b"")
    assert is_told(plain[0]) and not is_told(plain[1])
    assert not is_told(covered)
    for line, after in zip(plain[0].splitlines(), plain[1].splitlines(), strict=True):
        assert line == after or is_told(line) or SECRET[:30].encode() in line
    for kept in (b"2 F", b"> refill", b"wrote:"):
        assert kept in plain[1]


@given(at=st.integers(1, len(ADDRESS) - 1), soft=st.sampled_from(["=\r\n", "=\n"]))
def test_a_soft_line_break_anywhere_hides_nothing(at: int, soft: str) -> None:
    raw = f"To: x\r\n\r\n<{ADDRESS[:at]}{soft}{ADDRESS[at:]}>\r\n2 F\r\n".encode()
    covered = redacted(raw)
    assert len(covered) == len(raw)
    assert not is_told(quopri.decodestring(covered.replace(b"\r\n", b"\n")))
    assert covered.endswith(b"2 F\r\n")


@given(st.integers(0, 80), st.integers(0, 3))
def test_base64_hides_it_at_no_place(before: int, behind: int) -> None:
    text = b"." * before + ADDRESS.encode() + b"!" * behind
    for block in (encodebytes(text), encodebytes(text).replace(b"\n", b"\r\n"), b64encode(text)):
        raw = b"Content-Transfer-Encoding: base64\r\n\r\n" + block + b"\r\n--boundary--\r\n"
        covered = redacted(raw)
        assert len(covered) == len(raw)
        told = email.message_from_bytes(covered.partition(b"\r\n--")[0]).get_payload(decode=True)
        assert isinstance(told, bytes)
        assert len(told) == len(text)
        assert not is_told(told)
        assert told.startswith(b"." * before) and told.endswith(b"!" * behind)


@given(st.binary())
def test_any_bytes_keep_their_length_and_mails_without_secrets_all(raw: bytes) -> None:
    assert redacted(raw) == raw


def test_other_words_stay() -> None:
    raw = b"play-by-mail, leave-taking, enter-" + b"a" * 39 + b" \r\nlink=short\r\nlinked\r\n2 F\r\n"
    assert redacted(raw) == raw


def test_a_large_mail_is_gone_through_once() -> None:
    covered = 0
    for filler in (b"A" * 76 + b"\r\n", b"a \r\n", b"=\r\n", b"play-", b"link=", b"\r\n"):
        raw = (filler * (500_000 // len(filler)))[:500_000] + ADDRESS.encode()
        covered += len(redacted(raw)) == len(raw)
    assert covered == 6


def test_a_link_to_move_is_covered_as_well() -> None:
    link = move_link(SETTINGS, MoveLink("AcCoUnt23456", "TabLe2345678", 12, "0a1b2c3d"))
    signed = link.partition("link=")[2].encode()
    covered = redacted(f"> {link}\r\n> ...?tile=17&x=0&y=-1&link={signed.decode()}#move\r\n".encode())
    assert signed not in covered and b"tile=17&x=0&y=-1" in covered
