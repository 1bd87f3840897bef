"""Rate limits: fixed windows, shared by all who use the table, and counted whatever becomes of the request."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.access.limits import Limit, Limiter, network_of
from service.store import rate_limits
from tests.web import KEYS, Clock


@pytest.fixture
def storage(engine: Engine, clock: Clock) -> rate_limits.RateLimitStorage:
    return rate_limits.RateLimitStorage(lambda: engine, clock)


@pytest.fixture
def limiter(storage: rate_limits.RateLimitStorage, clock: Clock) -> Limiter:
    return Limiter(storage, KEYS[0], clock)


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


def test_of_many_at_once_as_many_get_through_as_may(limiter: Limiter) -> None:
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: limiter.hit(Limit.SIGN_INS_PER_IP, 10, "x"), range(30)))
    assert waits.count(0) == 10


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
    storage.clear("k")
    assert storage.get("k") == 0
    storage.incr("k", 60)
    storage.incr("l", 120)
    clock.advance(seconds=60)
    with Session(engine) as session:
        rate_limits.purge(session, clock(), 10)
        session.commit()
    assert storage.reset() == 1


def test_one_visitor_is_an_ipv4_address_or_an_ipv6_network() -> None:
    assert network_of("192.0.2.7") == network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_of("2001:db8::1") == network_of("2001:db8:0:0:9::") != network_of("2001:db8:0:1::1")
    assert network_of("") == network_of("nonsense") == network_of("x" * 9999)
