"""A return path identifies the mail that bounced, and only the service can make it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.return_path import is_proven, reference_of, references, return_path

OLD, NEW = "an-old-key-of-the-tests-that-is-long-enough", "a-new-key-of-the-tests-that-is-long-enough"
SENDER = "Nova Luna by post <nova-luna@play.example.org>"


@given(key=st.text(min_size=1))
def test_what_comes_back_says_which_mail_it_was(key: str) -> None:
    (reference,) = references((OLD,), key)
    address = return_path(SENDER, reference)
    assert address == f"nova-luna+bounce-{reference}@play.example.org"
    assert reference_of(address) == reference_of(address.upper()) == reference_of(f"<{address}>") == reference


def test_each_mail_and_each_key_has_another_one() -> None:
    assert len({*references((NEW, OLD), "turn.a.1.x"), *references((NEW, OLD), "turn.a.2.x")}) == 4
    assert references((NEW, OLD), "k") == references((NEW,), "k") + references((OLD,), "k")


def test_a_reference_proves_by_itself_that_it_was_made_here() -> None:
    (old,), (new, _) = references((OLD,), "k"), references((NEW, OLD), "k")
    assert is_proven((NEW, OLD), old) and is_proven((NEW, OLD), new.upper()) and not is_proven((NEW,), old)
    for place in range(24):
        tampert = new[:place] + ("b" if new[place] == "a" else "a") + new[place + 1 :]
        assert not is_proven((NEW, OLD), tampert)


def test_a_sender_that_is_too_long_stays_as_it_is() -> None:
    (reference,) = references((OLD,), "k")
    for length, marked in ((32, True), (33, False)):
        sender = "n" * length + "@example.org"
        address = return_path(sender, reference)
        assert (reference_of(address) == reference) is marked and (address == sender) is not marked
        assert len(address.partition("@")[0]) <= 64


@pytest.mark.parametrize("address", ["", "ann@example.org", "n+bounce-@example.org", "n+bounce-abc@example.org",
                                     "n+bounce-" + "a" * 25 + "@example.org", "+bounce-" + "a" * 24 + "@example.org",
                                     "n+bounce-" + "1" * 24 + "@example.org"])  # fmt: skip
def test_other_addresses_have_none(address: str) -> None:
    assert reference_of(address) is None
