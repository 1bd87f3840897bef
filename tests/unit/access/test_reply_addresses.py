"""Reply addresses say what a reply is about, in upper or lower case, and only the service can make them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.reply_addresses import (
    Answerable,
    Recipient,
    ToBounces,
    ToCode,
    ToInvitation,
    ToReading,
    ToService,
    ToSilencing,
    ToTable,
    own_address,
    recipient,
    reply_address,
)
from service.access.return_path import references, return_path
from service.config import LONGEST_ANSWERED, Settings
from service.ids import ALPHABET, LENGTH
from service.logs import redacted

OLD, NEW = "an-old-key-of-the-tests-that-is-long-enough", "a-new-key-of-the-tests-that-is-long-enough"
IDS = st.text(ALPHABET, min_size=LENGTH, max_size=LENGTH)
ANSWERABLE = st.one_of(
    st.builds(ToTable, IDS, st.integers(0, 3), st.integers(0, 2**24 - 1), st.booleans(), st.just("")),
    st.builds(
        ToTable,
        IDS,
        st.integers(0, 3),
        st.integers(0, 2**15),
        st.booleans(),
        st.from_regex("[0-9a-f]{8}", fullmatch=True),
    ),
    st.builds(ToSilencing, IDS, st.integers(0, 3), st.integers(0, 2**24 - 1), st.sampled_from(("stop", "mute"))),
    st.builds(
        ToReading,
        st.builds(ToTable, IDS, st.integers(0, 3), st.integers(0, 2**24 - 1), st.just(False), st.just("")),
        st.integers(0, 3),
        st.integers(0, 255),
    ),
    st.builds(ToCode, IDS),
    st.builds(ToInvitation, IDS),
)
GAME = ToTable("TabLe2345678", 2, 17, leaving=False)


def settings(*keys: str, sender: str = "Nova Luna by post <Nova-Luna@Play.example.org>") -> Settings:
    return Settings(
        database_url="postgresql://-", secret_keys=keys or (OLD,), mail_from=sender, mail_in="lmtp://127.0.0.1:8024"
    )


def address_of(to: Answerable, *keys: str) -> str:
    address = reply_address(settings(*keys), to)
    assert address is not None
    return address


@given(to=ANSWERABLE, seed=st.integers())
def test_what_is_made_is_read_again_in_any_case(to: Answerable, seed: int) -> None:
    address = address_of(to)
    mixed = random.Random(seed)
    for written in (address, address.upper(), "".join(mixed.choice((c.upper(), c.lower())) for c in address)):
        assert recipient(settings(), written) == to
    local, _, domain = address.rpartition("@")
    assert len(local) <= 64
    assert recipient(settings(), f'"{local}"@{domain}') == to


@given(to=ANSWERABLE, place=st.integers(0, 39), other=st.sampled_from("abcdefghijklmnopqrstuvwxyz234567"))
def test_another_character_anywhere_makes_it_no_address(to: Answerable, place: int, other: str) -> None:
    address = address_of(to)
    local, _, domain = address.rpartition("@")
    at = len(local) - 40 + place
    changed = local[:at] + other + local[at + 1 :]
    assert (recipient(settings(), f"{changed}@{domain}") == to) is (changed == local)


@pytest.mark.parametrize(
    "to",
    [
        GAME,
        GAME._replace(head="0123abcd"),
        ToReading(GAME, 1, 200),
        ToReading(GAME._replace(head="0123abcd"), 1, 200),
        ToSilencing("TabLe2345678", 1, 17, "mute"),
        ToCode("TabLe2345678"),
        ToInvitation("TabLe2345678"),
    ],
)
def test_keys_can_be_changed(to: Answerable) -> None:
    made = address_of(to, OLD)
    assert recipient(settings(NEW, OLD), made) == to
    assert recipient(settings(NEW), made) is None
    assert address_of(to, NEW, OLD) == address_of(to, NEW) != made


def test_one_purpose_opens_no_other() -> None:
    for address, mark, other in (
        (address_of(GAME), "play", "leave"),
        (address_of(ToCode("TabLe2345678")), "enter", "guest"),
    ):
        assert recipient(settings(), address.replace(f"+{mark}-", f"+{other}-")) is None
    leaving = address_of(GAME._replace(leaving=True))
    assert leaving[-20:] != address_of(GAME)[-20:]


def test_the_services_own_address_and_its_return_paths_are_known() -> None:
    (reference,) = references((OLD,), "turn.a.1.x")
    back = return_path(settings().mail_from, reference)
    for address, to in (
        (own_address(settings()), ToService()),
        ("NOVA-LUNA@PLAY.EXAMPLE.ORG", ToService()),
        (back, ToBounces(reference)),
        (back.upper(), ToBounces(reference)),
    ):
        assert recipient(settings(), address) == to


@pytest.mark.parametrize(
    "address",
    [
        "",
        "@",
        "nova-luna",
        "@play.example.org",
        "nova-luna@example.org",
        "nova-luna@play.example.org.",
        "nova-luna+@play.example.org",
        "nova-luna+play-@play.example.org",
        f"nova-luna+play-{'a' * 40}@play.example.org",
        f"nova-luna+leave-{'7' * 40}@play.example.org",
        f"nova-luna+enter-{'a' * 41}@play.example.org",
        "nova-luna+bounce-short@play.example.org",
        "postmaster@play.example.org",
        "nova-lun\N{LATIN SMALL LETTER A WITH GRAVE}@play.example.org",
        "nova-luna@play.example.or\N{KELVIN SIGN}",
        '"@play.example.org',
        '"\\"@play.example.org',
    ],
)
def test_anything_else_is_no_address(address: str) -> None:
    assert recipient(settings(), address) is None


@given(st.text())
def test_reading_is_total(address: str) -> None:
    found: Recipient | None = recipient(settings(), address)
    assert found is None or address.lower() == own_address(settings()).lower()


def test_the_longest_sender_fits() -> None:
    longest = settings(sender="n" * LONGEST_ANSWERED + "@example.org")
    locals = [
        str(reply_address(longest, to)).rpartition("@")[0]
        for to in (GAME, GAME._replace(leaving=True), ToCode("z" * 12), ToInvitation("z" * 12))
    ]
    assert max(map(len, locals)) == 64


def test_without_a_receiver_nothing_can_be_answered() -> None:
    closed = Settings(database_url="postgresql://-", secret_keys=(OLD,))
    assert reply_address(closed, GAME) is None


@given(to=ANSWERABLE)
def test_redacted_reply_address_is_no_recipient(to: Answerable) -> None:
    address = address_of(to)
    told = redacted(f"550 <{address.upper()}> and {address}")
    assert address[-60:-17].lower() not in told.lower()
    for word in told.split():
        assert recipient(settings(), word.strip("<>")) is None
    assert redacted("550 nova-luna, playing-cards") == "550 nova-luna, playing-cards"
