"""Say at the top of a picture that it shows an import or an exploration, lest it be taken for a game played here."""

from __future__ import annotations

from service.pictures import lettering
from service.pictures.palette import Scheme
from service.pictures.svg import element, moved

HEIGHT = 34.0
"""The height of the banner."""


def below_banner(caution: str, body: str, width: float, scheme: Scheme, spread: float) -> str:
    """Draw a banner with this text across the whole width, and the body below it.

    Args:
        caution: the text.
        body: the elements that would stand at the top without it.
        width: the width of the picture.
        scheme: the colors.
        spread: the factor by which the text may be wider than in the bundled font.
    """
    shown = lettering.fit(caution, (width - 40) / spread, lettering.LINE, lettering.BOLD)
    return (
        element("rect", width=width, height=HEIGHT, fill=scheme.gold)
        + lettering.text(width / 2, 23, shown, lettering.LINE, scheme.ground, weight=lettering.BOLD, anchor="middle")
        + moved(0, HEIGHT, body)
    )


def titled(caution: str, title: str) -> str:
    """Return the title of a picture with this text before it."""
    return f"{caution} – {title}"
