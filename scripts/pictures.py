"""Create the icons and the pictures in docs/ again: a table from a game of bots, and a real mail of `make play`.

    .venv/bin/python -m scripts.pictures

The mail is shown in a real browser, Chromium as /usr/bin/chromium. Its game has a new draw each time, so the picture
differs each time.
"""

import base64
import io
import tempfile
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from demo import game
from demo.launch import running
from demo.people import Api
from demo.postbox import Postbox
from demo.screen import Screen
from demo.story import Story
from service.language.languages import ENGLISH
from service.pages import example_table, offline
from service.pictures import icon, raster, table
from service.pictures.palette import DARK, LIGHT, Scheme

_DOCS = Path(__file__).parents[1] / "docs"
_STATIC = Path(__file__).parents[1] / "service/pages/static"
_MOVES = 30
_TABLE_WIDTH = 700
_WIDTH = 640


def main() -> None:
    """Draw the icons, docs/table.png and docs/table-dark.png; play a game, and write docs/turn-mail.png."""
    for scheme, name in ((LIGHT, "table.png"), (DARK, "table-dark.png")):
        (_DOCS / name).write_bytes(raster.png(_drawing(scheme), _TABLE_WIDTH))
    for width in offline.ICONS:
        (_STATIC / f"icon-{width}.png").write_bytes(raster.png(icon.icon(), width))
    with running(0) as service:
        postbox = Postbox(service.data / "mail", lambda mail: None)
        story = Story(Api(service.address), postbox, Screen(io.StringIO(), {}))
        people, played = story.gather("full")
        turns = game.turns(story.api, postbox, people, played)
        view: Any = None
        while view is None or not _is_worth_it(view):
            view = next(turns)
        mover = people[view["turn"]["seat"]]
        postbox.await_mail(mover, "the turn mail", lambda mail: mail.version == view["version"])
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as page:
            page.write(_html(service.data / "mail", played, view["version"]))
            page.flush()
            _take(f"file://{page.name}", _DOCS / "turn-mail.png")


def _drawing(scheme: Scheme) -> str:
    """Return the drawing of the table that the page `/` shows, in English."""
    return table.draw(example_table.scene(ENGLISH, scheme, only_shipped_type=True))


def _is_worth_it(view: Any) -> bool:
    """Return whether the game is well under way, and somebody has just been mailed three choices."""
    mailed = view["turn"]["seat"] != view["last_move"]["seat"]
    return mailed and view["version"] >= _MOVES and len(view["selection_track"]["choices"]) == 3


def _html(maildir: Path, table: str, version: int) -> str:
    """Return the HTML part of a turn mail with its picture embedded."""
    (path,) = (maildir / "new").glob(f"turn.{table}.{version}.*")
    message = message_from_bytes(path.read_bytes(), _class=EmailMessage, policy=policy.default)
    part = message.get_body(("html",))
    assert part is not None
    html = str(part.get_content())
    for picture in (each for each in message.walk() if each.get_content_type() == "image/png"):
        drawn = base64.b64encode(picture.get_content()).decode()
        html = html.replace(f"cid:{str(picture['Content-ID']).strip('<>')}", f"data:image/png;base64,{drawn}")
    return html


def _take(url: str, file: Path) -> None:
    """Take a screenshot of the mail down to the end of its picture."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page(viewport={"width": _WIDTH, "height": _WIDTH})
        page.goto(url)
        box = page.locator(".picture").bounding_box()
        assert box is not None, "it is shown"
        height = box["y"] + box["height"] + 10
        clip: Any = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
        taken = Image.open(io.BytesIO(page.screenshot(full_page=True, clip=clip)))
        taken.convert("RGB").quantize(128).save(file, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
