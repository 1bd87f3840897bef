"""No mail costs its readers more than half a second of CPU, whatever it contains.

Each unit is put in each place, alone, in pairs and mixed, at the largest size that is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from service.access.reply_addresses import ToService
from service.reading.bounces import parse
from service.reading.headers import split
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from service.receiver.authentication import found
from service.receiver.deduplication import digests
from service.receiver.limits import LARGEST
from service.receiver.redaction import redacted
from tests.drills.worst.cost import MOST, cpu, dear
from tests.drills.worst.units import ALL, PAIRS
from tests.drills.worst.worst_mails import PLACES, trees

pytestmark = pytest.mark.drill

RELAY = "mx.example.org"
READERS: dict[str, Callable[[bytes], object]] = {
    "results": lambda raw: found(split(raw)[0], RELAY),
    "digest": lambda raw: digests([ToService()], *split(raw)),
    "redacted": redacted,
    "understood": lambda raw: parse_reply(read(raw, domain="example.org")),
    "bounce": parse,
}
_ROOM = 4 * 1024
_CROWDED = ("a line", "lines of four thousand", "a page", "in base64", "report in words", "subject")


def _too_dear(units: Iterator[bytes], made: Callable[[bytes, int], bytes]) -> list[str]:
    """Return the units that cost a reader too much in this place."""
    return [
        f"{reader} of {unit[:40]!r}: {cost:.2f} s"
        for unit in units
        for reader, work in READERS.items()
        if (cost := dear(lambda size, work=work, unit=unit: work(made(unit, size)), LARGEST - _ROOM)) is not None  # type: ignore[misc]
    ]


def _chosen(units: tuple[bytes, ...], step: int, place: str) -> Iterator[bytes]:
    """Yield every `step`-th unit, beginning with a different one in each place."""
    return iter(units[list(PLACES).index(place) % step :: step])


@pytest.mark.tenth
@pytest.mark.parametrize("place", PLACES)
def test_each_unit_in_each_place(place: str, amount: Callable[..., int]) -> None:
    assert _too_dear(_chosen(ALL, amount(1, len(ALL)), place), PLACES[place]) == []


@pytest.mark.long
@pytest.mark.parametrize("place", _CROWDED)
def test_units_in_twos_and_mixed(place: str) -> None:
    chance = Random(place)
    mixed = tuple(b"".join(chance.choices(ALL, k=chance.randint(2, 6))) for _ in range(100))
    assert _too_dear(_chosen(PAIRS, 4, place), PLACES[place]) == []
    assert _too_dear(iter(mixed), PLACES[place]) == []


@pytest.mark.slow
def test_parts_within_and_beside_each_other(amount: Callable[..., int]) -> None:
    step = amount(1, 120)
    dearest = [
        f"{reader} of {name}: {cost:.2f} s"
        for number, (name, raw) in enumerate(trees(LARGEST - _ROOM))
        if number % step == 0
        for reader, work in READERS.items()
        if (cost := cpu(lambda work=work, raw=raw: work(raw))) >= MOST  # type: ignore[misc]
    ]
    assert dearest == []
