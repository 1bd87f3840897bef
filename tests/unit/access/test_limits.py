"""Rate limits: what counts as one visitor, windows that end, and hits that are given back."""

from datetime import UTC, datetime, timedelta

import pytest
from limits.storage import Storage

from service.access.limits import Hit, Limit, Limiter, by_network, network_of

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


class Counters(Storage):
    """Counters in memory whose windows end by the clock of a test."""

    base_exceptions = ()

    def __init__(self) -> None:
        self.now = NOW
        self.counts: dict[str, tuple[int, float]] = {}

    def clock(self) -> datetime:
        return self.now

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        count, ends = self.get(key), self.get_expiry(key)
        self.counts[key] = count + amount, ends if count else self.now.timestamp() + expiry
        return count + amount

    def get(self, key: str) -> int:
        count, ends = self.counts.get(key, (0, 0.0))
        return count if ends > self.now.timestamp() else 0

    def get_expiry(self, key: str) -> float:
        return self.counts.get(key, (0, 0.0))[1]

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        return None

    def clear(self, key: str) -> None:
        del self.counts[key]


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def limiter(counters: Counters) -> Limiter:
    return Limiter(counters, "a-key", counters.clock)


def test_so_many_are_allowed_and_then_it_says_when_to_come_back(limiter: Limiter, counters: Counters) -> None:
    assert [limiter.hit(Limit.CODE_TRIES, 3, "ann") for _ in range(5)] == [0, 0, 0, 3600, 3600]
    assert limiter.hit(Limit.CODE_TRIES, 3, "ben") == limiter.hit(Limit.STRANGERS, 3, "ann") == 0
    counters.now += timedelta(minutes=59, seconds=59.5)
    assert limiter.hit(Limit.CODE_TRIES, 3, "ann") == 1
    counters.now += timedelta(seconds=0.5)
    assert limiter.hit(Limit.CODE_TRIES, 3, "ann") == 0


def test_a_limit_of_zero_is_none(limiter: Limiter, counters: Counters) -> None:
    assert [limiter.hit(Limit.CODE_TRIES, 0, "ann") for _ in range(100)] == [0] * 100
    limiter.give_back(Limit.CODE_TRIES, 0, "ann")
    assert counters.counts == {}


def test_all_hits_count_or_none(limiter: Limiter) -> None:
    narrow, wide = Hit(Limit.STRANGERS, 5, "ann"), Hit(Limit.SIGN_INS_PER_IP, 2, "net")
    assert limiter.hit_all([narrow, wide]) is None and limiter.hit_all([narrow, wide]) is None
    reached = limiter.hit_all([narrow, wide, Hit(Limit.CODE_TRIES, 1, "ann")])
    assert reached == (Limit.SIGN_INS_PER_IP, 2, 3600)
    assert reached.policy == Limit.SIGN_INS_PER_IP.policy(2)
    assert limiter.hit(Limit.CODE_TRIES, 1, "ann") == 0, "what comes after the reached limit was not counted"
    assert [limiter.hit(*narrow) for _ in range(4)] == [0, 0, 0, 3600], "what comes before it was given back"


def test_a_hit_that_is_given_back_frees_one_place(limiter: Limiter) -> None:
    assert [limiter.hit(Limit.CODE_TRIES, 2, "ann") for _ in range(4)] == [0, 0, 3600, 3600]
    limiter.give_back(Limit.CODE_TRIES, 2, "ann")
    assert [limiter.hit(Limit.CODE_TRIES, 2, "ann") for _ in range(2)] == [0, 3600]


def test_each_limit_counts_for_itself(limiter: Limiter) -> None:
    assert [limiter.hit(limit, 1, "ann") for limit in Limit] == [0] * len(Limit)
    assert len({limit.value[0] for limit in Limit}) == len(Limit)


def test_a_limit_keeps_the_name_that_clients_know_and_counters_have() -> None:
    others = {Limit.LINKS_PER_ACCOUNT: "invitation-links-per-account"}
    for limit in Limit:
        assert limit.value[0] == others.get(limit, limit.name.lower().replace("_", "-"))


def test_counters_do_not_store_whom_they_count(limiter: Limiter, counters: Counters) -> None:
    limiter.hit(Limit.CODE_TRIES, 1, "ann@example.org")
    assert len(counters.counts) == 1 and "ann" not in str(counters.counts)


def test_clients_are_told_the_name_the_amount_and_the_seconds() -> None:
    assert Limit.SIGN_INS_SPACED.policy(1) == ("sign-ins-spaced", 1, 600)
    assert Limit.QUESTIONS_PER_ADDRESS.policy(5) == ("questions-per-address", 5, 7 * 24 * 3600)


@pytest.mark.parametrize(
    ("ip", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:8080", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:3:4:5:6]", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:3:4:5:6]:8080", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", "unknown"),
        ("unix:", "unknown"),
        ("192.0.2.7, 192.0.2.8", "unknown"),
    ],
)
def test_a_visitor_is_an_ipv4_address_or_a_network_of_ipv6(ip: str, network: str) -> None:
    assert network_of(ip) == network


def test_the_wider_network_may_do_sixteen_times_as_much() -> None:
    assert by_network(Limit.STRANGERS, 3, "2001:db8:1:2::7") == [
        (Limit.STRANGERS, 3, "2001:db8:1:2::/64"),
        (Limit.STRANGERS, 48, "2001:db8:1::/48"),
    ]
    assert by_network(Limit.STRANGERS, 3, "2001:db8:1:2::7", "ann") == [
        (Limit.STRANGERS, 3, "2001:db8:1:2::/64 ann"),
        (Limit.STRANGERS, 48, "2001:db8:1::/48 ann"),
    ]
    assert by_network(Limit.STRANGERS, 3, "192.0.2.7", "ann") == [(Limit.STRANGERS, 3, "192.0.2.7 ann")]
    assert by_network(Limit.STRANGERS, 3, "") == [(Limit.STRANGERS, 3, "unknown")]
