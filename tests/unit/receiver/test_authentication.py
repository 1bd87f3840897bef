"""The relay's verdict on the sender is read as RFC 8601 writes it, and trusted from the named relay alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.reading.headers import split
from service.reading.incoming_mail import read
from service.receiver.authentication import found, lacking

RELAY = "mx.example.org"


def results(*lines: str, relay: str | None = RELAY) -> dict[str, str]:
    fields, _ = split("\r\n".join(lines).encode() + b"\r\n\r\nbody")
    return found(fields, relay)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (f"{RELAY}; none", {}),
        (f"{RELAY} 1; spf=pass smtp.mailfrom=example.net", {"spf": "pass"}),
        (f"{RELAY}; spf=fail smtp.mailfrom=a@b; dkim=none; dmarc=fail", {"spf": "fail", "dkim": "none",
        "dmarc": "fail"}),
        (f"{RELAY}; dkim=fail header.d=a.example; dkim=pass header.d=b.example", {"dkim": "pass"}),
        (f"{RELAY}; dkim=pass header.d=a.example; dkim=fail header.d=b.example", {"dkim": "pass"}),
        (f"{RELAY} (a; comment (nested)); (spf=fail) spf = pass (a; dmarc=pass)", {"spf": "pass"}),
        (f"(a comment) {RELAY}; spf=pass", {}),
        (f'"{RELAY[0]}\\{RELAY[1:]}"; spf=pass', {}),
        (f"{RELAY}; dkim/1=pass; SPF=PASS; arc=pass; x-own=pass", {"dkim": "pass", "spf": "pass"}),
        (f'"{RELAY}"; spf=fail reason="x; dmarc=pass" smtp.mailfrom="a;dkim=pass"@b', {"spf": "fail"}),
        (f"{RELAY.upper()};\r\n\tspf=softfail\r\n\t smtp.mailfrom=x;\r\n dmarc=temperror", {"spf": "softfail",
        "dmarc": "temperror"}),
        (f'{RELAY}; spf=fail reason="never closed; dmarc=pass', {"spf": "fail"}),
        (f"{RELAY}; spf=fail (never closed; dmarc=pass", {"spf": "fail"}),
        (f"{RELAY}", {}),
        (f"other.example.org; spf=pass; x={RELAY}", {}),
        (f"not{RELAY}; spf=pass", {}),
        ("; spf=pass", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_a_field_is_read(value: str, expected: dict[str, str]) -> None:
    assert results(f"Authentication-Results: {value}") == expected
    assert results(f"Authentication-Results: {value}", relay=None) == {}


def test_the_topmost_field_counts_and_those_of_before_the_relay_do_not() -> None:
    genuine = f"Authentication-Results: {RELAY}; spf=fail"
    forged = f"Authentication-Results: {RELAY}; spf=pass; dmarc=pass"
    ours, theirs = "Received: from them by mx", "Received: from somewhere by them"
    assert results(ours, genuine, theirs, forged) == {"spf": "fail"}
    assert results(genuine, ours, theirs, forged) == {"spf": "fail"}
    assert results(ours, f"Authentication-Results: {RELAY}; dmarc=none", genuine, theirs) == {
        "spf": "fail",
        "dmarc": "none",
    }


def test_a_bare_carriage_return_begins_no_field() -> None:
    passed = f"Authentication-Results: {RELAY}; dmarc=pass header.from=evil.example"
    hidden = ("X-Note: a\rFrom: ann@example.org", "From: me@evil.example")
    assert read("\r\n".join((passed, *hidden, "", "solo")).encode()).sender == "me@evil.example"
    assert results(passed, *hidden) == {"dmarc": "pass"}
    forged = f"X-Note: a\rAuthentication-Results: {RELAY}; dmarc=pass header.from=example.org"
    assert results(forged, "From: ann@example.org") == {}


@pytest.mark.parametrize(
    "author",
    [
        f'"ann@example.org {"x" * 1_000}" <me@evil.example>',
        f'"ann@example.org {"x" * 9_000}" <me@evil.example>',
        f"(ann@example.org {'x' * 1_000}) <me@evil.example>",
        f'"ann@example.org {"x" * 980}" <me@evil.example>',
        '"ann@example.org" <me@evil.example>',
        "ann@example.org <me@evil.example>",
    ],
)
def test_a_mail_that_passes_is_of_the_address_that_passed(author: str) -> None:
    fields = [f"Authentication-Results: {RELAY}; dmarc=pass header.from=evil.example", f"From: {author}"]
    is_proven = results(*fields)["dmarc"] == "pass"
    read_as = read("\r\n".join((*fields, "", "solo")).encode()).sender
    assert read_as == "me@evil.example" or not is_proven
    for more in (["Sender: ann@example.org"], []):
        assert results(fields[0], *more)["dmarc"] == "fail", "there is no From"


@given(st.text())
def test_reading_is_total(value: str) -> None:
    for told in (value, f"{RELAY};{value}"):
        found(split(f"Authentication-Results: {told}".encode())[0], RELAY)


def test_what_is_lacking_is_what_did_not_pass() -> None:
    assert lacking({"spf": "pass", "dkim": "fail"}, ("spf", "dkim", "dmarc")) == ["dkim", "dmarc"]
    assert lacking({}, ()) == []


@pytest.mark.parametrize(
    ("senders", "about", "found"),
    [
        (["Ann <ann@example.org>"], "", "fail"),
        (["Ann <ann@Example.org>"], " header.from=example.ORG", "pass"),
        (["Ann <ann@example.org>"], " header.from=evil.example", "fail"),
        (["x <x@evil.example>", "Ann <ann@example.org>"], " header.from=evil.example", "fail"),
        (["x <x@evil.example>, Ann <ann@example.org>"], " header.from=evil.example", "fail"),
        (['"ann@example.org" <x"y@evil.example>'], " header.from=evil.example", "fail"),
        (["ann@example.org"], " header.from=ann@example.org", "pass"),
    ],
)
def test_dmarc_counts_for_the_one_address_in_from(senders: list[str], about: str, found: str) -> None:
    fields = [f"Authentication-Results: {RELAY}; dmarc=pass{about}", *(f"From: {sender}" for sender in senders)]
    assert results(*fields)["dmarc"] == found
