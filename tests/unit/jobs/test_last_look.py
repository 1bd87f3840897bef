"""Events between a mail's first look at the database and the relay's DATA: only what is still true is sent."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest
from aiosmtpd.smtp import SMTP, Envelope
from aiosmtpd.smtp import Session as SmtpSession
from sqlalchemy import text, update
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.access.address_hash import address_hashes
from service.commands import tables, talk
from service.commands.invitation_limits import InvitationLimits
from service.commands.invitations import decline, invite, take_back
from service.commands.notifications import change, change_game
from service.commands.play import play
from service.jobs.mail_pictures import MailPictures
from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.mail.smtp_pool import SmtpConnectionPool
from service.pictures.plots.story import StoryScene
from service.pictures.renderers import Renderers
from service.pictures.scene import Scene
from service.store import never_mail
from service.store.accounts import Account, Code
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail import relay as relays
from tests.support.world import KEYS
from tests.unit.jobs.conftest import sending_by
from tests.unit.jobs.job_queue import Job, mail_jobs, run
from tests.unit.jobs.test_delivery_preferences import became, two
from tests.unit.jobs.test_outgoing_mail import a_code
from tests.unit.jobs.worker_process import PATIENCE


@dataclass
class Meanwhile(relays.Relay):
    """A relay that runs functions before it accepts a recipient: `then` is used up from its front."""

    then: list[Callable[[], object]] = field(default_factory=list)

    async def handle_RCPT(
        self, server: SMTP, session: SmtpSession, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.then:
            await asyncio.to_thread(self.then.pop(0))
        return await super().handle_RCPT(server, session, envelope, address, options)


@pytest.fixture
def slow() -> Iterator[Meanwhile]:
    with relays.running(Meanwhile()) as relay:
        assert isinstance(relay, Meanwhile)
        yield relay


def send(context: WorkerContext, session: Session, relay: Meanwhile, *then: Callable[[Session], object]) -> None:
    """Run what is due; at the recipients in order, run these functions, each in a transaction of its own."""

    def at(do: Callable[[Session], object]) -> Callable[[], None]:
        def happen() -> None:
            with context.sessions.begin() as other:
                do(other)

        return happen

    session.commit()
    relay.then = [at(do) for do in then]
    kept = SmtpConnectionPool(Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE))
    try:
        run(sending_by(context, kept))
    finally:
        kept.close()
    session.rollback()


def of_game(session: Session, game: str) -> int:
    return session.query(Table.key).filter(Table.id == game).scalar()  # type: ignore[no-any-return]


def leave(session: Session, game: str, seat: int) -> None:
    play(session, world.loaded(session, game), seat, RESIGN, None, NOW)


def mails_of(relay: Meanwhile, kind: bytes) -> list[bytes]:
    return [mail for mail in relay.mails if b"Message-ID: <" + kind in mail]


def test_a_turn_mail_stays_when_its_reader_has_moved(session: Session, context: WorkerContext, slow: Meanwhile) -> None:
    game, first, _ = two(session)
    send(context, session, slow, lambda other: world.move(other, game))
    assert not any(f".{first}@".encode() in mail and b"turn." in mail for mail in slow.mails)
    assert ("turn", "dropped", "stale") in became(session, first)


def test_a_mail_that_stays_leaves_the_connection_to_the_next(
    session: Session, context: WorkerContext, slow: Meanwhile
) -> None:
    _, first, _ = two(session)
    a_code(session, "ann@example.org")
    gone = [lambda other: other.execute(update(Code).values(used_at=NOW))]
    send(context, session, slow, *gone)
    assert mails_of(slow, b"code.") == []
    assert len(mails_of(slow, b"turn.")) == 1 and ("turn", "sent", None) in became(session, first)


@pytest.mark.parametrize("how", ["off", "digest", "game off", "address comes back"])
def test_a_turn_mail_stays_when_it_is_not_wanted_now(
    session: Session, context: WorkerContext, slow: Meanwhile, how: str
) -> None:
    game, first, _ = two(session)

    def happen(other: Session) -> None:
        match how:
            case "off" | "digest":
                change(other, first, {"turn": how}, NOW)
            case "game off":
                change_game(other, first, of_game(other, game), "off", NOW)
            case _:
                other.execute(update(Account).where(Account.id == first).values(mail_stopped_at=NOW))

    send(context, session, slow, happen)
    assert slow.mails == []
    reason = {"digest": ("queued", "for_digest"), "address comes back": ("dropped", "address")}
    assert became(session, first) == [("turn", *reason.get(how, ("dropped", "off")))]


@pytest.mark.parametrize("end", ["taken back", "declined", "table closed", "listed"])
def test_an_invitation_stays_when_it_no_longer_holds(
    session: Session, context: WorkerContext, slow: Meanwhile, end: str
) -> None:
    ann = world.account(session, "Ann")
    table = world.open_table(session, ann)
    sent = invite(session, ann, table, "zoe@example.org", InvitationLimits(context.limiter, 0, 0), NOW)
    secret, id = world.secret_of(sent), sent.id

    def happen(other: Session) -> None:
        match end:
            case "taken back":
                take_back(other, ann, table, id, NOW)
            case "declined":
                decline(other, table, secret, KEYS, NOW)
            case "table closed":
                tables.close(other, ann, table, NOW)
            case _:
                never_mail.add(other, address_hashes(KEYS, "zoe@example.org"), NOW)

    send(context, session, slow, happen)
    assert slow.mails == []


def test_a_mail_tells_nothing_of_who_was_erased(session: Session, context: WorkerContext, slow: Meanwhile) -> None:
    _, first, other_player = two(session)
    name = (session.get_one(Account, other_player).name or "").encode()

    def happen(other: Session) -> None:
        gone = update(Account).where(Account.id == other_player)
        other.execute(gone.values(email=None, name=None, erased_at=NOW))

    send(context, session, slow, happen)
    (mail,) = slow.mails
    assert name not in mail and became(session, first) == [("turn", "sent", None)]


def test_an_erased_player_gets_no_mail_that_was_on_its_way(
    session: Session, context: WorkerContext, slow: Meanwhile
) -> None:
    _, first, _ = two(session)
    gone = update(Account).where(Account.id == first).values(email=None, name=None, erased_at=NOW)
    send(context, session, slow, lambda other: other.execute(gone))
    assert slow.mails == []


def test_a_mail_follows_its_reader_to_a_new_address(session: Session, context: WorkerContext, slow: Meanwhile) -> None:
    _, first, _ = two(session)
    moved = update(Account).where(Account.id == first).values(email="moved@example.org")
    send(context, session, slow, lambda other: other.execute(moved))
    assert slow.recipients == ["moved@example.org"]


def test_a_mail_tells_what_happened_until_it_left(session: Session, context: WorkerContext, slow: Meanwhile) -> None:
    accounts = [world.account(session, name) for name in ("Ann", "Ben", "Cleo")]
    game = world.match(session, *accounts)
    turn = world.loaded(session, game).state.turn
    last = next(seat for seat in range(3) if seat != turn)
    author = next(each for seat, each in enumerate(accounts) if seat not in (turn, last))
    send(
        context,
        session,
        slow,
        lambda other: leave(other, game, last),
        lambda other: talk.say(other, game, author, "A word to the table", NOW),
    )
    (mail,) = slow.mails
    assert b"A word to the table" in mail and b"has left" in mail.replace(b"=\r\n", b"")


def test_what_changes_each_time_it_leaves_is_tried_later(
    session: Session, context: WorkerContext, slow: Meanwhile
) -> None:
    _, first, other_player = two(session)
    named = [update(Account).where(Account.id == other_player).values(name=name) for name in ("Bea", "Bob", "Bill")]
    send(context, session, slow, *[lambda other, do=each: other.execute(do) for each in named])
    assert slow.mails == [] and mail_jobs(session) == [Job("mail_turn", "todo", 1, True)]
    session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'"))
    send(context, session, slow)
    (mail,) = slow.mails
    assert b"Bill" in mail and became(session, first) == [("turn", "sent", None)]


def test_a_picture_that_took_long_is_not_sent_of_another_table(
    session: Session, context: WorkerContext, slow: Meanwhile
) -> None:
    accounts = [world.account(session, name) for name in ("Ann", "Ben", "Cleo")]
    game = world.match(session, *accounts)
    turn = world.loaded(session, game).state.turn
    last = next(seat for seat in range(3) if seat != turn)
    seen: list[Scene] = []

    class Slow(MailPictures):
        def png(self, scene: Scene | StoryScene) -> bytes | None:
            assert isinstance(scene, Scene)
            seen.append(scene)
            if len(seen) == 1:
                with context.sessions.begin() as other:
                    leave(other, game, last)
            return super().png(scene)

    pictures = Slow(Renderers(1, 1, PATIENCE, niceness=0))
    try:
        send(replace(context, pictures=pictures), session, slow)
    finally:
        pictures.close()
    assert [scene.version for scene in seen] == [0, 1] and len(slow.mails) == 1
