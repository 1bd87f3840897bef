"""The receiver's process keeps serving its other connections, whatever mail arrives on one of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from service.receiver import limits
from tests.drills.worst.cost import MOST
from tests.drills.worst.worst_mails import PLACES
from tests.unit.receiver.conftest import Place, Start, logged, owner_url, shared, start
from tests.unit.receiver.lmtp_relay import LmtpRelay

__all__ = ["logged", "owner_url", "shared", "start"]

pytestmark = pytest.mark.drill

_WORST = (("a line", b" "), ("lines", b" \r\n"), ("a line", b"link=3D"), ("in base64", b"link=3D"), ("fields", b"a"),
          ("results", b"("), ("in lines of base64", b"play-"), ("nothing else", b"\r\n"))  # fmt: skip


def _held(place: Place, work: threading.Thread) -> float:
    """Return the most CPU time that this process used during the work before another command was answered."""
    most = 0.0
    with LmtpRelay(place.port) as other:
        work.start()
        words = 0
        while work.is_alive():
            began = time.process_time()
            assert other.say("RSET" if words % 2 else "VRFY x").code in (250, 252)
            most = max(most, time.process_time() - began)
            words += 1
    work.join()
    assert words
    return most


@pytest.mark.slow
def test_others_are_answered_while_the_worst_mails_come(
    start: Start, monkeypatch: pytest.MonkeyPatch, amount: Callable[..., int]
) -> None:
    monkeypatch.setattr(limits, "COMMANDS", {"*": 1_000_000})
    place = start(mail_checker="mx.example.org")
    raws = [
        PLACES[name](unit, limits.LARGEST - 4096).replace(b"\r\n.", b"\r\n..")
        for name, unit in _WORST[: amount(len(_WORST), 3)]
    ]
    codes: list[int] = []

    def bring() -> None:
        with LmtpRelay(place.port) as client:
            for number, raw in enumerate(raws):
                to = [place.own] if number else [place.own, place.address()]
                head = b"X-Number: %d\r\n" % number
                codes.extend(reply.code for reply in client.bring("ann@example.org", to, head + raw))

    assert _held(place, threading.Thread(target=bring)) < MOST
    assert set(codes) == {250}
