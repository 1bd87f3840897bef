"""Every kind of mail as a browser shows its HTML part, with its picture."""

import base64
from collections.abc import Callable, Iterator

from playwright.sync_api import Browser

from service.language.languages import Language, Reader
from service.mail.message import Content
from service.queries.recipients import Recipient
from tests.screenshots.sheets import Taken
from tests.screenshots.shots import shot
from tests.support.mail import kinds

NAMES = ("Ann", "Maximiliane von Sternenfels", "Zoë", "Đorđe")
"""Short and long names."""


def every(language: Language) -> dict[str, Callable[[], Content]]:
    """Return the kinds of `tests/support/mail/kinds.py`, and turns and replies in further situations."""
    reader = Reader(language, kinds.ZONES[language.code])
    player = Recipient("ann@example.org", NAMES[0], "AcCoUnt23456", reader)
    nobody = Recipient("ann@example.org", None, "AcCoUnt23456", reader)
    return kinds.every_kind(language, NAMES[:3], b"") | {
        "turn-2-early": lambda: kinds.a_turn(player, NAMES[:2], 1, b""),
        "turn-2-late": lambda: kinds.a_turn(player, NAMES[:2], 24, b""),
        "turn-4": lambda: kinds.a_turn(player, NAMES, 12, b""),
        "turn-nameless": lambda: kinds.a_turn(nobody, (None, None, "Zoë"), 3, b""),
        "turn-no-picture": lambda: kinds.a_turn(player, NAMES[:2], 5),
        "end-2": lambda: kinds.an_end(player, NAMES[:2], b""),
        "digest-6": lambda: kinds.a_digest(player, NAMES[:2], 6, news=False),
    }


def take(browser: Browser, code: Language, scheme: str, width: int, only: str) -> Iterator[Taken]:
    """Yield screenshots of the kinds whose names begin with `only`, in one language and scheme."""
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 400})  # type: ignore[arg-type]
    for kind, compose in every(code).items():
        if kind.startswith(only):
            page.set_content(_whole(compose()))
            yield Taken(f"{kind} {code.code} {scheme} {width}", shot(page))
    page.close()


def _whole(content: Content) -> str:
    html = content.html
    for picture in content.pictures:
        html = html.replace(f"cid:{picture.cid}", f"data:image/png;base64,{base64.b64encode(picture.png).decode()}")
    return html
