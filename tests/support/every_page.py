"""A small world with every page that the service has, in each of its states: whose it is, and where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine import simulate
from engine.clock.terms import Terms
from engine.goals import explained
from engine.moves import RESIGN, Mark, Place
from engine.record import stamp
from service.access import links, tokens
from service.commands import entries, explorations, imports, invitation_links, sign_in, tables, talk
from service.commands.play import play
from service.config import Settings
from service.pages.done import signed_mark
from service.queries.table import LoadedTable
from service.store.accounts import Account, Code
from service.store.delivery_preferences import ANSWER, DIGEST, KINDS
from tests.support import world
from tests.support.clock import NOW

RECORD = next(simulate.records(1, 2, "imports", "greedy", 5))
"""The record of a whole game, which was played elsewhere."""

BROWSER = "__Host-novaluna-browser"
"""The cookie with the secret of a browser that asked for a link to sign in."""

SAID = "Well played. I had my eye on that one! " + "So much! " * 20


@dataclass
class EveryPage:
    """The addresses, behind the site's, of all pages.

    Attributes:
        player: the account whose pages they are.
        own_secret: the secret of the browser that asked for the link by which it signs in.
        mailed: the addresses in mails, by name: of those some show what nobody else may see.
        public: the addresses that everybody can open, by name.
        own: the addresses that the player can open who is signed in, by name.
    """

    player: str
    own_secret: str
    mailed: dict[str, str] = field(default_factory=dict)
    public: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)


def build(session: Session, settings: Settings, person: Callable[[str], str], names: tuple[str, str, str]) -> EveryPage:
    """Make the world for a player with the first name, and two others."""
    player, ben, cleo = map(person, names)
    pages = EveryPage(player, tokens.new_token())
    turn = _clocked(session, player, ben)
    _go_on(session, turn, until=player)
    talk.say(session, turn, ben, SAID, NOW)
    talk.note(session, turn, player, "Take the sevens late.", NOW)
    late = _clocked(session, player, cleo)
    seat = world.loaded(session, late).seat_of(player)
    _go_on(session, late, until=cleo)
    _mark(session, late, seat, "clock.autopilot", {"wait": 0})
    _mark(session, late, None, "clock.warning", {"wait": 0, "not_before": stamp(NOW + timedelta(days=90))})
    over, solo = _finished(session, player, ben), world.solo(session, player)
    world.move(session, solo)
    mine = world.open_table(session, player, seats=4, visibility="private")
    theirs, closed = world.open_table(session, ben, seats=3), world.open_table(session, player, seats=3)
    tables.close(session, player, closed, NOW)
    invited = invitation_links.make(session, player, mine, uses=3, lifetime=timedelta(days=7), now=NOW)
    origin = world.loaded(session, over)
    explored = explorations.begin(session, player, origin, explorations.Beginning(1), NOW)
    exploration, chosen = f"/explorations/{explored.kept.id}", explored.table.state.wheel.choices()[0]
    brought, _ = imports.add(session, player, imports.verified_record(RECORD), NOW)
    session.flush()
    _mailed(session, settings, pages, turn, over, invited.id, brought.id, (late, solo, mine))
    choice = next(each for each in world.loaded(session, turn).state.legal_moves() if isinstance(each, Place))
    tile, cell = f"tile={choice.tile}", f"tile={choice.tile}&x={choice.x}&y={choice.y}"
    why = next(goal.name for seat in range(2) for goal in explained(origin.state, seat))
    pages.public |= {
        "home": "/",
        "sign-in": "/sign-in",
        "tables-open": "/tables/open",
        "tables-open-some": "/tables/open?seats=2&clock=days-3",
        "player": f"/players/{ben}",
        "game": f"/games/{turn}",
        "over": f"/games/{over}",
        "over-at": f"/games/{over}?at=1",
        "over-why": f"/games/{over}?why={why}",
        "open": f"/games/{theirs}",
        "rules": "/rules",
        "programs": f"/programs?table={mine}",
        "verify": "/verify",
        "offline": "/offline",
        "guide": "/docs/guide",
        "docs-errors": "/docs/errors",
    }
    pages.own |= {
        "tables": "/tables",
        "tables-current": "/tables/current",
        "tables-finished": "/tables/finished",
        "tables-new": "/tables/new",
        "account": "/account",
        "settings": "/settings",
        "settings-times": "/settings/times",
        "settings-account": "/settings/account",
        "settings-saved": f"/settings?done={signed_mark(settings.secret_keys, 'mail', NOW, player)}",
        "player-other": f"/players/{ben}",
        "own-turn": f"/games/{turn}",
        "own-tile": f"/games/{turn}?{tile}",
        "own-preview": f"/games/{turn}?{cell}",
        "own-late": f"/games/{late}",
        "own-over": f"/games/{over}",
        "own-over-at": f"/games/{over}?at=1",
        "own-solo": f"/games/{solo}",
        "own-open": f"/games/{mine}",
        "own-closed": f"/games/{closed}",
        "own-messages": f"/games/{turn}/all-messages",
        "own-notes": f"/games/{turn}/all-notes",
        "own-mails": f"/games/{turn}/mails",
        "open-to-join": f"/games/{theirs}",
        "invitation-own": pages.mailed["invitation"],
        "explorations": "/explorations",
        "exploration": exploration,
        "exploration-tile": f"{exploration}?tile={chosen}",
        "imports": "/imports",
        "import": f"/imports/{brought.id}",
    }
    session.commit()
    return pages


def _mailed(
    session: Session,
    settings: Settings,
    pages: EveryPage,
    turn: str,
    over: str,
    invited: str,
    brought: str,
    others: tuple[str, str, str],
) -> None:
    """Add the address in each kind of mail."""
    player, (late, solo, mine) = pages.player, others
    email = session.get_one(Account, player).email or ""
    sign_in.send_code(session, email, "en", NOW, tokens.browser_hash_of(pages.own_secret))
    code = session.scalars(select(Code.id).where(Code.email == email).order_by(Code.created_at.desc())).first()
    table = world.loaded(session, turn)
    made = {
        "move": links.move_link(settings, links.MoveLink(player, turn, table.version, table.head)),
        "move-past": links.move_link(settings, links.MoveLink(player, turn, 0, table.head_at(0))),
        "table": links.table_link(settings, player, turn),
        "table-late": links.table_link(settings, player, late),
        "table-over": links.table_link(settings, player, over),
        "table-solo": links.table_link(settings, player, solo),
        "table-open": links.table_link(settings, player, mine),
        "record": links.record_link(settings, over),
        "import": links.import_link(settings, player, brought),
        "calendar": links.calendar_link(settings, player, session.get_one(Account, player).calendar_link),
        "invitation": links.invitation_link(settings, invited),
        "never-mail": links.never_mail_link(settings, email),
        "sign-in": links.sign_in_link(settings, code or ""),
        "programs": links.programs_page(settings.base_url, "en", mine),
        "rules": links.rules_page(settings.base_url, "en"),
        "settings": links.settings_page(settings.base_url),
        "account-settings": links.account_settings_page(settings.base_url),
        "new-table": links.new_table_page(settings.base_url),
        "game-mails": links.game_mails_page(settings.base_url, turn),
    }
    for kind in (*KINDS, ANSWER, DIGEST):
        for about, game in {"": None, "-game": turn}.items():
            made[f"unsubscribe-{kind}{about}"] = links.unsubscribe_link(settings, player, game, kind)
    pages.mailed |= {name: address.removeprefix(settings.base_url) for name, address in made.items()}
    signing_in = links.signing_in_text(settings.secret_keys, email, "/tables")
    pages.mailed["sign-in-code"] = f"/sign-in/code?link={signing_in}"


def _clocked(session: Session, maker: str, other: str) -> str:
    """Start a match with three days for each turn, and return its id."""
    terms = Terms.chosen("days-3")
    made = tables.create(session, maker, tables.TableSettings(2, 20, "public", terms=terms), now=NOW)
    world.join(session, other, made.id)
    return made.id


def _go_on(session: Session, game: str, *, until: str) -> None:
    """Make three moves, and more until this account is to move."""
    for _ in range(3):
        world.move(session, game)
    while _mover(world.loaded(session, game)) != until:
        world.move(session, game)


def _mover(table: LoadedTable) -> str | None:
    return table.account_of(table.state.turn)


def _mark(session: Session, game: str, seat: int | None, kind: str, data: object) -> None:
    assert entries.add(session, world.loaded(session, game), seat, Mark(kind, data), NOW) is not None


def _finished(session: Session, player: str, other: str) -> str:
    """Play four moves of a match, which the player to move then leaves."""
    game = world.match(session, player, other)
    for _ in range(4):
        world.move(session, game)
    table = world.loaded(session, game)
    play(session, table, table.state.turn or 0, RESIGN, None, NOW)
    return game
