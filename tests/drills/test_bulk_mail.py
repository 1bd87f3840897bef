"""A hundred thousand mails to a domain that takes few: the limit holds, and neither codes nor others wait for them.

One of two mail servers answers each of them with 554, which costs none.
"""

import pytest

from bench import mails

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

JOBS, SECONDS = 100_000, 60.0


def test_a_limited_domain_holds_up_neither_codes_nor_others() -> None:
    found = {finding.name: finding for finding in mails.measure(3, JOBS, SECONDS)}
    codes = found["codes: seconds until sent, the slowest"]
    assert codes.median <= 5 and codes.other.startswith("0 of ")
    assert 0.7 <= found["limited domain: mails a second, of its limit"].median <= 1.05
    assert found["   mails a second: without the others"].median > 0.3
    assert found["other domains: share of their mails sent"].median > 0.5
    assert found["   mails looked through and held"].median > 0.9
