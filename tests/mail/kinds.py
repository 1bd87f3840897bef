"""A mail of each kind, in any language, from facts as the service would read them; no database."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache

from engine.game import Match
from engine.moves import RESIGN, Place
from service.language.languages import ENGLISH, Language, Reader
from service.language.people import People
from service.mail import closed, codes, digest, end, invitation, shown, turn
from service.mail.message import Content, Picture
from service.pictures import raster
from service.pictures.table import draw
from service.queries.digest_facts import Digest, Wait
from service.queries.mail_facts import AddressChanged, Closed, Coded, End, Invited, Recipient
from tests.mail import facts

SECRET = "x8Gk2M1qWzVv3r8ZgkT0aBcDeFgHiJkLmNoPqRsTuVw"
CODE = "ABCDE-FGHJK"
ZONES = {"en": "Europe/London", "fr": "Europe/Paris", "es": "America/Bogota", "de": "Europe/Berlin"}
WITHOUT_PICTURE = Picture(b"\x89PNG\r\n\x1a\n", "")


@cache
def rendered(drawing: str) -> bytes:
    """A picture as the service renders it."""
    return raster.png(drawing, 700)


def far(names: tuple[str | None, ...], rounds: int = 9) -> tuple[Match, list[object]]:
    """A match in which so many rounds were played, on displays that grow in all directions; and the last steps."""
    state = facts.match(len(names))
    steps: list[object] = []
    while state.result is None and len(steps) < rounds * len(names):
        places = [move for move in state.legal_moves() if isinstance(move, Place)]
        steps.append(
            state.advance(state.turn, places[len(steps) * 5 % len(places)] if places else state.legal_moves()[0])
        )
    return state, steps


def a_turn(to: Recipient, names: tuple[str | None, ...], rounds: int = 9, png: bytes | None = None) -> Content:
    """The mail of a turn; with `png` the picture is that one, without it is left out."""
    state, steps = far(names, rounds)
    assert state.turn is not None
    told = facts.turn(state, steps[-len(names) :], first=not rounds, names=names)  # type: ignore[arg-type]
    told = replace(told, to=to, people=People(names, told.seat, to.reader.language), version=len(steps))
    picture = None if png is None else shown.captioned(png or rendered(draw(shown.of_turn(told))), shown.of_turn(told))
    return turn.compose(told, facts.BASE, facts.PAGE, facts.STOP, picture)


def an_end(to: Recipient, names: tuple[str | None, ...], png: bytes | None = None) -> Content:
    """The mail of an end: all but one left after some rounds."""
    told = _ended(to, names)
    picture = None if png is None else shown.captioned(png or rendered(draw(shown.of_end(told))), shown.of_end(told))
    return end.compose(told, facts.BASE, facts.PAGE, facts.STOP, picture)


def _ended(to: Recipient, names: tuple[str | None, ...]) -> End:
    state, _ = far(names, 5)
    last = None
    while state.result is None:
        last = state.advance(state.moon.order[-1], RESIGN)
    assert last is not None
    return End(
        to=to,
        table=facts.TABLE,
        people=People(names, 0, to.reader.language),
        seat=0,
        version=16,
        state=state,
        result=state.result,
        last=last,
        commitment="ab" * 32,
        server_seed="cd" * 32,
    )


def a_closed(to: Recipient) -> Content:
    """The mail about a table that was closed."""
    return closed.compose(_closed(to), facts.BASE, facts.STOP)


def _closed(to: Recipient) -> Closed:
    return Closed(to, facts.TABLE, "expired", 3, facts.AT)


def an_invitation(to: Recipient, names: tuple[str | None, ...]) -> Content:
    """The mail of an invitation from the first of these names, the only one who sits there."""
    return invitation.compose(_invited(to, names), SECRET, facts.BASE, facts.STOP if to.account else facts.NEVER)


def _invited(to: Recipient, names: tuple[str | None, ...]) -> Invited:
    return Invited(
        to=to,
        invitation="InViTe234567",
        table=facts.TABLE,
        inviter=names[0],
        sitting=names[:1],
        seats=len(names),
        goal_discs=17,
        commitment="ab" * 32,
        expires_at=facts.AT + timedelta(days=14),
    )


def a_digest(to: Recipient, names: tuple[str | None, ...], waits: int = 2, *, news: bool = True) -> Content:
    """The daily digest: games that wait, and with `news` a game that is over, a table that was closed, invitations."""
    state, steps = far(names)
    told = facts.turn(state, steps[-len(names) :], names=names)  # type: ignore[arg-type]
    told = replace(told, to=to, people=People(names, told.seat, to.reader.language))
    found = Digest(
        to=to,
        waits=tuple(Wait(told, facts.AT - timedelta(days=number)) for number in range(waits)),
        ends=(_ended(to, names),) if news else (),
        closed=(_closed(to),) if news else (),
        invitations=(_invited(to, names), _invited(to, (None, *names[1:]))) if news else (),
        more=waits // 2,
        told=(),
        stale=(),
    )
    return digest.compose(found, facts.BASE, {facts.TABLE: facts.PAGE}, {"InViTe234567": SECRET}, facts.STOP)


def a_code(to: Recipient, purpose: str = "sign-in") -> Content:
    """The mail of a code."""
    compose = codes.compose_sign_in if purpose == "sign-in" else codes.compose_address_confirm
    coded = Coded(to, "CoDe23456789", purpose, None, facts.AT + timedelta(minutes=15))
    return compose(coded, CODE, facts.BASE, None if to.account else facts.NEVER)


def a_change(to: Recipient) -> Content:
    """The mail to an address that was changed."""
    return codes.compose_address_changed(AddressChanged(to, "CoDe23456789"), facts.BASE, facts.NEVER)


def every_kind(
    language: Language = ENGLISH, names: tuple[str | None, ...] = facts.NAMES, png: bytes | None = None
) -> dict[str, Callable[[], Content]]:
    """How to compose each kind of mail for the first of these players. `png` is the picture, empty: the real one."""
    reader = Reader(language, ZONES[language.code])
    player = Recipient("ann@example.org", names[0], "AcCoUnt23456", reader)
    stranger = Recipient("guest@example.org", None, None, reader)
    return {
        "turn": lambda: a_turn(player, names, png=png),
        "turn-first": lambda: a_turn(player, names, 0, png=png),
        "end": lambda: an_end(player, names, png=png),
        "closed": lambda: a_closed(player),
        "invitation": lambda: an_invitation(player, names),
        "invitation-stranger": lambda: an_invitation(stranger, names),
        "digest": lambda: a_digest(player, names),
        "digest-news": lambda: a_digest(player, names, 0),
        "sign-in": lambda: a_code(stranger),
        "address-confirm": lambda: a_code(stranger, "email-change"),
        "address-changed": lambda: a_change(player),
    }
