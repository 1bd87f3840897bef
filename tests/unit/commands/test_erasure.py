"""What remains of a deleted account at its tables."""

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from engine import audit
from service.commands import erasure, invitations
from service.commands.erasure import leave_everything
from service.commands.invitation_limits import InvitationLimits
from service.queries import records
from service.queries.table import LoadedTable, load
from service.store.accounts import Account
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW


def test_everything_is_left_and_every_record_stays_valid(session: Session, limits: InvitationLimits) -> None:
    ann, ben, cleo = (world.account(session, name) for name in ("Ann", "Ben", "Cleo"))
    finished = world.match(session, ann, ben, goal_discs=5)
    world.play_out(session, finished)
    running = world.match(session, ann, ben, cleo)
    world.move(session, running)
    solo = world.solo(session, ann)
    own = world.open_table(session, ann, seats=3)
    world.join(session, cleo, own)
    sent = invitations.invite(session, ann, own, "guest@example.org", limits, NOW)
    others = world.open_table(session, ben, seats=4)
    got = invitations.invite(session, ben, others, "ann@example.org", limits, NOW)
    world.join(session, ann, others, invitation=world.secret_of(got))

    leave_everything(session, ann, NOW)
    session.get_one(Account, ann).name = None
    session.flush()

    assert world.loaded(session, running).state.result is None
    assert [(entry.seat, entry.move) for entry in world.loaded(session, running).entries[1:]] == [(0, "resign")]
    assert world.loaded(session, solo).status == "finished"
    assert world.loaded(session, own).status == "closed"
    assert world.loaded(session, others).seat_of(ann) is None and world.loaded(session, others).status == "open"
    session.refresh(sent)
    session.refresh(got)
    assert sent.state(NOW) == "taken_back" and sent.email is None
    assert got.state(NOW) == "used"
    for table in (finished, running, solo):
        line = records.line(session, world.loaded(session, table))
        audit.check(line)
        assert b'{"name":null,"seat":0}' in line
    leave_everything(session, ann, NOW)
    assert world.loaded(session, running).version == 2


def test_no_game_starts_at_a_table_while_it_is_left(
    session: Session, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = world.account(session, "Ann")
    table = world.open_table(session, ann, seats=3)
    session.commit()
    free: list[str] = []

    def looking(within: Session, id: str) -> LoadedTable | None:
        with Session(engine) as other:
            free.extend(other.scalars(select(Table.id).where(Table.id == id).with_for_update(skip_locked=True)))
        return load(within, id)

    monkeypatch.setattr(erasure, "load", looking)
    leave_everything(session, ann, NOW)
    assert free == [] and world.loaded(session, table).status == "closed"
