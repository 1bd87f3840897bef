"""More requests than can be processed.

Those that are accepted are answered soon, the others are refused at once, and ``/healthz`` responds all the while. The
load is open: a request is sent at its time, whatever became of those before it.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import quantiles
from urllib.parse import urlsplit

import pytest

from tests.drills.service import Service
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

TIMES_CAPACITY = 6

MOST_SENT = 2_000.0
"""Requests per second, each on a connection of its own.

One process can send no more and still read the responses.
"""

WAITING = 2.0
"""How many seconds a request may wait: 1 for a thread, and about as long until a busy loop notices."""

IN_HAND = 64
"""The number of requests that may be processed before a response to another one: a few times the number of threads."""


@dataclass
class Answers:
    """The responses, with the seconds that each took."""

    accepted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


async def ask(address: str, path: str, token: str) -> tuple[int, bytes, float]:
    """Return the status, body and seconds of a GET on a connection of its own."""
    url = urlsplit(address)
    began = time.monotonic()
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        head = (
            f"GET {path} HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode())
        received = await reader.read(-1)
    finally:
        writer.close()
    return int(received.split(b" ", 2)[1]), received, time.monotonic() - began


async def capacity(address: str, path: str, token: str, seconds: float) -> float:
    """Return the requests per second of 16 clients that each wait for their response."""
    until = time.monotonic() + seconds
    done = 0

    async def client() -> None:
        nonlocal done
        while time.monotonic() < until:
            status, _, _ = await ask(address, path, token)
            assert status == 200
            done += 1

    await asyncio.gather(*(client() for _ in range(16)))
    return done / seconds


async def flood(address: str, path: str, token: str, rate: float, seconds: float) -> Answers:
    """Send requests at a rate whatever becomes of them, and request `/healthz` ten times a second."""
    answers = Answers()

    async def one() -> None:
        try:
            status, received, took = await asyncio.wait_for(ask(address, path, token), 30)
        except (OSError, IndexError, TimeoutError) as error:
            answers.others.append(type(error).__name__)
            return
        if status == 200:
            answers.accepted.append(took)
        elif status == 503 and b"overloaded" in received and b"Retry-After" in received:
            answers.refused.append(took)
        else:
            answers.others.append(str(status))

    async def look() -> None:
        status, _, took = await asyncio.wait_for(ask(address, "/healthz", token), 30)
        assert status == 200
        answers.health.append(took)

    began = time.monotonic()
    sent: list[asyncio.Task[None]] = []
    for number in range(int(rate * seconds)):
        due = began + number / rate
        if (early := due - time.monotonic()) > 0:
            await asyncio.sleep(early)
        sent.append(asyncio.create_task(one()))
        if number % max(1, int(rate / 10)) == 0:
            sent.append(asyncio.create_task(look()))
    await asyncio.gather(*sent)
    return answers


def p99(took: list[float]) -> float:
    return quantiles(took, n=100)[98] if len(took) > 1 else max(took, default=0.0)


def test_load_above_capacity_is_refused_and_all_else_stays(service: Service, amount: Callable[[int], int]) -> None:
    [person] = service.sign_up(1, "flooding")
    address, seconds = service.running.address, amount(20)
    most = asyncio.run(capacity(address, "/v1/games", person.token, max(1.0, seconds / 4)))
    rate = min(TIMES_CAPACITY * most, MOST_SENT)
    answers = asyncio.run(flood(address, "/v1/games", person.token, rate, seconds))
    told = (
        f"{most:.0f} a second can be done; sent {rate:.0f} a second for {seconds} s: "
        f"{len(answers.accepted)} accepted (p99 {p99(answers.accepted):.2f} s), "
        f"{len(answers.refused)} refused (p99 {p99(answers.refused):.2f} s), others {answers.others[:5]}, "
        f"health p99 {p99(answers.health):.2f} s"
    )
    print(told)
    assert answers.accepted and answers.refused, told
    assert not answers.others, told
    assert max(p99(answers.accepted), p99(answers.refused), p99(answers.health)) < WAITING + IN_HAND / most, told
    eventually(lambda: service.api.get("/v1/games", person).status_code == 200)
    service.check_records()
