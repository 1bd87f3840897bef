"""Email addresses: their normalized form, also of those with a domain beyond ASCII that mails have."""

import pytest

from service.access.addresses import from_mail, mailbox, normalize
from service.access.invalid_text import InvalidText


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        (" Ann@Example.org ", "ann@example.org"),
        ("juergen@müller.example", "juergen@xn--mller-kva.example"),
        ("Juergen@MÜLLER.Example", "juergen@xn--mller-kva.example"),
        ("juergen@xn--mller-kva.example", "juergen@xn--mller-kva.example"),
        ("a@почта.рф", "a@xn--80a1acny.xn--p1ai"),
    ],
)
def test_a_domain_beyond_ascii_in_a_mail_has_its_ascii_form(written: str, normal: str) -> None:
    assert from_mail(written) == normal


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("ann+games@example.org", "ann@example.org"),
        ("a.nn@example.org", "a.nn@example.org"),
        ("a.nn+x@gmail.com", "ann@gmail.com"),
        ("a.n.n@googlemail.com", "ann@gmail.com"),
        ("+x@example.org", "+x@example.org"),
    ],
)
def test_addresses_of_one_mailbox_are_counted_together(address: str, counted: str) -> None:
    assert mailbox(address) == counted


@pytest.mark.parametrize(
    "written",
    [
        "jürgen@müller.example",
        "jürgen@example.org",
        "a@straße.example",
        "a@\u212a.example",
        "a@ｅxample.org",
        "a@example。org",
        "a@ü..example",
        f"a@{'ü' * 64}.example",
        f"a@{'ü' * 300}",
        "müller.example",
        "a@b@müller.example",
    ],
)
def test_an_address_without_a_form_of_its_own_in_ascii_is_refused(written: str) -> None:
    with pytest.raises(InvalidText):
        from_mail(written)
    with pytest.raises(InvalidText):
        normalize(written)
