"""The setting of the limits by domain."""

from datetime import timedelta

import pytest

from service.mail_limits import UNLIMITED, DomainLimit, MailLimits


def test_each_domain_has_its_limit_and_a_star_is_any_other() -> None:
    limits = MailLimits.parse("gmail.com,GoogleMail.com=20/s,10 web.de=5 gmx.de=90/m *=3600/h,2")
    assert limits.of("gmail.com") == DomainLimit(timedelta(milliseconds=50), 10)
    assert limits.of("web.de") == DomainLimit(at_once=5)
    assert limits.of("gmx.de") == DomainLimit(timedelta(seconds=60) / 90)
    assert limits.of("example.org") == DomainLimit(timedelta(seconds=1), 2)
    assert limits.domain("Ann@GOOGLEMAIL.com") == "gmail.com" and limits.domain("a@b@Example.org.") == "example.org"


def test_without_a_setting_nothing_is_limited() -> None:
    assert MailLimits().of("gmail.com") == UNLIMITED == MailLimits.parse("web.de=1").of("gmail.com")


@pytest.mark.parametrize(
    "wrong",
    [
        "gmail.com", "gmail.com=", "=20/s", "gmail.com=0/s", "gmail.com=20/d", "gmail.com=,5",
        "gmail.com=20/s,", "gmail.com=20/s5", "*,gmail.com=5", "gm ail.com=5", "-a.de=5", "a..de=5", "a@b.de=5",
        "gmail.com=20/s,10,5",
    ],
)  # fmt: skip
def test_a_wrong_limit_is_refused_with_what_would_be_right(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"such as gmail.com,googlemail.com=20/s,10"):
        MailLimits.parse(wrong)


def test_a_domain_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^it names a domain twice\."):
        MailLimits.parse("a.de,b.de=5 b.de=6")
