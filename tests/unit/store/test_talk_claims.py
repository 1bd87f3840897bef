"""The claim of a mail to bring the messages at a table, as it is stored."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store import talk
from service.store.talk import Listener
from tests.support import world


def test_a_claim_is_released_by_its_own_mail_alone(session: Session) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    first, second = world.match(session, ann, ben), world.match(session, ann, ben)
    keys = [world.loaded(session, each).table.key for each in (first, second)]
    claims = [(ann, keys[0], "mail"), (ben, keys[0], "mail"), (ann, keys[1], "mail"), (ben, keys[1], "other")]
    session.add_all(Listener(account=account, game=game, telling=mail) for account, game, mail in claims)
    session.flush()
    left = select(Listener.account, Listener.game, Listener.telling).where(Listener.telling.is_not(None))
    talk.release_claim(session, ben, second, "mail")
    assert len(session.execute(left).all()) == 4
    talk.release_claim(session, ann, first, "mail")
    assert {tuple(row) for row in session.execute(left)} == set(claims[1:])
