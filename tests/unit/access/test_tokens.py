"""Hashes of access tokens, of sessions' secrets and of those for signing in, none of which is accepted for another."""

from service.access import tokens


def test_the_hash_of_a_secret_depends_on_its_purpose() -> None:
    secret = tokens.new_token()
    hashes = {tokens.hash_of(secret), tokens.session_hash_of(secret), tokens.browser_hash_of(secret)}
    assert len(hashes) == 3 and {len(each) for each in hashes} == {32}
    other = tokens.new_token()
    assert tokens.browser_hash_of(secret) == tokens.browser_hash_of(secret) != tokens.browser_hash_of(other)
