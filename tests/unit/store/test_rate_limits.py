"""Rate limits: fixed windows shared by all who use the table; what is given back or rolled back does not count."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.access.limits import Hit, Limit, Limiter, Reached, network_of
from service.store import rate_limits
from tests.support.clock import Clock
from tests.support.web import KEYS


@pytest.fixture
def storage(engine: Engine, clock: Clock) -> rate_limits.RateLimitStorage:
    return rate_limits.RateLimitStorage(lambda: engine, clock)


@pytest.fixture
def limiter(storage: rate_limits.RateLimitStorage, clock: Clock) -> Limiter:
    return Limiter(storage, KEYS[0], clock, storage.within)


def test_a_window_begins_with_the_first_hit_and_ends_after_its_time(limiter: Limiter, clock: Clock) -> None:
    def hit() -> int:
        return limiter.hit(Limit.SIGN_INS_PER_ADDRESS, 2, "ann")

    assert hit() == 0
    clock.advance(minutes=20)
    assert [hit(), hit()] == [0, 2400]
    clock.advance(minutes=39, seconds=59.5)
    assert hit() == 1
    clock.advance(seconds=0.5)
    assert [hit(), hit(), hit()] == [0, 0, 3600]


def test_limits_and_subjects_are_counted_apart_and_0_is_none(limiter: Limiter) -> None:
    assert limiter.hit(Limit.SIGN_INS_PER_ADDRESS, 1, "x") == 0
    assert limiter.hit(Limit.SIGN_INS_PER_ADDRESS, 1, "y") == 0
    assert limiter.hit(Limit.SIGN_INS_PER_IP, 1, "x") == 0
    assert limiter.hit(Limit.INVITATIONS_PER_ACCOUNT, 1, "x") == 0
    assert limiter.hit(Limit.INVITATIONS_PER_ACCOUNT, 1, "x") == 86_400
    assert [limiter.hit(Limit.SIGN_INS_PER_ADDRESS, 0, "x") for _ in range(9)] == [0] * 9


def test_as_many_of_many_at_once_get_through_as_may(limiter: Limiter) -> None:
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: limiter.hit(Limit.SIGN_INS_PER_IP, 10, "x"), range(30)))
    assert waits.count(0) == 10


def test_what_is_given_back_can_be_hit_again(limiter: Limiter, clock: Clock) -> None:
    def hit() -> bool:
        return limiter.hit(Limit.CODE_TRIES, 2, "x") == 0

    assert [hit(), hit(), hit(), hit()] == [True, True, False, False]
    limiter.give_back(Limit.CODE_TRIES, 2, "x")
    assert [hit(), hit()] == [True, False]
    clock.advance(hours=1)
    for _ in range(3):
        limiter.give_back(Limit.CODE_TRIES, 2, "x")
    assert [hit(), hit(), hit()] == [True, True, False]


def test_several_limits_count_all_or_none(limiter: Limiter) -> None:
    wide, narrow = Hit(Limit.INVITATIONS_PER_ACCOUNT, 3, "x"), Hit(Limit.INVITATIONS_PER_RECIPIENT, 1, "y")
    assert limiter.hit_all([wide, narrow]) is None
    for _ in range(9):
        assert limiter.hit_all([wide, narrow]) == Reached(Limit.INVITATIONS_PER_RECIPIENT, 1, 86_400)
    assert [limiter.hit_all([wide]) for _ in range(3)] == [
        None,
        None,
        Reached(Limit.INVITATIONS_PER_ACCOUNT, 3, 86_400),
    ]


def test_a_hit_of_a_transaction_counts_if_it_commits(limiter: Limiter, engine: Engine) -> None:
    with Session(engine) as session:
        assert limiter.hit(Limit.CODE_TRIES, 1, "x", session) == 0
        assert limiter.hit(Limit.CODE_TRIES, 1, "x", session) == 3600
        session.rollback()
        assert limiter.hit(Limit.CODE_TRIES, 1, "x", session) == 0
        session.commit()
    assert limiter.hit(Limit.CODE_TRIES, 1, "x") == 3600


def test_no_subject_can_be_read_from_the_table(limiter: Limiter, engine: Engine) -> None:
    limiter.hit(Limit.SIGN_INS_PER_ADDRESS, 1, "ann@example.org")
    with engine.connect() as connection:
        assert "ann" not in str(connection.execute(text("SELECT * FROM rate_limits")).all())


def test_what_the_library_asks_of_a_storage(
    storage: rate_limits.RateLimitStorage, engine: Engine, clock: Clock
) -> None:
    assert storage.check()
    assert storage.get("k") == 0
    assert storage.get_expiry("k") == clock().timestamp()
    assert storage.incr("k", 60, 3) == 3
    assert (storage.get("k"), storage.get_expiry("k")) == (3, clock().timestamp() + 60)
    assert [storage.incr("k", 60, -1), storage.incr("k", 60)] == [2, 3]
    storage.clear("k")
    assert storage.get("k") == storage.incr("k", 60, -1) == 0
    storage.incr("k", 60)
    storage.incr("l", 120)
    clock.advance(seconds=60)
    assert [storage.get("k"), storage.get("l")] == [0, 1]
    with Session(engine) as session:
        rate_limits.purge(session, clock(), 10)
        session.commit()
    assert storage.reset() == 1


def test_one_visitor_is_an_ipv4_address_or_an_ipv6_network() -> None:
    assert network_of("192.0.2.7") == network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_of("2001:db8::1") == network_of("2001:db8:0:0:9::") != network_of("2001:db8:0:1::1")
    assert network_of("") == network_of("nonsense") == network_of("x" * 9999)
