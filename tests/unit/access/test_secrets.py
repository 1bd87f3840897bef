"""Secrets follow from key, purpose and id; keys can be changed; nothing else is accepted."""

from itertools import product

import pytest

from service.access import addresses, secrets, tokens
from service.access.invalid_text import InvalidText

OLD = ("the old key, of 32 characters or more",)
BOTH = ("the new key, of 32 characters or more", *OLD)
NEW = BOTH[:1]


def test_a_code_is_ten_characters_to_type() -> None:
    code = secrets.code(OLD, "sign-in", "x")
    assert [len(part) for part in code.split("-")] == [5, 5]
    assert not set(code.replace("-", "")) & set("ILOU")
    assert secrets.code(OLD, "sign-in", "x") == code


def test_codes_and_secrets_differ_by_key_purpose_and_id() -> None:
    for make in (secrets.code, secrets.secret):
        made = [make(keys, purpose, id) for keys, purpose, id in product((OLD, NEW), ("a", "b"), ("x", "y"))]
        assert len(set(made)) == len(made)
    assert len(secrets.secret(OLD, "invitation", "x")) == 43


def test_what_was_made_with_an_older_key_is_good_until_that_is_gone() -> None:
    code, secret = secrets.code(OLD, "sign-in", "x"), secrets.secret(OLD, "sign-in", "x")
    link = secrets.link(OLD, "table", ["a", "b"])
    for keys, good in ((OLD, True), (BOTH, True), (NEW, False)):
        assert secrets.is_code(keys, "sign-in", "x", code) is good
        assert secrets.is_secret(keys, "sign-in", "x", secret) is good
        assert secrets.unlink(keys, "table", link) == (["a", "b"] if good else None)
    assert secrets.code(BOTH, "sign-in", "x") == secrets.code(NEW, "sign-in", "x") != code
    assert secrets.unlink(NEW, "table", secrets.link(BOTH, "table", ["a"])) == ["a"]


def test_a_link_is_good_for_its_purpose_and_unchanged_only() -> None:
    link = secrets.link(OLD, "table", ["account", "game"])
    assert secrets.unlink(OLD, "never-mail", link) is None
    for wrong in ("", ".", "x", link[:-1], link[1:], link + "A", link.replace(".", ""), "\udc80", "\x00", "a.b.c"):
        assert secrets.unlink(OLD, "table", wrong) is None


def test_anything_can_be_typed_and_only_the_code_is_one() -> None:
    code = secrets.code(OLD, "sign-in", "x")
    for wrong in ("", "-", "\udc80", "é" * 10, code[:-1], code + "A", code[::-1], "A" * 1000):
        assert not secrets.is_code(OLD, "sign-in", "x", wrong)
        assert not secrets.is_secret(OLD, "sign-in", "x", wrong)
    typed = code.replace("0", "o").replace("1", "l").lower()
    assert secrets.is_code(OLD, "sign-in", "x", f"\t{typed} ")


def test_tokens_are_not_alike_and_kept_as_hashes() -> None:
    made = {tokens.new_token() for _ in range(100)}
    assert len(made) == 100
    assert all(tokens.PATTERN.fullmatch(token) for token in made)
    assert {len(tokens.hash_of(token)) for token in made} == {32}


def test_an_address_has_one_spelling() -> None:
    assert addresses.normalize("  Ann.B+x@Example.ORG\n") == "ann.b+x@example.org"
    assert addresses.normalize("ann@localhost") == "ann@localhost"
    with pytest.raises(InvalidText):
        addresses.normalize("\N{KELVIN SIGN}im@example.org")  # in lower case it is kim's
