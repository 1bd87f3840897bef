"""Messages at a table are part of the next mail that each reader gets anyway, once; notes are in one's own mails."""

from datetime import datetime, timedelta
from email.message import EmailMessage
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.access.links import UnsubscribeLink, unsubscribe_of
from service.commands import tables, talk
from service.commands.accounts import delete_account
from service.commands.notifications import change, change_game, queue_due_digests
from service.commands.play import play
from service.jobs.outgoing_mail import OutgoingMail, for_end, for_talk, for_turn
from service.jobs.worker_context import WorkerContext
from service.mail.failures import TransientFailure
from service.mail.maildir import Maildir, address_of
from service.mail.message import key_in
from service.queries.talk import MOST_TOLD, NewMessages, heard
from service.store.accounts import Account
from service.store.purging import in_pieces
from service.store.talk import TELLING
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.conftest import sending_by
from tests.unit.jobs.job_queue import make_due, run
from tests.unit.jobs.test_delivery_preferences import Refusing, became, key


def two(session: Session) -> tuple[str, str, str]:
    """Return the long game of Ann and Ben, the account that is to move, and the other one."""
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    game = world.match(session, ann, ben)
    first = world.loaded(session, game).account_of(world.loaded(session, game).state.turn)
    assert first is not None
    return game, first, ben if first == ann else ann


def ended(session: Session, game: str, loser: str) -> None:
    """End the game by letting this player leave."""
    table = world.loaded(session, game)
    seat = table.seat_of(loser)
    assert seat is not None
    play(session, table, seat, RESIGN, None, NOW)


def mails(context: WorkerContext, session: Session) -> dict[str, str]:
    """Run all jobs, and return the texts of the mails in the Maildir by their keys."""
    session.commit()
    run(context)
    session.expire_all()
    assert isinstance(context.transport, Maildir)
    return {
        key_in(str(message["Message-ID"])): text_of(message).replace("\r\n", "\n")
        for message in context.transport.messages()
    }


def that_say(found: dict[str, str], said: str) -> list[str]:
    """Return the mails that contain this message, by kind and recipient: `turn.Ann`."""
    return sorted(f"{key.partition('.')[0]}.{key.rpartition('.')[2]}" for key, text in found.items() if said in text)


def until_turn_of(session: Session, game: str, account: str) -> None:
    while world.loaded(session, game).account_of(world.loaded(session, game).state.turn) != account:
        world.move(session, game)


def test_each_reader_is_told_once_by_the_next_turn_mail(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    talk.say(session, game, first, "Good luck to you!", NOW)
    assert that_say(mails(context, session), "Good luck") == [], "no mail of its own"
    until_turn_of(session, game, other)
    found = mails(context, session)
    assert that_say(found, "Good luck to you!") == [f"turn.{other}"]
    name = session.get_one(Account, first).name
    (told,) = [each for each in found.values() if "Good luck" in each]
    assert f"SAID AT THE TABLE\n- {name}, 27 November 2026, 20:56 UTC: “Good luck to you!”\n" in told
    talk.say(session, game, other, "And to you.", NOW)
    until_turn_of(session, game, first)
    until_turn_of(session, game, other)
    until_turn_of(session, game, first)
    found = mails(context, session)
    assert that_say(found, "Good luck") == [f"turn.{other}"]
    assert that_say(found, "And to you.") == [f"turn.{first}"]


def test_the_end_mail_tells_what_is_left(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    talk.say(session, game, first, "One more and I have it.", NOW)
    ended(session, game, other)
    session.execute(text("DELETE FROM procrastinate_jobs WHERE task_name = 'mail_turn'"))
    assert that_say(mails(context, session), "One more") == [f"end.{other}"]
    session.execute(text("UPDATE procrastinate_jobs SET status = 'todo'"))
    assert that_say(mails(context, session), "One more") == [f"end.{other}"]


def test_a_mail_that_did_not_leave_told_nothing(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    talk.say(session, game, first, "Hello!", NOW)
    until_turn_of(session, game, other)
    session.commit()
    run(sending_by(context, Refusing(TransientFailure("greylisted"))))
    assert session.scalar(text("SELECT max(told) FROM listeners")) == 0
    make_due(session)
    assert that_say(mails(context, session), "Hello!") == [f"turn.{other}"]


def test_a_message_is_told_by_one_of_two_mails_that_leave_at_once(session: Session, context: WorkerContext) -> None:
    """As when a game ends while the turn mail is being handed over."""
    game, first, other = two(session)
    mails(context, session)
    talk.say(session, game, first, "Only once.", NOW)
    until_turn_of(session, game, other)
    wait = world.loaded(session, game).progress.wait_seq  # type: ignore[union-attr]
    turn = for_turn(session, context.settings, NOW, game=game, wait=wait or 0)
    ended(session, game, first)
    end = partial(for_end, session, context.settings, game=game, account=other)

    def tells(mail: OutgoingMail | None) -> bool:
        assert mail is not None
        return "Only once." in mail.compose(None).text

    assert tells(turn) and not tells(end(now=NOW))
    assert not tells(end(now=NOW + TELLING - timedelta(seconds=1)))
    assert tells(end(now=NOW + TELLING)), "the other has not left in all that time"
    assert turn is not None and turn.after is not None
    turn.after(session)
    assert not tells(end(now=NOW + 2 * TELLING))
    session.rollback()


def test_what_a_dropped_mail_was_to_tell_the_next_one_tells(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    talk.say(session, game, first, "Hello!", NOW)
    until_turn_of(session, game, other)
    session.commit()
    run(sending_by(context, Refusing(TransientFailure("greylisted"))))
    until_turn_of(session, game, first)
    make_due(session)
    assert that_say(mails(context, session), "Hello!") == []
    until_turn_of(session, game, other)
    assert that_say(mails(context, session), "Hello!") == [f"turn.{other}"]


def test_the_digest_tells_it_and_no_turn_mail_again(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, other = two(session)
    mails(context, session)
    change(session, other, {"turn": "digest", "digest_hour": 7}, NOW)
    talk.say(session, game, first, "Good luck!", NOW)
    until_turn_of(session, game, other)
    assert that_say(mails(context, session), "Good luck!") == []
    clock.now = datetime.fromisoformat("2026-11-28T07:00:00+00:00")
    in_pieces(context.sessions, queue_due_digests, clock.now, 1)
    assert that_say(mails(context, session), ": “Good luck!”") == ["digest.2026-11-28"]
    # Messages alone are no reason for a digest.
    talk.say(session, game, first, "Still there?", clock.now)
    session.commit()
    clock.now = datetime.fromisoformat("2026-11-29T07:00:00+00:00")
    in_pieces(context.sessions, queue_due_digests, clock.now, 1)
    assert that_say(mails(context, session), "Still there?") == []
    change(session, other, {"turn": "at_once"}, clock.now)
    until_turn_of(session, game, first)
    until_turn_of(session, game, other)
    found = mails(context, session)
    assert that_say(found, "Still there?") == [f"turn.{other}"]
    assert that_say(found, "Good luck!") == ["digest.2026-11-28"]


def test_the_link_of_a_talk_mail_is_about_its_table_alone(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    ended(session, game, other)
    mails(context, session)
    talk.say(session, game, first, "Thanks for the game!", NOW)
    (job,) = world.jobs(session, "mail_talk")
    mail = for_talk(session, context.settings, NOW, game=game, account=other, message=int(job["message"]))
    assert mail is not None and mail.envelope.unsubscribe is not None
    (link,) = parse_qs(urlsplit(mail.envelope.unsubscribe).query)["link"]
    assert unsubscribe_of(KEYS, link) == UnsubscribeLink(other, game, "table")


def test_an_end_in_the_digest_tells_it_too(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, other = two(session)
    change_game(session, other, key(session, game), "digest", NOW)
    talk.say(session, game, first, "That was quick.", NOW)
    ended(session, game, other)
    mails(context, session)
    clock.now = world.later(days=1)
    in_pieces(context.sessions, queue_due_digests, clock.now, 1)
    assert [each.partition(".")[0] for each in that_say(mails(context, session), "That was quick.")] == ["digest"]


def test_what_is_muted_is_not_told_later_either(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    talk.mute(session, game, other, True)
    talk.say(session, game, first, "Before.", NOW)
    until_turn_of(session, game, other)
    assert that_say(mails(context, session), "Before.") == []
    talk.mute(session, game, other, False)
    talk.say(session, game, first, "After.", NOW)
    until_turn_of(session, game, first)
    until_turn_of(session, game, other)
    found = mails(context, session)
    assert (that_say(found, "Before."), that_say(found, "After.")) == ([], [f"turn.{other}"])


def test_much_talk_is_cut_to_the_newest_with_the_number_left_out(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    for number in range(MOST_TOLD + 3):
        talk.say(session, game, first, f"message {number}.", NOW)
    until_turn_of(session, game, other)
    (told,) = [each for each in mails(context, session).values() if "SAID AT THE TABLE" in each]
    assert "3 earlier messages are left out here.\n- " in told
    assert "message 2." not in told and "message 3." in told
    until_turn_of(session, game, first)
    until_turn_of(session, game, other)
    assert len(that_say(mails(context, session), "message 3.")) == 1


def test_what_an_erased_player_said_is_not_told(session: Session, context: WorkerContext) -> None:
    _, first, other = two(session)
    game = world.match(session, first, other, world.account(session, "Cleo"))
    mails(context, session)
    talk.say(session, game, first, "I live in Example Street.", NOW)
    delete_account(session, KEYS, first, NOW)
    until_turn_of(session, game, other)
    assert heard(session, world.loaded(session, game).table.key, other) == NewMessages()
    assert that_say(mails(context, session), "Example Street") == []


def test_notes_stand_in_one_s_own_turn_mails_only(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, other = two(session)
    mails(context, session)
    talk.note(session, game, first, "Red at\nthe\x07  bot\u202etom.", NOW)
    until_turn_of(session, game, other)
    until_turn_of(session, game, first)
    assert len(that_say(mails(context, session), "YOUR NOTES\n- You noted “Red at the bottom.”\n")) == 1
    until_turn_of(session, game, other)
    until_turn_of(session, game, first)
    found = mails(context, session)
    assert that_say(found, "Red at the bottom.") == [f"turn.{first}"] * 2, "until it is deleted"
    ended(session, game, other)
    assert that_say(mails(context, session), "Red at") == that_say(found, "Red at")


def test_a_mail_to_nobody_else_names_the_reader_of_a_note(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    talk.note(session, game, first, "secret plan", NOW)
    ended(session, game, other)
    session.commit()
    run(context)
    assert isinstance(context.transport, Maildir)
    mine = session.get_one(Account, first).email
    readers = {address_of(each) for each in context.transport.messages() if "secret plan" in _whole(each)}
    assert readers <= {mine}


def _whole(message: EmailMessage) -> str:
    return "".join(str(part.get_content()) for part in message.walk() if part.get_content_maintype() == "text")


def over(session: Session, context: WorkerContext) -> tuple[str, str, str]:
    """Return a finished game whose mails were sent, one of its players, and the other one."""
    game, first, other = two(session)
    ended(session, game, first)
    mails(context, session)
    return game, first, other


def test_what_is_said_after_the_end_reaches_the_other(session: Session, context: WorkerContext) -> None:
    game, first, other = over(session, context)
    talk.say(session, game, first, "Well played!", NOW)
    assert that_say(mails(context, session), ": “Well played!”") == [f"talk.{other}"]
    assert ("talk", "sent", None) in became(session, other)
    assert that_say(mails(context, session), "Well played!") == [f"talk.{other}"]


def test_talk_after_the_end_is_mailed_once_an_hour_at_most(session: Session, context: WorkerContext) -> None:
    game, first, other = over(session, context)
    talk.say(session, game, first, "One.", NOW)
    mails(context, session)
    for said in ("Two.", "Three."):
        talk.say(session, game, first, said, world.later(minutes=9))
    waiting = text("SELECT scheduled_at FROM procrastinate_jobs WHERE task_name = 'mail_talk' AND status = 'todo'")
    (due,) = session.scalars(waiting)
    assert abs(due - world.later(hours=1)) < timedelta(milliseconds=1)
    found = mails(context, session)  # that hour is in the past of the database's clock
    assert that_say(found, "Two.") == that_say(found, "Three.") == [f"talk.{other}"]
    assert len(that_say(found, "Well")) == 0 and len([key for key in found if key.startswith("talk.")]) == 2


def test_what_is_said_as_the_end_mail_leaves_is_told_once(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    ended(session, game, first)
    talk.say(session, game, first, "Good game.", NOW)
    assert that_say(mails(context, session), "Good game.") in ([f"end.{other}"], [f"talk.{other}"]), (
        "whichever is first"
    )


@pytest.mark.parametrize("how", ["muted", "game off"])
def test_a_player_who_wants_no_talk_gets_none_after_the_end(session: Session, context: WorkerContext, how: str) -> None:
    game, first, other = over(session, context)
    if how == "muted":
        talk.mute(session, game, other, True)
    else:
        change_game(session, other, key(session, game), "off", NOW)
    talk.say(session, game, first, "Well played!", NOW)
    assert that_say(mails(context, session), "Well played!") == []


def test_the_digest_tells_what_is_said_after_the_end(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, other = over(session, context)
    change(session, other, {"end": "digest", "digest_hour": 7}, NOW)
    talk.say(session, game, first, "Well played!", NOW)
    assert that_say(mails(context, session), "Well played!") == []
    clock.now = datetime.fromisoformat("2026-11-28T07:00:00+00:00")
    in_pieces(context.sessions, queue_due_digests, clock.now, 1)
    assert that_say(mails(context, session), "Well played!") == ["digest.2026-11-28"]


def test_a_player_who_wants_no_end_mail_is_told_the_last_words(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    mails(context, session)
    change(session, other, {"end": "off"}, NOW)
    talk.say(session, game, first, "My last words.", NOW)
    ended(session, game, first)
    mails(context, session)
    assert that_say(mails(context, session), "My last words.") == [f"talk.{other}"]


def test_a_player_who_wants_no_closed_mail_is_told_the_last_words(session: Session, context: WorkerContext) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    change(session, ben, {"closed": "off"}, NOW)
    talk.say(session, table, ann, "Who comes too?", NOW)
    tables.close(session, ann, table, NOW)
    mails(context, session)
    assert that_say(mails(context, session), "Who comes too?") == [f"talk.{ben}"]


def test_a_table_that_is_closed_tells_what_was_said_at_it(session: Session, context: WorkerContext) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    talk.say(session, table, ann, "Who comes too?", NOW)
    talk.say(session, table, ben, "Nobody, it seems.", NOW)
    tables.close(session, ann, table, NOW)
    found = mails(context, session)
    assert that_say(found, "Who comes too?") == [f"closed.{ben}"]
    assert that_say(found, "Nobody, it seems.") == [f"talk.{ann}"]
