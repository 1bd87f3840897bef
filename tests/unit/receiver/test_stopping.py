"""A receiver that is asked to stop finishes what it is storing, and tells all others to come again."""

import threading

import psycopg
import pytest

from tests.support.running import eventually
from tests.unit.receiver.conftest import Start
from tests.unit.receiver.lmtp_relay import Gone, LmtpRelay
from tests.unit.receiver.sample_mails import mail


def test_what_is_being_stored_is_acknowledged_and_the_rest_put_off(start: Start, owner_url: str) -> None:
    place = start()
    idle, amid, storing = (LmtpRelay(place.port) for _ in range(3))
    for client in (amid, storing):
        client.say("MAIL FROM:<ann@example.org>")
        client.say(f"RCPT TO:<{place.own}>")
        client.say("DATA")
    with psycopg.connect(owner_url) as holding:
        holding.execute("LOCK TABLE incoming IN EXCLUSIVE MODE")
        storing.send(mail())
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'incoming'::regclass"
        eventually(lambda: holding.execute(waits).fetchone() == (1,))
        stopping = threading.Thread(target=place.stop)
        stopping.start()
        for client in (idle, amid):
            assert client.heard().code == 421
            with pytest.raises(Gone):
                client.heard()
        with pytest.raises((Gone, ConnectionError)):
            LmtpRelay(place.port)
        assert stopping.is_alive()
    assert storing.heard().code == 250
    assert storing.heard().code == 421
    stopping.join(60)
    assert not stopping.is_alive()
    assert [row[0] for row in place.rows("raw")] == [mail()]
