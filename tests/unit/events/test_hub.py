"""The hub passes each event on once, in order, to those who may see it, and ends whom it has to."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.api.event_bodies import stream
from service.commands import invitations, players, talk
from service.commands.invitation_limits import InvitationLimits
from service.config import Settings
from service.events.cursor import Cursor, Positions
from service.events.event import Event
from service.events.hub import Hub
from service.events.reading import Found
from service.events.subscription import MOST_WAITING, Subscription
from service.store import blocks, epoch, events
from service.store.autocommit_pool import AutocommitPool
from service.store.slots import Slots
from tests.support import world
from tests.support.clock import NOW
from tests.support.running import eventually
from tests.support.web import KEYS

Subscribe = Callable[..., Subscription]


def place(session: Session) -> None:
    """Commit, and place what has happened."""
    session.commit()
    session.execute(text("SELECT place_events()"))
    session.commit()


def now(session: Session) -> Positions:
    return Positions(*session.execute(text("SELECT value, last, deleted FROM epoch, event_positions")).one())


@pytest.fixture
def hub(database_url: str) -> Iterator[Hub]:
    pool = AutocommitPool(lambda: psycopg.connect(database_url, autocommit=True), 2)
    hub = Hub(Settings(database_url=database_url, secret_keys=KEYS), lambda: NOW, Slots(pool, KEYS[0]))
    yield hub
    hub.close()
    pool.close()


@pytest.fixture
def subscribe(hub: Hub, session: Session) -> Subscribe:
    """Return a function that subscribes an account, or a spectator of a table."""

    def made(account: str | None, table: int | None = None) -> Subscription:
        subscription = Subscription([(account or "network", 0)], account, None, table)
        hub.subscribe(subscription, now(session))
        return subscription

    return made


def taken(subscription: Subscription, count: int) -> list[bytes]:
    """Return a number of events, once they have come."""
    found: list[tuple[int, bytes]] = []

    def have_come() -> bool:
        found.extend(subscription.take(0.1))
        return len(found) >= count

    eventually(have_come)
    assert [position for position, _ in found] == sorted({position for position, _ in found})
    return [rendered for _, rendered in found]


def test_an_event_reaches_its_table_and_its_spectators(session: Session, subscribe: Subscribe) -> None:
    ann, ben, eve = (world.account(session, name) for name in ("Ann", "Ben", "Eve"))
    table = world.match(session, ann, ben)
    key = world.loaded(session, table).table.key
    place(session)
    readers = subscribe(ann), subscribe(ben), subscribe(None, key), subscribe(ann, key)
    stranger = subscribe(eve)
    world.move(session, table)
    talk.say(session, table, ann, "Hello!", NOW)
    events.add(session, events.CHANGE, game=key, account=None, now=NOW)
    other = world.match(session, eve, ben)
    place(session)
    assert [len(taken(reader, count)) for reader, count in zip(readers, (3, 6, 2, 3), strict=True)] == [3, 6, 2, 3]
    theirs = taken(stranger, 3)
    assert len(theirs) == 3
    assert all(f'"game":"{other}"'.encode() in each for each in theirs)


def test_a_message_does_not_reach_who_has_blocked_its_author(session: Session, subscribe: Subscribe) -> None:
    ann, ben, cem = (world.account(session, name) for name in ("Ann", "Ben", "Cem"))
    table = world.match(session, ann, ben, cem)
    blocks.add(session, ben, ann, NOW)
    place(session)
    readers = subscribe(ben), subscribe(cem)
    talk.say(session, table, ann, "Hello!", NOW)
    world.move(session, table)
    place(session)
    assert b'"kind":"move"' in taken(readers[0], 1)[0]
    assert len(taken(readers[1], 2)) == 2


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_a_player_who_has_left_reads_no_more_of_a_private_table(
    session: Session, subscribe: Subscribe, limits: InvitationLimits, visibility: str
) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    table = world.open_table(session, ann, seats=3, visibility=visibility)
    invitation = invitations.invite_player(session, ann, table, ben, limits, NOW)
    world.join(session, ben, table, invitation=world.secret_of(invitation))
    key = world.loaded(session, table).table.key
    place(session)
    stays, leaves, elsewhere = subscribe(ann, key), subscribe(ben, key), subscribe(ben)
    players.leave(session, ben, table, NOW)
    place(session)
    [left] = taken(leaves, 1)
    assert b'"kind":"leave"' in left and leaves.has_ended == (visibility == "private")
    assert len(taken(elsewhere, 1)) == len(taken(stays, 1)) == 1
    assert not elsewhere.has_ended and not stays.has_ended


def test_a_stream_that_ends_sends_what_came_before(hub: Hub) -> None:
    subscription = Subscription([], None, None, None)
    subscription.give(5, b'{"kind":"leave"}')
    subscription.end()
    found = Found([], 4, has_more=False)
    body = b"".join(stream(hub, subscription, Cursor("epoch", 4), found, lambda sent: found, is_reset=False))
    assert body.endswith(b'id: epoch-5\ndata: {"kind":"leave"}\n\n')


def test_a_reader_who_takes_nothing_is_ended(subscribe: Subscribe, session: Session) -> None:
    subscription = subscribe(world.account(session, "Ann"))
    for position in range(MOST_WAITING):
        subscription.give(position, b"{}")
    assert not subscription.has_ended
    subscription.give(MOST_WAITING, b"{}")
    assert subscription.has_ended


def test_subscriptions_end_when_the_history_is_another(session: Session, subscribe: Subscribe, owner: Engine) -> None:
    subscription = subscribe(world.account(session, "Ann"))
    session.commit()
    assert not subscription.has_ended
    with owner.begin() as connection:
        epoch.renew(connection)
    eventually(lambda: subscription.has_ended)


def test_an_error_of_ours_ends_the_streams_and_the_hub_goes_on(
    session: Session, subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = world.account(session, "Ann")
    place(session)
    subscription = subscribe(ann)
    with monkeypatch.context() as broken:
        broken.setattr(Event, "json", None)
        world.open_table(session, ann)
        place(session)
        eventually(lambda: subscription.has_ended)
    other = subscribe(ann)
    world.open_table(session, ann)
    place(session)
    assert len(taken(other, 1)) == 1


def test_a_subscription_to_a_closed_hub_is_ended_at_once(session: Session, hub: Hub, subscribe: Subscribe) -> None:
    early = subscribe(world.account(session, "Ann"))
    hub.close()
    late = subscribe("other")
    assert early.has_ended
    assert late.has_ended
