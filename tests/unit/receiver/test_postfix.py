"""A real Postfix, configured as docs/MAIL-IN.md says, brings the mails to the service to the receiver."""

import smtplib
from pathlib import Path

import pytest

from service.access.reply_addresses import own_address, reply_address
from tests.support.running import eventually
from tests.unit.receiver.conftest import GAME, RELAY, Place, Start
from tests.unit.receiver.postfix import MISSING, postfix, told
from tests.unit.receiver.sample_mails import mail

pytestmark = [pytest.mark.long, pytest.mark.skipif(MISSING is not None, reason=str(MISSING))]

CHECKS = told("/etc/postfix/header_checks`:")
OWN_DOMAIN = told("**A domain of its own**")
AMONG_OTHERS = told("**An address among others**") + told("Another name for the address")


@pytest.fixture
def folder(open_folder: Path) -> Path:
    open_folder.chmod(0o755)
    return open_folder


def arrived(place: Place, count: int) -> list[tuple[str, str]]:
    eventually(lambda: len(place.rows("id")) >= count, seconds=60)
    return sorted((kind, raw.decode()) for kind, raw in place.rows("kind, convert_from(raw, 'utf-8')::bytea"))


def refusal(port: int, recipient: str) -> int:
    with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            client.sendmail("ann@example.net", [recipient], mail())
        [(code, _)] = refused.value.recipients.values()
        return code


def test_a_domain_of_its_own(start: Start, folder: Path) -> None:
    place = start(mail_checker=RELAY)
    forged = f"Authentication-Results: {RELAY}; dmarc=pass"
    foreign = "Authentication-Results: mx.example.net; dmarc=pass"
    with postfix(folder, OWN_DOMAIN, CHECKS, place.port) as port:
        with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
            for recipient in (place.address(), place.own.title()):
                assert client.sendmail("ann@example.net", [recipient], mail("2 F", 1, forged, foreign)) == {}
            client.sendmail("ann@example.net", [place.address().upper()], mail("2 F\n.\nh\xe9".encode().decode(), 2))
        found = arrived(place, 3)
        for unknown in ("nobody@play.example.org", "nova-luna+play-nothing@play.example.org"):
            assert refusal(port, unknown) == 550
        assert refusal(port, "ann@elsewhere.example") == 554
    assert [kind for kind, _ in found] == ["play", "play", "service"]
    assert all(("by mx.example.org" in raw and foreign in raw.replace("\n\t", " ")) or "<2@" in raw for _, raw in found)
    assert not any(forged in raw for _, raw in found)
    assert {sender for (sender,) in place.rows("sender")} == {"ann@example.net"}
    assert len(place.jobs()) == 3


def test_an_address_among_others(start: Start, folder: Path) -> None:
    place = start(mail_from="Nova Luna <nova-luna@example.org>")
    own = own_address(place.settings)
    reply = str(reply_address(place.settings, GAME))
    with postfix(folder, AMONG_OTHERS, CHECKS, place.port) as port:
        with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
            for number, recipient in enumerate((own, reply, reply.replace("nova-luna", "luna"), "luna@example.org")):
                assert client.sendmail("ann@example.net", [recipient], mail(number=number)) == {}
        assert [kind for kind, _ in arrived(place, 4)] == ["play", "play", "service", "service"]
        assert refusal(port, "no.such.person@example.org") == 550


def test_what_cannot_be_stored_is_brought_again(start: Start, folder: Path) -> None:
    place = start()
    with postfix(folder, OWN_DOMAIN, CHECKS, place.port) as port, smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
        assert client.sendmail("ann@example.net", [place.address()], mail()) == {}
        arrived(place, 1)
        place.stop()
        assert client.sendmail("ann@example.net", [place.address()], mail(number=2)) == {}  # an address of the service
        again = start(port=place.port)
        arrived(again, 2)
    assert len(again.rows()) == len(again.jobs()) == 2
