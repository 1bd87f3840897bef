"""Every page of the site in all its states, on a site of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from flask.testing import FlaskClient
from playwright.sync_api import Browser
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from engine.goals import explained
from engine.moves import RESIGN, Place
from service.access.links import (
    MoveLink,
    invitation_link,
    move_link,
    never_mail_link,
    signing_in_text,
    table_link,
    unsubscribe_link,
)
from service.commands import invitation_links, notifications, tables
from service.commands.play import play
from service.config import Settings
from service.local.postgres import Postgres
from service.store.accounts import Account, ensure_account
from service.store.base import engine_url
from service.store.migrate import upgrade
from tests.screenshots.mail_shots import NAMES
from tests.screenshots.sheets import Taken
from tests.screenshots.shots import shot
from tests.support import every_page, world
from tests.support.browser import reading
from tests.support.browsers import signed_in
from tests.support.clock import NOW
from tests.support.web import opened

OWNERS = ("Friederike von und zu Sternenfels", "Bo", "Cleo")
"""The names of the player whose own pages are shown, and of two others."""


class Site(NamedTuple):
    """A running application, its database, and the paths of its pages by name.

    Attributes:
        client: a browser that is not signed in.
        own: a browser in which the player is signed in.
        session: a session of the database.
        base_url: the address of the site.
        pages: the paths that show anybody what they show, by name.
        own_pages: the paths that the signed-in browser opens, by name.
    """

    client: FlaskClient
    own: FlaskClient
    session: Session
    base_url: str
    pages: dict[str, str]
    own_pages: dict[str, str]


@contextmanager
def site() -> Iterator[Site]:
    """Yield a site with games in many situations."""
    with TemporaryDirectory(prefix="nova-luna-looks-") as folder:
        Path(folder).chmod(0o711)
        with Postgres(Path(folder), settings={"fsync": "off"}) as postgres:
            upgrade(postgres.url, postgres.service_url)
            settings = Settings(
                database_url=postgres.service_url, secret_keys=world.KEYS, base_url="https://nova-luna.example.org"
            )
            engine = create_engine(engine_url(settings.database_url))
            with opened(settings, lambda: NOW) as app, Session(engine, expire_on_commit=False) as session:
                pages = _pages(session, settings)
                every = every_page.build(session, settings, lambda name: _person(session, name), OWNERS)
                own = signed_in(app, session, every.player, NOW)
                own.set_cookie(every_page.BROWSER, every.own_secret, secure=True)
                own_pages = every.own | {"sign-in-link": every.mailed["sign-in"], "sign-in": "/sign-in"}
                yield Site(app.test_client(), own, session, settings.base_url, pages, own_pages)
            engine.dispose()


def _pages(session: Session, settings: Settings) -> dict[str, str]:
    people = [_person(session, name) for name in (*NAMES, None)]
    ann, ben, cleo, dan, nobody = people

    def table(account: str, game: str, at: int | None = None) -> str:
        return table_link(settings, account, game) + ("" if at is None else f"&at={at}")

    four = world.match(session, ann, ben, cleo, dan)
    for _ in range(40):
        world.move(session, four)
    two = world.match(session, ann, nobody)
    new = world.match(session, ben, ann, cleo)
    over = world.match(session, ann, ben, cleo, goal_discs=8)
    world.play_out(session, over)
    left = world.match(session, ann, ben, cleo)
    for _ in range(7):
        world.move(session, left)
    game = world.loaded(session, left)
    seat = game.state.turn
    assert seat is not None
    play(session, game, seat, RESIGN, None, NOW)
    solo, solo_over = world.solo(session, ann), world.solo(session, ann)
    for _ in range(12):
        world.move(session, solo)
    world.play_out(session, solo_over)
    waiting = world.open_table(session, ann, seats=4, visibility="private")
    closed = world.open_table(session, ann, seats=3)
    tables.close(session, ann, closed, NOW)
    session.get_one(Account, cleo).mail_stopped_at = NOW
    notifications.change(session, dan, {"end": "digest"}, NOW)
    for kind in ("turn", "digest"):
        notifications.stop(session, dan, kind, None, NOW)
    link = invitation_links.make(session, ann, waiting, uses=1, lifetime=timedelta(days=7), now=NOW).id
    goal = explained(world.loaded(session, four).state, 0)[0].name
    session.commit()
    move = _move_link(session, settings, four)
    place = next(each for each in world.loaded(session, four).state.legal_moves() if isinstance(each, Place))
    pages = {
        "move": move,
        "move-tile": f"{move}&tile={place.tile}",
        "move-preview": f"{move}&tile={place.tile}&x={place.x}&y={place.y}",
        "home": "/",
        "sign-in": "/sign-in",
        "sign-in-code": f"/sign-in/code?link={signing_in_text(settings.secret_keys, 'ann@example.org', '/tables')}",
        "tables-open": "/tables/open",
        "player": f"/players/{ben}",
        "four": table(ann, four),
        "four-why": f"{table(ann, four)}&why={goal}",
        "four-at-9": table(ann, four, 9),
        "two-first": table(ann, two),
        "new": table(ann, new),
        "over": table(cleo, over),
        "over-stranger": f"/games/{over}",
        "over-at-0": table(ann, over, 0),
        "left": table(ann, left),
        "solo": table(ann, solo),
        "solo-over": table(ann, solo_over),
        "open": table(ann, waiting),
        "closed": table(ann, closed),
        "missing": "/games/AbCdEfGh2345",
        "missing-move": table(ann, four, 999),
        "wrong-link": "/unsubscribe?link=abc",
        "never": never_mail_link(settings, "a.rather.long.address.of.somebody@mail.example.org"),
        "unsubscribe-turn": unsubscribe_link(settings, ann, four, "turn"),
        "unsubscribe-off": unsubscribe_link(settings, dan, four, "turn"),
        "unsubscribe-end": unsubscribe_link(settings, dan, over, "end"),
        "unsubscribe-closed": unsubscribe_link(settings, ann, closed, "closed"),
        "unsubscribe-invitation": unsubscribe_link(settings, ann, None, "invitation"),
        "unsubscribe-answer": unsubscribe_link(settings, ann, four, "answer"),
        "invitation": invitation_link(settings, link),
        "invitation-sent": f"{invitation_link(settings, link)}&sent=yes",
        "rules": "/rules",
        "verify": "/verify",
        "offline": "/offline",
        "docs-guide": "/docs/guide",
        "docs-limits": "/docs/guide/limits",
        "docs-errors": "/docs/errors",
        "programs": f"/programs?table={waiting}",
        "unsubscribe-digest": unsubscribe_link(settings, ann, None, "digest"),
    }
    return {name: address.removeprefix(settings.base_url) for name, address in pages.items()}


def _move_link(session: Session, settings: Settings, game: str) -> str:
    """Return the link in the turn mail of whoever is to move."""
    table = world.loaded(session, game)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    return move_link(settings, MoveLink(mover, game, table.version, table.head))


def _person(session: Session, name: str | None) -> str:
    address = f"{(name or 'nobody').split()[0].encode('idna').decode()}@example.org"
    return ensure_account(session, address, name=name, language=None, now=NOW).id


def take(site: Site, browser: Browser, language: str, scheme: str, width: int, only: str) -> Iterator[Taken]:
    """Yield screenshots of the pages whose names begin with `only`, in one language and scheme."""
    site.session.query(Account).update({"language": language})
    site.session.commit()
    for client, pages in ((site.client, site.pages), (site.own, site.own_pages)):
        with reading(browser, client, site.base_url, scheme=scheme, width=width) as (page, wrong):
            page.set_extra_http_headers({"Accept-Language": language})
            for name, address in pages.items():
                if name.startswith(only):
                    page.goto(site.base_url + address)
                    yield Taken(f"{name} {language} {scheme} {width}", shot(page))
        assert [each for each in wrong if "404" not in each] == []
