"""Takes the pictures in docs/ anew: a real game, played by the people of `make play`, in a real browser.

    .venv/bin/python -m scripts.pictures

It needs Chromium as /usr/bin/chromium. The draw is another one each time, so the pictures are too.
"""

import io
import tempfile
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from demo import game
from demo.launch import running
from demo.people import Api
from demo.postbox import Postbox
from demo.screen import Screen
from demo.story import Story

_DOCS = Path(__file__).parents[1] / "docs"
_MOVES = 30
_WIDTH, _HEIGHT = 640, 1180


def main() -> None:
    """Plays, and writes docs/table.png and docs/turn-mail.png."""
    with running(0) as service:
        postbox = Postbox(service.data / "mail", lambda mail: None)
        story = Story(Api(service.address), postbox, Screen(io.StringIO(), {}))
        people, table = story.gather("full")
        turns = game.turns(story.api, postbox, people, table)
        view: Any = None
        while view is None or not _is_worth_it(view):
            view = next(turns)
        mover = people[view["turn"]["seat"]]
        mail = postbox.await_mail(mover, "the turn mail", lambda mail: mail.version == view["version"])
        _take(str(mail.page), _DOCS / "table.png")
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as page:
            page.write(_html(service.data / "mail", table, view["version"]))
            page.flush()
            _take(f"file://{page.name}", _DOCS / "turn-mail.png")


def _is_worth_it(view: Any) -> bool:
    """Whether the game is well under way, and somebody has just been mailed three choices."""
    mailed = view["turn"]["seat"] != view["last_move"]["seat"]
    return mailed and view["version"] >= _MOVES and len(view["selection_track"]["choices"]) == 3


def _html(maildir: Path, table: str, version: int) -> str:
    (path,) = (maildir / "new").glob(f"turn.{table}.{version}.*")
    message = message_from_bytes(path.read_bytes(), _class=EmailMessage, policy=policy.default)
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def _take(url: str, file: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
        page.goto(url)
        page.screenshot(path=file)
        browser.close()


if __name__ == "__main__":
    main()
