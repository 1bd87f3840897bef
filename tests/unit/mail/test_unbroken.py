"""The no-break spaces of mails and pages: found quickly, where the plain patterns find them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from service.mail.rendering import unbroken

_PIECES = (
    "27 November 2026", "1. Mai 2027", "3 de marzo de 2026", "28 févr. 2026", "127 May 2026", "27 mai 20261", " 2026 ",
    "5 abcdefghijklmno 2026", "1 May 2026 May 2027", "20:56 UTC", "7:05 CET", "20:56 utc", "B (3, -4)", "B (x)",
    "(0, 12)", "GMT-3", "GMT+3", " ", "9", "x", ":", "A", "de 20", "<b>", "ß",
)  # fmt: skip


def plainly(html: str) -> str:
    """Return the same as `unbroken`, by patterns that say it directly."""
    html = html.replace("GMT-", "GMT&#8209;")
    date = r"(?<!\d)\d{1,2}\.? (?:de )?[^\W\d]{3,12} (?:de )?20\d\d(?!\d)"
    html = re.sub(date, lambda found: found[0].replace(" ", "\u00a0"), html)
    html = re.sub(r"(?<=\d\d:\d\d) (?=[A-Z])", "\u00a0", html)
    html = re.sub(r" \((?<=[A-Z] \()(?=-?\d+,)", "&nbsp;(", html)
    return re.sub(r"\((-?\d+), (-?\d+)\)", r"(\1,&nbsp;\2)", html)


@given(st.lists(st.sampled_from(_PIECES), max_size=9).map("".join))
def test_all_that_should_stay_together_is_found(text: str) -> None:
    assert unbroken(text) == plainly(text)
